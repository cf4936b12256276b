# case: rows=3 cols=100 B=64 x=f32[rows,cols] y=out:f32[rows,cols] grid=rows expect='y = x * 2'
@triton.jit
def double(x_ptr, y_ptr, cols, B: tl.constexpr):
    o = tl.arange(0, B)
    at = tl.program_id(0) * cols + o
    tl.store(y_ptr + at, tl.load(x_ptr + at, mask=o < cols) * 2, mask=o < cols)
