# A running sum from the last block to the first, in the order in which programs draw tickets.
# case: n=8 B=32 x=f32[n*B]:each(i//B) y=out:f32[n*B] carry=inout:f32[n+1]:zeros
# case: ready=inout:i32[n+1]:zeros next=inout:i32[1]:zeros grid=n
# case: expect='y = x + B * (n - 1 - x) * (n + x) / 2'
@triton.jit
def reversed_tickets(x_ptr, y_ptr, carry_ptr, ready_ptr, next_ptr, n, B: tl.constexpr):
    t = n - 1 - tl.atomic_add(next_ptr, 1)
    lane = tl.arange(0, B)
    x = tl.load(x_ptr + t * B + lane)
    if t < n - 1:
        while tl.atomic_add(ready_ptr + t + 1, 0, sem="acquire") == 0:
            pass
    before = tl.load(carry_ptr + t + 1)
    tl.store(y_ptr + t * B + lane, x + before)
    tl.store(carry_ptr + t, before + tl.sum(x, 0))
    tl.debug_barrier()
    tl.atomic_xchg(ready_ptr + t, 1, sem="release")
