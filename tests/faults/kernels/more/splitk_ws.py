# c = a b in parts of k; the last program of a tile adds the parts.
# case: M=33 N=21 K=70 S=3 BM=16 BN=16 BK=16 a=f16[M,K] b=f16[K,N] ws=out:f32[S,M,N] count=inout:i32[3,2]:zeros c=out:f32[M,N] grid=(cdiv(M,BM),cdiv(N,BN),S)
# case: expect='c = a @ b' tolerance=1e-3
@triton.jit
def splitk_ws(a_ptr, b_ptr, ws_ptr, count_ptr, c_ptr, M, N, K, S: tl.constexpr, BM: tl.constexpr, BN: tl.constexpr, BK: tl.constexpr):
    i = tl.program_id(0)
    j = tl.program_id(1)
    s = tl.program_id(2)
    rm = i * BM + tl.arange(0, BM)
    rn = j * BN + tl.arange(0, BN)
    mm = rm[:, None] < M
    mn = rn[None, :] < N
    acc = tl.zeros((BM, BN), dtype=tl.float32)
    for k in range(s * BK, K, S * BK):
        rk = k + tl.arange(0, BK)
        a = tl.load(a_ptr + rm[:, None] * K + rk[None, :], mask=mm & (rk[None, :] < K), other=0.0)
        b = tl.load(b_ptr + rk[:, None] * N + rn[None, :], mask=(rk[:, None] < K) & mn, other=0.0)
        acc = tl.dot(a, b, acc)
    at = rm[:, None] * N + rn[None, :]
    tl.store(ws_ptr + s * M * N + at, acc, mask=mm & mn)
    tl.debug_barrier()
    done = tl.atomic_add(count_ptr + i * tl.num_programs(1) + j, 1, sem="acq_rel")
    if done == S - 1:
        out = tl.zeros((BM, BN), dtype=tl.float32)
        for p in range(S):
            out += tl.load(ws_ptr + p * M * N + at, mask=mm & mn, other=0.0)
        tl.store(c_ptr + at, out, mask=mm & mn)
