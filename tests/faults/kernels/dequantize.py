# Sums of uint8 less their zero.
# case: rows=4 cols=32 q=u8[rows,cols]:each(i%7) y=out:f32[rows] ZERO=3 BLOCK=32 grid=rows
# case: expect='y = sum(q - 3.0, 1)'
@triton.jit
def dequantize_kernel(q_ptr, y_ptr, cols, ZERO: tl.constexpr, BLOCK: tl.constexpr):
    row = tl.program_id(0)
    offs = tl.arange(0, BLOCK)
    q = tl.load(q_ptr + row * cols + offs, mask=offs < cols, other=0)
    x = q.to(tl.int32) - ZERO
    tl.store(y_ptr + row, tl.sum(x, axis=0).to(tl.float32))
