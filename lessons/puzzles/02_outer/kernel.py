# Every sum of an x and a y, by one program.  z[i, j] = x[i] + y[j]
# case: x=f32[m] y=f32[n] z=out:f32[m, n] m=3 n=5 BM=4 BN=8 grid=1 expect='z = x[:, None] + y[None, :]'
import triton
import triton.language as tl


@triton.jit
def outer_kernel(x_ptr, y_ptr, z_ptr, m, n, BM: tl.constexpr, BN: tl.constexpr):
    # Yours.
    pass
