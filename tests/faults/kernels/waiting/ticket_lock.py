# Programs add to one row, in the order in which they draw tickets.
# case: n=6 B=32 x=inout:f32[B]:zeros next=inout:i32[1]:zeros serving=inout:i32[1]:zeros grid=n
# case: expect='x = 6'
@triton.jit
def ticket_lock(x_ptr, next_ptr, serving_ptr, B: tl.constexpr):
    mine = tl.atomic_add(next_ptr, 1, sem="relaxed")
    while tl.atomic_add(serving_ptr, 0, sem="acquire") != mine:
        pass
    p = x_ptr + tl.arange(0, B)
    tl.store(p, tl.load(p) + 1)
    tl.debug_barrier()
    tl.atomic_add(serving_ptr, 1, sem="release")
