# The sum of each row, a block at a time.
# case: rows=6 cols=70 x=f16[rows,cols] y=out:f32[rows] BLOCK=32 grid=rows expect='y = sum(x, 1)' tolerance=1e-4
@triton.jit
def row_sum_kernel(x_ptr, y_ptr, cols, BLOCK: tl.constexpr):
    row = tl.program_id(0)
    offs = tl.arange(0, BLOCK)
    acc = tl.zeros((BLOCK,), dtype=tl.float32)
    for start in range(0, cols, BLOCK):
        acc += tl.load(x_ptr + row * cols + start + offs, mask=start + offs < cols, other=0.0).to(tl.float32)
    tl.store(y_ptr + row, tl.sum(acc, axis=0))
