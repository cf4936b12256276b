# Pictures under a window of weights, BH x BW a program.  z[b, i, j] = sum over p, q of k[p, q] x[b, i + p, j + q]
# case: x=f32[batch, h, w] k=f32[kh, kw] z=out:f32[batch, h, w] batch=2 h=7 w=10 kh=3 kw=2 BH=4 BW=8
# case: grid=(cdiv(h, BH), cdiv(w, BW), batch)
import triton
import triton.language as tl


@triton.jit
def convolution_kernel(x_ptr, k_ptr, z_ptr, h, w, kh, kw, BH: tl.constexpr, BW: tl.constexpr):
    # Yours: a loop over the weights, and for each a block of x.
    i = tl.program_id(0) * BH + tl.arange(0, BH)
    j = tl.program_id(1) * BW + tl.arange(0, BW)
    picture = tl.program_id(2) * h * w
    acc = tl.zeros((BH, BW), tl.float32)
    for p in tl.range(0, kh):
        for q in tl.range(0, kw):
            inside = (i + p < h)[:, None] & (j + q < w)[None, :]
            x = tl.load(x_ptr + picture + (i + p)[:, None] * w + (j + q)[None, :], mask=inside, other=0)
            acc += x * tl.load(k_ptr + p * kw + q)
    tl.store(z_ptr + picture + i[:, None] * w + j[None, :], acc, mask=(i < h)[:, None] & (j < w)[None, :])
