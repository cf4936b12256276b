# Rows divided by their root mean square, times a weight.
# case: rows=6 cols=40 x=f32[rows,cols] w=f32[cols] y=out:f32[rows,cols] BLOCK=64 grid=rows
# case: expect='y = x / sqrt(mean(x * x, 1) + 1e-6)[:, None] * w'
@triton.jit
def rms_norm_kernel(x_ptr, w_ptr, y_ptr, cols, BLOCK: tl.constexpr):
    row = tl.program_id(0)
    offs = tl.arange(0, BLOCK)
    mask = offs < cols
    x = tl.load(x_ptr + row * cols + offs, mask=mask, other=0.0)
    w = tl.load(w_ptr + offs, mask=mask, other=0.0)
    mean = tl.sum(x * x, axis=0) / cols
    scale = tl.rsqrt(mean + 1e-6)
    tl.store(y_ptr + row * cols + offs, x * scale * w, mask=mask)
