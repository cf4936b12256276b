# case: x=i64[6]:values(1, 2, 3, 4, 5, 6) z=out:i64[6] n=6 bs=2 grid=3 expect='z = x'
import triton
import triton.language as tl


@triton.jit
def copy_kernel(x_ptr, z_ptr, n, bs: tl.constexpr):
    pid = tl.program_id(0)
    offs = tl.arange(0, bs)
    mask = offs < n
    x = tl.load(x_ptr + offs, mask=mask)
    tl.store(z_ptr + offs, x, mask=mask)
