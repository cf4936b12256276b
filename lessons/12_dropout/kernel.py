# Dropout from a seed, its mask never stored.  y[i] = rand(seed, i) > p ? x[i] / (1 - p) : 0
import triton
import triton.language as tl


@triton.jit
def dropout_kernel(x_ptr, y_ptr, n, seed, p, BLOCK: tl.constexpr):
    offs = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    mask = offs < n
    x = tl.load(x_ptr + offs, mask=mask)
    # Yours: a random number an element, the same however the vector is cut; what is kept makes up for what is dropped.
