# Mean of each segment's rows.
# case: S=6 D=19 x=f32[41,D] off=i32[7]:values(0,5,5,17,18,33,41) y=out:f32[S,D] BD=32 BR=8 grid=S
# case: expect='i = arange(41); w = ((i[None, :] >= off[0:6][:, None]) & (i[None, :] < off[1:7][:, None])) * 1.0; n = sum(w, 1); y = (w @ x) / maximum(n, 1)[:, None]'
@triton.jit
def jagged(x_ptr, off_ptr, y_ptr, D, BR: tl.constexpr, BD: tl.constexpr):
    s = tl.program_id(0)
    lo = tl.load(off_ptr + s)
    hi = tl.load(off_ptr + s + 1)
    d = tl.arange(0, BD)
    acc = tl.zeros((BD,), dtype=tl.float32)
    for r in range(lo, hi, BR):
        rows = r + tl.arange(0, BR)
        m = (rows < hi)[:, None] & (d < D)[None, :]
        acc += tl.sum(tl.load(x_ptr + rows[:, None] * D + d[None, :], mask=m, other=0.0), 0)
    n = tl.maximum(hi - lo, 1)
    tl.store(y_ptr + s * D + d, acc / n, mask=d < D)
