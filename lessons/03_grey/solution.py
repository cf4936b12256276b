# Turns a picture of three planes grey.  out[i, j] = 0.2989 r[i, j] + 0.5870 g[i, j] + 0.1140 b[i, j]
import triton
import triton.language as tl


@triton.jit
def grey_block(x_ptr, out_ptr, plane, offs, mask):
    # One block of the picture: three loads, a weighted sum, one store. The planes of x follow each other, `plane`
    # elements apart.
    r = tl.load(x_ptr + 0 * plane + offs, mask=mask)
    g = tl.load(x_ptr + 1 * plane + offs, mask=mask)
    b = tl.load(x_ptr + 2 * plane + offs, mask=mask)
    out = 0.2989 * r + 0.5870 * g + 0.1140 * b
    tl.store(out_ptr + offs, out.to(tl.uint8), mask=mask)


# h rows of w pixels; a row begins `stride` elements after the one above it, in x and in out.
@triton.jit
def grey_kernel(x_ptr, out_ptr, h, w, stride, bs0: tl.constexpr, bs1: tl.constexpr):
    offs_0 = tl.program_id(0) * bs0 + tl.arange(0, bs0)  # the block's rows
    offs_1 = tl.program_id(1) * bs1 + tl.arange(0, bs1)  # the block's columns
    # Yours: offs and mask, both bs0 x bs1, and a call: grey_block(x_ptr, out_ptr, h * stride, offs, mask)
    offs = offs_0[:, None] * stride + offs_1[None, :]
    mask = (offs_0[:, None] < h) & (offs_1[None, :] < w)
    grey_block(x_ptr, out_ptr, h * stride, offs, mask)
