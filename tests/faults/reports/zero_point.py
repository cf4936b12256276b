# case: n=64 q=u8[n]:each(i*3%200) zero=u8[1]:full(128) y=out:f32[n] grid=1 expect='y = (q - 128) * 0.2'
@triton.jit
def dequantize(q_ptr, zero_ptr, y_ptr, n: tl.constexpr):
    i = tl.arange(0, n)
    tl.store(y_ptr + i, (tl.load(q_ptr + i) - tl.load(zero_ptr)).to(tl.float32) * 0.2)
