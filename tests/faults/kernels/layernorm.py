# Each row less its mean, over its deviation.
# case: rows=4 cols=17 x=f32[rows,cols] y=out:f32[rows,cols] BLOCK=32 grid=rows
# case: expect='d = x - mean(x, 1)[:, None]; y = d / sqrt(mean(d * d, 1) + 1e-5)[:, None]'
@triton.jit
def layernorm_kernel(x_ptr, y_ptr, cols, BLOCK: tl.constexpr):
    row = tl.program_id(0)
    offs = tl.arange(0, BLOCK)
    mask = offs < cols
    x = tl.load(x_ptr + row * cols + offs, mask=mask, other=0.0)
    mean = tl.sum(x, axis=0) / cols
    d = tl.where(mask, x - mean, 0.0)
    var = tl.sum(d * d, axis=0) / cols
    tl.store(y_ptr + row * cols + offs, d / tl.sqrt(var + 1e-5), mask=mask)
