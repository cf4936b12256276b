# Every sum of an x and a y, a block of BM x BN elements a program.  z[i, j] = x[i] + y[j]
# case: x=f32[m] y=f32[n] z=out:f32[m, n] m=7 n=13 BM=4 BN=8 grid=(cdiv(m, BM), cdiv(n, BN))
# case: expect='z = x[:, None] + y[None, :]'
import triton
import triton.language as tl


@triton.jit
def outer_blocks_kernel(x_ptr, y_ptr, z_ptr, m, n, BM: tl.constexpr, BN: tl.constexpr):
    # Yours: axis 0 of the grid counts blocks of rows, axis 1 blocks of columns.
    pass
