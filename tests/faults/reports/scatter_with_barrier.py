# case: n=64 idx=i32[n]:each(i%8) v=f32[n]:full(1) out=inout:f32[8]:zeros grid=1 expect='out = 8'
@triton.jit
def scatter(idx_ptr, v_ptr, out_ptr, n: tl.constexpr):
    i = tl.arange(0, n)
    idx = tl.load(idx_ptr + i)
    old = tl.load(out_ptr + idx)
    tl.debug_barrier()
    tl.store(out_ptr + idx, old + tl.load(v_ptr + i))
