# A writer changes its data again once all readers are done.
# case: R=4 B=32 x=f32[B] data=inout:f32[B]:zeros y=out:f32[R,B] z=out:f32[B]
# case: flag=inout:i32[1]:zeros done=inout:i32[1]:zeros grid=R+1 expect='y = x; z = x'
@triton.jit
def reader_count(x_ptr, data_ptr, y_ptr, z_ptr, flag_ptr, done_ptr, R, B: tl.constexpr):
    lane = tl.arange(0, B)
    pid = tl.program_id(0)
    if pid == 0:
        tl.store(data_ptr + lane, tl.load(x_ptr + lane))
        tl.debug_barrier()
        tl.atomic_xchg(flag_ptr, 1, sem="release")
        while tl.atomic_add(done_ptr, 0, sem="acquire") < R:
            pass
        tl.store(z_ptr + lane, tl.load(data_ptr + lane))
        tl.debug_barrier()
        tl.store(data_ptr + lane, 7.0)
    else:
        while tl.atomic_add(flag_ptr, 0, sem="acquire") == 0:
            pass
        tl.store(y_ptr + (pid - 1) * B + lane, tl.load(data_ptr + lane))
        tl.debug_barrier()
        tl.atomic_add(done_ptr, 1, sem="release")
