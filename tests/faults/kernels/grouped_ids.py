# c = a b; programs take tiles of c in groups of rows.
# case: M=48 N=32 K=32 BM=16 BN=16 BK=16 G=2 a=f16[M,K] b=f16[K,N] c=out:f16[M,N] grid=M/BM*(N/BN) expect='c = a @ b'
@triton.jit
def grouped_ids_kernel(a_ptr, b_ptr, c_ptr, M, N, K, BM: tl.constexpr, BN: tl.constexpr, BK: tl.constexpr,
                       G: tl.constexpr):
    pid = tl.program_id(0)
    tiles_m = tl.cdiv(M, BM)
    tiles_n = tl.cdiv(N, BN)
    group = pid // (G * tiles_n)
    first = group * G
    size = min(tiles_m - first, G)
    pid_m = first + (pid % (G * tiles_n)) % size
    pid_n = (pid % (G * tiles_n)) // size
    rm = pid_m * BM + tl.arange(0, BM)
    rn = pid_n * BN + tl.arange(0, BN)
    rk = tl.arange(0, BK)
    a = a_ptr + rm[:, None] * K + rk[None, :]
    b = b_ptr + rk[:, None] * N + rn[None, :]
    acc = tl.zeros((BM, BN), dtype=tl.float32)
    for k in range(0, K, BK):
        acc += tl.dot(tl.load(a), tl.load(b))
        a += BK
        b += BK * N
    tl.store(c_ptr + rm[:, None] * N + rn[None, :], acc.to(tl.float16))
