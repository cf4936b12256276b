# The softmax of each row.
# case: rows=5 cols=20 x=f32[rows,cols] y=out:f32[rows,cols] stride=cols BLOCK=32 grid=rows
# case: expect='e = exp(x - amax(x, 1)[:, None]); y = e / sum(e, 1)[:, None]'
@triton.jit
def softmax_kernel(x_ptr, y_ptr, cols, stride, BLOCK: tl.constexpr):
    row = tl.program_id(0)
    offs = tl.arange(0, BLOCK)
    mask = offs < cols
    x = tl.load(x_ptr + row * stride + offs, mask=mask, other=-float('inf'))
    top = tl.max(x, axis=0)
    e = tl.exp(x - top)
    total = tl.sum(e, axis=0)
    tl.store(y_ptr + row * stride + offs, e / total, mask=mask)
