# silu(a) * b, in f16.
# case: n=200 a=f16[n] b=f16[n] y=out:f16[n] BLOCK=64 grid=cdiv(n,BLOCK) expect='y = a / (1 + exp(-a)) * b'
@triton.jit
def swiglu_kernel(a_ptr, b_ptr, y_ptr, n, BLOCK: tl.constexpr):
    offs = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    mask = offs < n
    a = tl.load(a_ptr + offs, mask=mask).to(tl.float32)
    b = tl.load(b_ptr + offs, mask=mask).to(tl.float32)
    silu = a * tl.sigmoid(a)
    tl.store(y_ptr + offs, (silu * b).to(tl.float16), mask=mask)
