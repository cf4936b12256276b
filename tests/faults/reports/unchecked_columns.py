# case: rows=8 cols=20 x=f32[rows,cols]:full(1) y=out:f32[4] grid=1 expect='y = 20'
@triton.jit
def row_sums(x_ptr, y_ptr, rows, cols):
    p = tl.make_block_ptr(x_ptr, (rows, cols), (cols, 1), (0, 0), (4, 32), (1, 0))
    x = tl.load(p, boundary_check=(0,), padding_option="zero")
    tl.store(y_ptr + tl.arange(0, 4), tl.sum(x, 1))
