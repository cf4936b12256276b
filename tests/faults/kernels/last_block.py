# Sums of columns: each program leaves its part, and the last to count itself adds them.
# case: rows=70 cols=30 BR=16 BC=32 parts=cdiv(rows,BR) x=f32[rows,cols] part=inout:f32[parts,BC]:zeros
# case: count=inout:i32[1]:zeros y=out:f32[cols] PARTS=parts grid=parts expect='y = sum(x, 0)'
@triton.jit
def last_block_kernel(x_ptr, part_ptr, count_ptr, y_ptr, rows, cols, BR: tl.constexpr, BC: tl.constexpr,
                      PARTS: tl.constexpr):
    pid = tl.program_id(0)
    r = pid * BR + tl.arange(0, BR)
    c = tl.arange(0, BC)
    x = tl.load(x_ptr + r[:, None] * cols + c[None, :], mask=(r < rows)[:, None] & (c < cols)[None, :], other=0.0)
    tl.store(part_ptr + pid * BC + c, tl.sum(x, axis=0))
    tl.debug_barrier()
    before = tl.atomic_add(count_ptr, 1, sem="acq_rel")
    if before == PARTS - 1:
        tl.debug_barrier()
        total = tl.zeros((BC,), dtype=tl.float32)
        for i in range(0, PARTS):
            total += tl.load(part_ptr + i * BC + c)
        tl.store(y_ptr + c, total, mask=c < cols)
