# Products of pairs of matrices, BM x BN a program.  z[b, i, j] = sum over l of x[b, i, l] y[b, l, j]
# case: x=f16[batch, m, k] y=f16[batch, k, n] z=out:f32[batch, m, n] batch=2 m=20 n=24 k=40 BM=16 BN=16 BK=16
# case: grid=(cdiv(m, BM), cdiv(n, BN), batch)
import triton
import triton.language as tl


@triton.jit
def batched_matmul_kernel(x_ptr, y_ptr, z_ptr, m, n, k, BM: tl.constexpr, BN: tl.constexpr, BK: tl.constexpr):
    # Yours: tl.program_id(2) says which pair.
    b = tl.program_id(2)
    i = tl.program_id(0) * BM + tl.arange(0, BM)
    j = tl.program_id(1) * BN + tl.arange(0, BN)
    acc = tl.zeros((BM, BN), tl.float32)
    for start in tl.range(0, k, BK):
        l = start + tl.arange(0, BK)
        x = tl.load(x_ptr + b * m * k + i[:, None] * k + l[None, :], mask=(i < m)[:, None] & (l < k)[None, :], other=0)
        y = tl.load(y_ptr + b * k * n + l[:, None] * n + j[None, :], mask=(l < k)[:, None] & (j < n)[None, :], other=0)
        acc = tl.dot(x, y, acc)
    mask = (i < m)[:, None] & (j < n)[None, :]
    tl.store(z_ptr + b * m * n + i[:, None] * n + j[None, :], acc, mask=mask)
