# A layer normalization backwards, a row a program: from dy, what y does to the result, what x, w and b do.
# dx[i, j] = rstd (g - average of g - xhat average of g xhat), g = dy w;  dw[j] = sum of dy xhat, db[j] = sum of dy
# case: x=f32[m, n] w=f32[n] dy=f32[m, n] dx=out:f32[m, n] dw=inout:f32[n]:zeros db=inout:f32[n]:zeros
# case: m=4 n=5 BLOCK=8 grid=m
import triton
import triton.language as tl


@triton.jit
def layernorm_backward_kernel(x_ptr, w_ptr, dy_ptr, dx_ptr, dw_ptr, db_ptr, n, BLOCK: tl.constexpr):
    # Yours: nobody has stored the mean and 1 / sqrt. dw and db begin at 0, and every row adds its part.
    cols = tl.arange(0, BLOCK)
    offs = tl.program_id(0) * n + cols
    mask = cols < n
    x = tl.load(x_ptr + offs, mask=mask, other=0).to(tl.float32)
    dy = tl.load(dy_ptr + offs, mask=mask, other=0).to(tl.float32)
    w = tl.load(w_ptr + cols, mask=mask, other=0)
    centred = tl.where(mask, x - tl.sum(x, 0) / n, 0.0)
    rstd = 1 / tl.sqrt(tl.sum(centred * centred, 0) / n + 1e-5)
    xhat = centred * rstd
    g = dy * w
    of_g = tl.sum(g, 0) / n
    of_g_xhat = tl.sum(g * xhat, 0) / n
    tl.store(dx_ptr + offs, (rstd * (g - of_g - xhat * of_g_xhat)).to(dx_ptr.dtype.element_ty), mask=mask)
    tl.atomic_add(dw_ptr + cols, dy * xhat, mask=mask)
    tl.atomic_add(db_ptr + cols, dy, mask=mask)
