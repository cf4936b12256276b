# Where each row is largest.
# case: rows=7 cols=21 x=f32[rows,cols] y=out:i32[rows] BLOCK=32 grid=rows expect='y = argmax(x, 1)'
@triton.jit
def argmax_rows_kernel(x_ptr, y_ptr, cols, BLOCK: tl.constexpr):
    row = tl.program_id(0)
    offs = tl.arange(0, BLOCK)
    x = tl.load(x_ptr + row * cols + offs, mask=offs < cols, other=-float('inf'))
    tl.store(y_ptr + row, tl.argmax(x, axis=0))
