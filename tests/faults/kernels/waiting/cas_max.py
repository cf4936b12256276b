# The largest of all, and where: under a lock by compare and swap.
# case: n=8 B=32 x=f32[n*B]:each(i*37%256) best=inout:f32[1]:zeros where=inout:i32[B]:zeros
# case: lock=inout:i32[1]:zeros grid=n expect='best = max(x)'
@triton.jit
def cas_max(x_ptr, best_ptr, where_ptr, lock_ptr, B: tl.constexpr):
    pid = tl.program_id(0)
    lane = tl.arange(0, B)
    x = tl.load(x_ptr + pid * B + lane)
    m = tl.max(x, 0)
    while tl.atomic_cas(lock_ptr, 0, 1) == 1:
        pass
    old = tl.load(best_ptr)
    if m > old:
        tl.debug_barrier()
        tl.store(best_ptr, m)
        tl.store(where_ptr + lane, pid * B + lane)
    tl.debug_barrier()
    tl.atomic_xchg(lock_ptr, 0)
