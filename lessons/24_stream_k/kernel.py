# C = A B by as many programs as there are SMs, whatever the number of tiles.  c begins at 0, a, b and c are row-major
import triton
import triton.language as tl


@triton.jit
def stream_k_kernel(a_ptr, b_ptr, c_ptr, m, n, k, BM: tl.constexpr, BN: tl.constexpr, BK: tl.constexpr):
    wide = tl.cdiv(n, BN)
    steps = tl.cdiv(k, BK)
    tiles = tl.cdiv(m, BM) * wide
    # Yours: a unit is one step of one tile; each program takes as many units as the others, wherever tiles end.
    for tile in tl.range(tl.program_id(0), tiles, tl.num_programs(0)):
        rows = tile // wide * BM + tl.arange(0, BM)
        cols = tile % wide * BN + tl.arange(0, BN)
        in_rows = rows[:, None] < m
        in_cols = cols[None, :] < n
        acc = tl.zeros((BM, BN), tl.float32)
        for step in tl.range(0, steps):
            ks = step * BK + tl.arange(0, BK)
            a = tl.load(a_ptr + rows[:, None] * k + ks[None, :], mask=in_rows & (ks[None, :] < k), other=0)
            b = tl.load(b_ptr + ks[:, None] * n + cols[None, :], mask=(ks[:, None] < k) & in_cols, other=0)
            acc = tl.dot(a, b, acc)
        tl.store(c_ptr + rows[:, None] * n + cols[None, :], acc, mask=in_rows & in_cols)
