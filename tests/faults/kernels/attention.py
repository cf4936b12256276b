# Attention of a few queries, a block of keys at a time.
# case: M=16 N=40 D=16 q=f32[M,D] k=f32[N,D] v=f32[N,D] o=out:f32[M,D] BN=32 grid=1 tolerance=1e-4
# case: expect='s = q @ k.T; e = exp(s - amax(s, 1)[:, None]); o = (e / sum(e, 1)[:, None]) @ v'
@triton.jit
def attention_kernel(q_ptr, k_ptr, v_ptr, o_ptr, N, M: tl.constexpr, D: tl.constexpr, BN: tl.constexpr):
    m = tl.arange(0, M)[:, None]
    d = tl.arange(0, D)
    q = tl.load(q_ptr + m * D + d[None, :])
    top = tl.full((M,), -float('inf'), tl.float32)
    total = tl.zeros((M,), tl.float32)
    acc = tl.zeros((M, D), tl.float32)
    for start in range(0, N, BN):
        n = start + tl.arange(0, BN)
        k = tl.load(k_ptr + n[None, :] * D + d[:, None], mask=n[None, :] < N, other=0.0)
        v = tl.load(v_ptr + n[:, None] * D + d[None, :], mask=n[:, None] < N, other=0.0)
        s = tl.where(n[None, :] < N, tl.dot(q, k, input_precision="ieee"), -float('inf'))
        new = tl.maximum(top, tl.max(s, axis=1))
        p = tl.exp(s - new[:, None])
        scale = tl.exp(top - new)
        total = total * scale + tl.sum(p, axis=1)
        acc = acc * scale[:, None] + tl.dot(p, v, input_precision="ieee")
        top = new
    tl.store(o_ptr + m * D + d[None, :], acc / total[:, None])
