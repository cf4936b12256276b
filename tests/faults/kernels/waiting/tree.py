# A sum by a tree: of two programs the second to come adds both parts.
# case: n=8 B=32 x=f32[n*B] parts=inout:f32[n*B]:zeros y=out:f32[B] count=inout:i32[n]:zeros grid=n
# case: expect='y = sum(reshape(x, n, B), 0)'
@triton.jit
def tree(x_ptr, parts_ptr, y_ptr, count_ptr, n, B: tl.constexpr):
    pid = tl.program_id(0)
    lane = tl.arange(0, B)
    s = tl.load(x_ptr + pid * B + lane)
    width = 1
    at = pid
    goes = n > 1
    while goes:
        tl.store(parts_ptr + at * B + lane, s)
        tl.debug_barrier()
        left = at // (2 * width) * (2 * width)
        second = tl.atomic_add(count_ptr + left + width, 1, sem="acq_rel")
        goes = False
        if second == 1:
            s = tl.load(parts_ptr + left * B + lane) + tl.load(parts_ptr + (left + width) * B + lane)
            tl.debug_barrier()
            at = left
            width = width * 2
            goes = width < n
            if width == n:
                tl.store(y_ptr + lane, s)
