# Pictures under a window of weights, BH x BW a program.  z[b, i, j] = sum over p, q of k[p, q] x[b, i + p, j + q]
# case: x=f32[batch, h, w] k=f32[kh, kw] z=out:f32[batch, h, w] batch=2 h=7 w=10 kh=3 kw=2 BH=4 BW=8
# case: grid=(cdiv(h, BH), cdiv(w, BW), batch)
import triton
import triton.language as tl


@triton.jit
def convolution_kernel(x_ptr, k_ptr, z_ptr, h, w, kh, kw, BH: tl.constexpr, BW: tl.constexpr):
    # Yours: a loop over the weights, and for each a block of x.
    pass
