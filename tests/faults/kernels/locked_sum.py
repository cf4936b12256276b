# A sum of tiles under a lock: the program that holds it adds its own.
# case: n=512 BLOCK=64 x=f32[n] lock=inout:i32[1]:zeros y=inout:f32[BLOCK]:zeros grid=n/BLOCK
# case: expect='y = sum(reshape(x, (8, 64)), 0)'
@triton.jit
def locked_sum(x_ptr, lock_ptr, y_ptr, n, BLOCK: tl.constexpr):
    offs = tl.arange(0, BLOCK)
    x = tl.load(x_ptr + tl.program_id(0) * BLOCK + offs)
    while tl.atomic_cas(lock_ptr, 0, 1) == 1:
        pass
    tl.store(y_ptr + offs, tl.load(y_ptr + offs) + x)
    tl.debug_barrier()
    tl.atomic_xchg(lock_ptr, 0)
