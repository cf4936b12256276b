# Keeps the positive elements, in their order: counts, then places (two kernels' work in one by a ticket chain).
# case: n=150 BLOCK=32 x=i32[n]:each((i * 37) % 19 - 9) y=inout:i32[n]:zeros base=inout:i32[6]:zeros flag=inout:i32[6]:values(1,0,0,0,0,0) grid=cdiv(n,BLOCK)
# case: expect='p = (x > 0) * 1; c = cumsum(p, 0) - 1; j = arange(150); y = sum((x > 0)[None, :] * (c[None, :] == j[:, None]) * x[None, :], 1)'
@triton.jit
def compact(x_ptr, y_ptr, base_ptr, flag_ptr, n, BLOCK: tl.constexpr):
    pid = tl.program_id(0)
    offs = pid * BLOCK + tl.arange(0, BLOCK)
    x = tl.load(x_ptr + offs, mask=offs < n, other=0)
    keep = x > 0
    pos = tl.cumsum(keep.to(tl.int32), 0)
    total = tl.sum(keep.to(tl.int32), 0)
    while tl.atomic_add(flag_ptr + pid, 0, sem="acquire") == 0:
        pass
    before = tl.load(base_ptr + pid)
    if pid < tl.num_programs(0) - 1:
        tl.store(base_ptr + pid + 1, before + total)
        tl.debug_barrier()
        tl.atomic_xchg(flag_ptr + pid + 1, 1, sem="release")
    tl.store(y_ptr + before + pos - 1, x, mask=keep)
