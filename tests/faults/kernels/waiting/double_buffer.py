# One program hands another its blocks through two slots, each with a count of its turns.
# case: n=8 B=32 x=f32[n*B] y=out:f32[n*B] slots=inout:f32[2*B]:zeros full=inout:i32[2]:zeros grid=2
# case: expect='y = 3 * x'
@triton.jit
def double_buffer(x_ptr, y_ptr, slots_ptr, full_ptr, n, B: tl.constexpr):
    lane = tl.arange(0, B)
    for i in range(n):
        s = i % 2
        turn = i // 2
        if tl.program_id(0) == 0:
            while tl.atomic_add(full_ptr + s, 0, sem="acquire") != 2 * turn:
                pass
            tl.store(slots_ptr + s * B + lane, 3 * tl.load(x_ptr + i * B + lane))
            tl.debug_barrier()
            tl.atomic_add(full_ptr + s, 1, sem="release")
        else:
            while tl.atomic_add(full_ptr + s, 0, sem="acquire") != 2 * turn + 1:
                pass
            v = tl.load(slots_ptr + s * B + lane)
            tl.debug_barrier()
            tl.atomic_add(full_ptr + s, 1, sem="release")
            tl.store(y_ptr + i * B + lane, v)
