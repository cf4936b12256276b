# The derivative of z = max(x y, 0) by x, times dz.  dx[i, j] = dz[i, j] y[j] where x[i, j] y[j] > 0, else 0
# case: x=f32[m, n] y=f32[n] dz=f32[m, n] dx=out:f32[m, n] m=7 n=13 BM=4 BN=8 grid=(cdiv(m, BM), cdiv(n, BN))
# case: expect='dx = where(x * y[None, :] > 0, dz * y[None, :], 0)'
import triton
import triton.language as tl


@triton.jit
def multiply_backward_kernel(x_ptr, y_ptr, dz_ptr, dx_ptr, m, n, BM: tl.constexpr, BN: tl.constexpr):
    # Yours: nobody has stored which products were positive.
    pass
