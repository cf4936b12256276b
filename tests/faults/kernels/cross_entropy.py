# The loss of each row: log of the sum of exponentials, less the label's logit.
# case: rows=5 cols=37 x=f32[rows,cols] label=i32[rows]:values(3,0,36,7,11) y=out:f32[rows] BLOCK=16 grid=rows
# case: expect='m = amax(x, 1); y = log(sum(exp(x - m[:, None]), 1)) + m - sum(where(arange(37)[None, :] == label[:, None], x, 0.0), 1)'
@triton.jit
def cross_entropy_kernel(x_ptr, label_ptr, y_ptr, cols, BLOCK: tl.constexpr):
    row = tl.program_id(0)
    label = tl.load(label_ptr + row)
    top = -float('inf')
    total = 0.0
    for start in range(0, cols, BLOCK):
        offs = start + tl.arange(0, BLOCK)
        x = tl.load(x_ptr + row * cols + offs, mask=offs < cols, other=-float('inf'))
        higher = tl.maximum(top, tl.max(x, axis=0))
        total = total * tl.exp(top - higher) + tl.sum(tl.exp(x - higher), axis=0)
        top = higher
    tl.store(y_ptr + row, tl.log(total) + top - tl.load(x_ptr + row * cols + label))
