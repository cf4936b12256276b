# Backward of y = x s, s = 1 / (1 + exp(-x)), torch's silu.  dx[i] = dy[i] times the derivative of y at x[i]
import triton
import triton.language as tl


@triton.jit
def silu_backward_kernel(x_ptr, dy_ptr, dx_ptr, n, BLOCK: tl.constexpr):
    offs = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    x = tl.load(x_ptr + offs, mask=offs < n, other=0).to(tl.float32)
    dy = tl.load(dy_ptr + offs, mask=offs < n, other=0).to(tl.float32)
    s = 1 / (1 + tl.exp(-x))
    slope = s * (1 + x * (1 - s))
    tl.store(dx_ptr + offs, (dy * slope).to(dx_ptr.dtype.element_ty), mask=offs < n)
