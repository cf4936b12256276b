import triton
import triton.language as tl


# case: x=f32[8] y=out:f32[8] n=3 BLOCK=8 grid=1 expect='y = x'
@triton.jit
def early_end_kernel(x_ptr, y_ptr, n, BLOCK: tl.constexpr):
    offs = tl.arange(0, BLOCK)
    for i in range(n):
        if i > 9:
            break
    tl.store(y_ptr + offs, tl.load(x_ptr + offs))
