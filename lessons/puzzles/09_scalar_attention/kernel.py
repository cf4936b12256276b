# Attention of numbers, BM queries a program.  z[i] = sum over j of softmax over j of (q[i] k[j]) v[j]
# case: q=f32[n]:normal k=f32[n]:normal v=f32[n]:normal z=out:f32[n] n=21 BM=4 BN=8 grid=cdiv(n, BM)
# case: expect='z = sum(exp(q[:, None] * k[None, :]) * v[None, :], 1) / sum(exp(q[:, None] * k[None, :]), 1)'
import triton
import triton.language as tl


@triton.jit
def scalar_attention_kernel(q_ptr, k_ptr, v_ptr, z_ptr, n, BM: tl.constexpr, BN: tl.constexpr):
    # Yours: one loop over the keys.
    pass
