# Copies a vector, a block of bs elements a program.  z[i] = x[i]
import triton
import triton.language as tl


@triton.jit
def copy_kernel(x_ptr, z_ptr, n, bs: tl.constexpr):
    pid = tl.program_id(0)
    offs = tl.arange(0, bs)  # the positions that this program takes
    mask = offs < n  # which of them lie inside x and z
    x = tl.load(x_ptr + offs, mask=mask)
    tl.store(z_ptr + offs, x, mask=mask)
