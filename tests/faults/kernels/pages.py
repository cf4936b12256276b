# Quotients and remainders of whole numbers.
# case: n=40 d=i32[n]:each(1+i%5) y=out:i32[n] z=out:i32[n] BLOCK=64 grid=1 expect='y = 100 // d; z = 100 % d'
@triton.jit
def pages_kernel(d_ptr, y_ptr, z_ptr, n, BLOCK: tl.constexpr):
    offs = tl.arange(0, BLOCK)
    mask = offs < n
    d = tl.load(d_ptr + offs, mask=mask, other=1)
    tl.store(y_ptr + offs, 100 // d, mask=mask)
    tl.store(z_ptr + offs, 100 % d, mask=mask)
