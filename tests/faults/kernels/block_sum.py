# Sums of rows, by a block pointer.
# case: rows=8 cols=20 x=f32[rows,cols]:ones y=out:f32[rows] BR=4 BC=16 grid=rows/BR expect='y = sum(x, 1)'
@triton.jit
def block_sum_kernel(x_ptr, y_ptr, rows, cols, BR: tl.constexpr, BC: tl.constexpr):
    first = tl.program_id(0) * BR
    p = tl.make_block_ptr(x_ptr, shape=(rows, cols), strides=(cols, 1), offsets=(first, 0), block_shape=(BR, BC),
                          order=(1, 0))
    acc = tl.zeros((BR,), dtype=tl.float32)
    for c in range(0, cols, BC):
        acc += tl.sum(tl.load(p, boundary_check=(0, 1), padding_option="zero"), axis=1)
        p = tl.advance(p, (0, BC))
    tl.store(y_ptr + first + tl.arange(0, BR), acc)
