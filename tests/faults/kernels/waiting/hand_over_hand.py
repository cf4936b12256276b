# Programs walk a list of rows one behind the other: each holds the lock of a row until it has the next.
# case: n=6 B=16 K=5 x=inout:f32[n*B]:zeros lock=inout:i32[n+1]:zeros grid=K expect='x = 5'
@triton.jit
def hand_over_hand(x_ptr, lock_ptr, n, B: tl.constexpr):
    lane = tl.arange(0, B)
    while tl.atomic_cas(lock_ptr, 0, 1, sem="acquire") != 0:
        pass
    for i in range(n):
        p = x_ptr + i * B + lane
        tl.store(p, tl.load(p) + 1)
        while tl.atomic_cas(lock_ptr + i + 1, 0, 1, sem="acquire") != 0:
            pass
        tl.debug_barrier()
        tl.atomic_xchg(lock_ptr + i, 0, sem="release")
    tl.atomic_xchg(lock_ptr + n, 0, sem="release")
