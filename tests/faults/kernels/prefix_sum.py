# Prefix sums along rows, chunk after chunk with a carry.
# case: rows=4 cols=50 x=f32[rows,cols] y=out:f32[rows,cols] BLOCK=16 grid=rows expect='y = cumsum(x, 1)'
@triton.jit
def prefix_sum_kernel(x_ptr, y_ptr, cols, BLOCK: tl.constexpr):
    row = tl.program_id(0)
    offs = tl.arange(0, BLOCK)
    carry = 0.0
    for start in range(0, cols, BLOCK):
        at = start + offs
        x = tl.load(x_ptr + row * cols + at, mask=at < cols, other=0.0)
        sums = tl.cumsum(x, axis=0) + carry
        tl.store(y_ptr + row * cols + at, sums, mask=at < cols)
        carry += tl.sum(x, axis=0)
