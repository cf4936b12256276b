# A stencil in two buffers: all programs meet after each turn.
# case: n=4 B=16 T=3 a=inout:f32[n*B+2] b=inout:f32[n*B+2]:zeros count=inout:i32[1]:zeros grid=n
@triton.jit
def jacobi(a_ptr, b_ptr, count_ptr, n, T, B: tl.constexpr):
    pid = tl.program_id(0)
    at = pid * B + 1 + tl.arange(0, B)
    for t in range(T):
        v = (tl.load(a_ptr + at - 1) + tl.load(a_ptr + at + 1)) / 2
        tl.store(b_ptr + at, v)
        tl.debug_barrier()
        tl.atomic_add(count_ptr, 1, sem="acq_rel")
        while tl.atomic_add(count_ptr, 0, sem="acquire") < n * (2 * t + 1):
            pass
        w = (tl.load(b_ptr + at - 1) + tl.load(b_ptr + at + 1)) / 2
        tl.store(a_ptr + at, w)
        tl.debug_barrier()
        tl.atomic_add(count_ptr, 1, sem="acq_rel")
        while tl.atomic_add(count_ptr, 0, sem="acquire") < n * (2 * t + 2):
            pass
