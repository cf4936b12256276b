# Attention where a row sees the columns up to its own.
# case: N=32 D=16 BN=16 q=f32[N,D] k=f32[N,D] v=f32[N,D] o=out:f32[N,D] grid=N/BN
# case: expect='s = where(arange(32)[None, :] <= arange(32)[:, None], q @ k.T / 4, -inf); e = exp(s - amax(s, 1)[:, None]); o = e @ v / sum(e, 1)[:, None]'
@triton.jit
def causal_attention_kernel(q_ptr, k_ptr, v_ptr, o_ptr, N, D: tl.constexpr, BN: tl.constexpr):
    m = tl.program_id(0) * BN + tl.arange(0, BN)
    d = tl.arange(0, D)
    q = tl.load(q_ptr + m[:, None] * D + d[None, :])
    top = tl.full((BN,), -float('inf'), dtype=tl.float32)
    total = tl.zeros((BN,), dtype=tl.float32)
    acc = tl.zeros((BN, D), dtype=tl.float32)
    for start in range(0, N, BN):
        n = start + tl.arange(0, BN)
        k = tl.load(k_ptr + n[:, None] * D + d[None, :])
        v = tl.load(v_ptr + n[:, None] * D + d[None, :])
        s = tl.dot(q, tl.trans(k), input_precision='ieee') * 0.25
        s = tl.where(n[None, :] <= m[:, None], s, -float('inf'))
        higher = tl.maximum(top, tl.max(s, axis=1))
        scale = tl.exp(top - higher)
        p = tl.exp(s - higher[:, None])
        total = total * scale + tl.sum(p, axis=1)
        acc = acc * scale[:, None] + tl.dot(p, v, input_precision='ieee')
        top = higher
    tl.store(o_ptr + m[:, None] * D + d[None, :], acc / total[:, None])
