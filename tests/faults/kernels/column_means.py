# The mean of each column, rows in tiles.
# case: rows=50 cols=24 x=f32[rows,cols] y=out:f32[cols] BR=16 BC=32 grid=1 expect='y = mean(x, 0)'
@triton.jit
def column_means_kernel(x_ptr, y_ptr, rows, cols, BR: tl.constexpr, BC: tl.constexpr):
    r = tl.arange(0, BR)
    c = tl.arange(0, BC)
    acc = tl.zeros((BC,), dtype=tl.float32)
    for start in range(0, rows, BR):
        at = start + r
        x = tl.load(x_ptr + at[:, None] * cols + c[None, :], mask=(at[:, None] < rows) & (c[None, :] < cols), other=0.0)
        acc += tl.sum(x, axis=0)
    tl.store(y_ptr + c, acc / rows, mask=c < cols)
