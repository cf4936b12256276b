# The last program adds the parts of all: it polls relaxed, and acquires once.
# case: n=4 B=32 x=f32[n*B] parts=inout:f32[n*B]:zeros y=out:f32[B] flag=inout:i32[n]:zeros grid=n
# case: expect='y = sum(reshape(x, n, B), 0)'
@triton.jit
def relaxed_poll(x_ptr, parts_ptr, y_ptr, flag_ptr, n, B: tl.constexpr):
    pid = tl.program_id(0)
    lane = tl.arange(0, B)
    tl.store(parts_ptr + pid * B + lane, tl.load(x_ptr + pid * B + lane))
    tl.debug_barrier()
    tl.atomic_xchg(flag_ptr + pid, 1, sem="release")
    if pid == n - 1:
        s = tl.zeros((B,), tl.float32)
        for i in range(n):
            while tl.atomic_add(flag_ptr + i, 0, sem="relaxed") == 0:
                pass
            tl.atomic_add(flag_ptr + i, 0, sem="acquire")
            s += tl.load(parts_ptr + i * B + lane)
        tl.store(y_ptr + lane, s)
