# Ten more than x, a block of BLOCK elements a program.  z[i] = x[i] + 10
# case: x=f32[n] z=out:f32[n] n=10 BLOCK=4 grid=cdiv(n, BLOCK) expect='z = x + 10'
import triton
import triton.language as tl


@triton.jit
def plus_ten_kernel(x_ptr, z_ptr, n, BLOCK: tl.constexpr):
    # Yours.
    offs = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    mask = offs < n
    x = tl.load(x_ptr + offs, mask=mask)
    tl.store(z_ptr + offs, x + 10, mask=mask)
