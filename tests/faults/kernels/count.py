# How often each of a few numbers occurs.
# case: n=200 x=i32[n]:each(7*i%8) out=inout:f32[8]:zeros BLOCK=64 grid=cdiv(n,BLOCK) expect='out = 25'
@triton.jit
def count_kernel(x_ptr, out_ptr, n, BLOCK: tl.constexpr):
    offs = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    mask = offs < n
    x = tl.load(x_ptr + offs, mask=mask, other=0)
    ones = tl.full((BLOCK,), 1.0, tl.float32)
    tl.atomic_add(out_ptr + x, ones, mask=mask)
