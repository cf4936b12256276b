# Interleaved pairs turned by an angle that the kernel computes.
# case: T=37 H=3 D=14 x=f32[T,H,D] freq=f32[7]:uniform(0.01,1) y=out:f32[T,H,D] HALF=8 grid=(T,H)
# case: expect='a = arange(37)[:, None, None] * freq[None, None, :]; p = x[:, :, 0::2]; q = x[:, :, 1::2]; y = reshape(stack([p * cos(a) - q * sin(a), p * sin(a) + q * cos(a)], 3), [37, 3, 14])' tolerance=1e-4
@triton.jit
def rope(x_ptr, freq_ptr, y_ptr, T, H, D, HALF: tl.constexpr):
    t = tl.program_id(0)
    h = tl.program_id(1)
    i = tl.arange(0, HALF)
    m = i < D // 2
    base = (t * H + h) * D
    a = tl.load(freq_ptr + i, mask=m, other=0.0) * t
    p = tl.load(x_ptr + base + 2 * i, mask=m)
    q = tl.load(x_ptr + base + 2 * i + 1, mask=m)
    c = tl.cos(a)
    s = tl.sin(a)
    tl.store(y_ptr + base + 2 * i, p * c - q * s, mask=m)
    tl.store(y_ptr + base + 2 * i + 1, p * s + q * c, mask=m)
