# Sums of rows that are longer than a block, BM rows a program, in f32.  z[i] = sum over j of x[i, j]
# case: x=f16[m, n] z=out:f32[m] m=5 n=29 BM=4 BN=8 grid=cdiv(m, BM) expect='z = sum(x, 1)'
import triton
import triton.language as tl


@triton.jit
def long_sum_kernel(x_ptr, z_ptr, m, n, BM: tl.constexpr, BN: tl.constexpr):
    # Yours: a row has as many steps as it has blocks of BN columns.
    i = tl.program_id(0) * BM + tl.arange(0, BM)
    acc = tl.zeros((BM,), tl.float32)
    for start in tl.range(0, n, BN):
        j = start + tl.arange(0, BN)
        mask = (i < m)[:, None] & (j < n)[None, :]
        x = tl.load(x_ptr + i[:, None] * n + j[None, :], mask=mask, other=0)
        acc += tl.sum(x.to(tl.float32), 1)
    tl.store(z_ptr + i, acc, mask=i < m)
