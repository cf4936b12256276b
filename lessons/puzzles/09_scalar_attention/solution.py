# Attention of numbers, BM queries a program.  z[i] = sum over j of softmax over j of (q[i] k[j]) v[j]
# case: q=f32[n]:normal k=f32[n]:normal v=f32[n]:normal z=out:f32[n] n=21 BM=4 BN=8 grid=cdiv(n, BM)
# case: expect='z = sum(exp(q[:, None] * k[None, :]) * v[None, :], 1) / sum(exp(q[:, None] * k[None, :]), 1)'
import triton
import triton.language as tl


@triton.jit
def scalar_attention_kernel(q_ptr, k_ptr, v_ptr, z_ptr, n, BM: tl.constexpr, BN: tl.constexpr):
    # Yours: one loop over the keys.
    i = tl.program_id(0) * BM + tl.arange(0, BM)
    q = tl.load(q_ptr + i, mask=i < n)
    largest = tl.full((BM,), -float("inf"), tl.float32)
    sum = tl.zeros((BM,), tl.float32)
    acc = tl.zeros((BM,), tl.float32)
    for start in tl.range(0, n, BN):
        j = start + tl.arange(0, BN)
        k = tl.load(k_ptr + j, mask=j < n)
        v = tl.load(v_ptr + j, mask=j < n, other=0)
        s = tl.where((j < n)[None, :], q[:, None] * k[None, :], -float("inf"))
        next = tl.maximum(largest, tl.max(s, 1))
        p = tl.exp(s - next[:, None])
        scale = tl.exp(largest - next)
        sum = sum * scale + tl.sum(p, 1)
        acc = acc * scale + tl.sum(p * v[None, :], 1)
        largest = next
    tl.store(z_ptr + i, acc / sum, mask=i < n)
