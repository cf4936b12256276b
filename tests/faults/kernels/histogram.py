# How often each bin occurs, by atomics.
# case: n=300 bins=8 x='i32[n]:each(i * i * 5 % bins)' h=inout:i32[bins]:zeros BLOCK=64 grid=cdiv(n,BLOCK)
# case: expect='h = sum(x[:, None] == arange(8)[None, :], 0)'
@triton.jit
def histogram_kernel(x_ptr, h_ptr, n, BLOCK: tl.constexpr):
    offs = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    mask = offs < n
    x = tl.load(x_ptr + offs, mask=mask, other=0)
    tl.atomic_add(h_ptr + x, 1, mask=mask)
