# The logarithm of the sum of exponentials of each row.
# case: rows=3 cols=24 x=f32[rows,cols]:full(-400) y=out:f32[rows] BLOCK=32 grid=rows
# case: expect='y = log(24.0) - 400'
@triton.jit
def logsumexp_kernel(x_ptr, y_ptr, cols, BLOCK: tl.constexpr):
    row = tl.program_id(0)
    offs = tl.arange(0, BLOCK)
    x = tl.load(x_ptr + row * cols + offs, mask=offs < cols, other=-float('inf'))
    top = tl.max(x, axis=0)
    total = tl.sum(tl.exp(x - top), axis=0)
    tl.store(y_ptr + row, top + tl.log(total))
