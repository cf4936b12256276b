# Products without the negative ones, a block of BM x BN elements a program.  z[i, j] = max(x[i] y[j], 0)
# case: x=f32[m] y=f32[n] z=out:f32[m, n] m=7 n=13 BM=4 BN=8 grid=(cdiv(m, BM), cdiv(n, BN))
# case: expect='z = max(x[:, None] * y[None, :], 0)'
import triton
import triton.language as tl


@triton.jit
def multiply_kernel(x_ptr, y_ptr, z_ptr, m, n, BM: tl.constexpr, BN: tl.constexpr):
    # Yours: axis 0 of the grid counts blocks of rows, axis 1 blocks of columns.
    i = tl.program_id(0) * BM + tl.arange(0, BM)
    j = tl.program_id(1) * BN + tl.arange(0, BN)
    x = tl.load(x_ptr + i, mask=i < m)
    y = tl.load(y_ptr + j, mask=j < n)
    product = x[:, None] * y[None, :]
    mask = (i < m)[:, None] & (j < n)[None, :]
    tl.store(z_ptr + i[:, None] * n + j[None, :], tl.maximum(product, 0.0), mask=mask)
