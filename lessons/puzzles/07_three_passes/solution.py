# Softmax of rows longer than a block, BM rows a program.  z[i, j] = exp(x[i, j]) / sum over j of exp(x[i, j])
# case: x=f32[m, n]:normal z=out:f32[m, n] m=5 n=29 BM=4 BN=8 grid=cdiv(m, BM)
# case: expect='z = exp(x) / sum(exp(x), 1)[:, None]'
import triton
import triton.language as tl


@triton.jit
def three_passes_kernel(x_ptr, z_ptr, m, n, BM: tl.constexpr, BN: tl.constexpr):
    # Yours: one loop for the largest of each row, one for the sums, one for the quotients.
    i = tl.program_id(0) * BM + tl.arange(0, BM)
    largest = tl.full((BM,), -float("inf"), tl.float32)
    for start in tl.range(0, n, BN):
        j = start + tl.arange(0, BN)
        mask = (i < m)[:, None] & (j < n)[None, :]
        x = tl.load(x_ptr + i[:, None] * n + j[None, :], mask=mask, other=-float("inf"))
        largest = tl.maximum(largest, tl.max(x, 1))
    sum = tl.zeros((BM,), tl.float32)
    for begin in tl.range(0, n, BN):
        cols = begin + tl.arange(0, BN)
        inside = (i < m)[:, None] & (cols < n)[None, :]
        row = tl.load(x_ptr + i[:, None] * n + cols[None, :], mask=inside, other=-float("inf"))
        sum += tl.sum(tl.exp(row - largest[:, None]), 1)
    for first in tl.range(0, n, BN):
        c = first + tl.arange(0, BN)
        offs = i[:, None] * n + c[None, :]
        exists = (i < m)[:, None] & (c < n)[None, :]
        again = tl.load(x_ptr + offs, mask=exists)
        tl.store(z_ptr + offs, tl.exp(again - largest[:, None]) / sum[:, None], mask=exists)
