# c = a b, the programs of a tile share k and add their parts.
# case: M=32 N=32 K=80 BM=16 BN=16 BK=16 S=2 a=f32[M,K] b=f32[K,N] c=inout:f32[M,N]:zeros grid=M/BM,N/BN,S
# case: expect='c = a @ b'
@triton.jit
def split_k_kernel(a_ptr, b_ptr, c_ptr, M, N, K, BM: tl.constexpr, BN: tl.constexpr, BK: tl.constexpr, S: tl.constexpr):
    rm = tl.program_id(0) * BM + tl.arange(0, BM)
    rn = tl.program_id(1) * BN + tl.arange(0, BN)
    part = tl.program_id(2)
    acc = tl.zeros((BM, BN), dtype=tl.float32)
    for k in range(part * BK, K, BK * S):
        rk = k + tl.arange(0, BK)
        a = tl.load(a_ptr + rm[:, None] * K + rk[None, :], mask=rk[None, :] < K, other=0.0)
        b = tl.load(b_ptr + rk[:, None] * N + rn[None, :], mask=rk[:, None] < K, other=0.0)
        acc = tl.dot(a, b, acc, input_precision='ieee')
    tl.atomic_add(c_ptr + rm[:, None] * N + rn[None, :], acc)
