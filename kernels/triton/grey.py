@triton.jit
def grey_kernel(x_ptr, out_ptr, h, w, bs0: tl.constexpr, bs1: tl.constexpr):
    pid_0 = tl.program_id(0)
    pid_1 = tl.program_id(1)
    offs_0 = pid_0 * bs0 + tl.arange(0, bs0)
    offs_1 = pid_1 * bs1 + tl.arange(0, bs1)
    offs = w * offs_0[:, None] + offs_1[None, :]
    mask_0 = offs_0 < h
    mask_1 = offs_1 < w
    mask = mask_0[:, None] & mask_1[None, :]
    r = tl.load(x_ptr + 0 * h * w + offs, mask=mask)
    g = tl.load(x_ptr + 1 * h * w + offs, mask=mask)
    b = tl.load(x_ptr + 2 * h * w + offs, mask=mask)
    out = 0.2989 * r + 0.5870 * g + 0.1140 * b
    tl.store(out_ptr + offs, out, mask=mask)
