# A layer normalization backwards, a row a program: from dy, what y does to the result, what x, w and b do.
# dx[i, j] = rstd (g - average of g - xhat average of g xhat), g = dy w;  dw[j] = sum of dy xhat, db[j] = sum of dy
# case: x=f32[m, n] w=f32[n] dy=f32[m, n] dx=out:f32[m, n] dw=inout:f32[n]:zeros db=inout:f32[n]:zeros
# case: m=4 n=5 BLOCK=8 grid=m
import triton
import triton.language as tl


@triton.jit
def layernorm_backward_kernel(x_ptr, w_ptr, dy_ptr, dx_ptr, dw_ptr, db_ptr, n, BLOCK: tl.constexpr):
    # Yours: nobody has stored the mean and 1 / sqrt. dw and db begin at 0, and every row adds its part.
    pass
