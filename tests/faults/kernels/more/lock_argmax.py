# The largest of all and where it is, a pair under a lock.
# case: n=333 BLOCK=64 x=f32[n] best=inout:f32[1]:full(-100) where=inout:i32[1]:zeros lock=inout:i32[1]:zeros grid=cdiv(n,BLOCK)
# case: expect='best = amax(x); where = argmax(x, 0)'
@triton.jit
def lock_argmax(x_ptr, best_ptr, where_ptr, lock_ptr, n, BLOCK: tl.constexpr):
    pid = tl.program_id(0)
    offs = pid * BLOCK + tl.arange(0, BLOCK)
    x = tl.load(x_ptr + offs, mask=offs < n, other=-float("inf"))
    v = tl.max(x, 0)
    at = pid * BLOCK + tl.argmax(x, 0)
    while tl.atomic_cas(lock_ptr, 0, 1, sem="acquire") == 1:
        pass
    if v > tl.load(best_ptr):
        tl.store(best_ptr, v)
        tl.store(where_ptr, at)
    tl.debug_barrier()
    tl.atomic_xchg(lock_ptr, 0, sem="release")
