# case: a=f16[m, k] b=f16[k, n] c=out:f16[m, n] m=32 n=32 k=32 stride_am=k stride_ak=1 stride_bk=n stride_bn=1 stride_cm=n
# case: stride_cn=1 bm=8 bn=8 bk=8 group_size=2 grid='cdiv(m, bm) * cdiv(n, bn)' expect='c = dot(a, b)'
import triton
import triton.language as tl


@triton.jit
def matmul_kernel(a_ptr, b_ptr, c_ptr, m, n, k,
                  stride_am, stride_ak, stride_bk, stride_bn, stride_cm, stride_cn,
                  bm: tl.constexpr, bn: tl.constexpr, bk: tl.constexpr, group_size: tl.constexpr):
    pid = tl.program_id(axis=0)
    num_pid_m = tl.cdiv(m, bm)
    num_pid_n = tl.cdiv(n, bn)
    pid_m, pid_n = tl.swizzle2d(pid // num_pid_n, pid % num_pid_n, num_pid_m, num_pid_n, group_size)
    offs_m = pid_m * bm + tl.arange(0, bm)
    offs_n = pid_n * bn + tl.arange(0, bn)
    offs_k = tl.arange(0, bk)
    a_ptrs = a_ptr + offs_m[:, None] * stride_am + offs_k[None, :] * stride_ak
    b_ptrs = b_ptr + offs_k[:, None] * stride_bk + offs_n[None, :] * stride_bn
    acc = tl.zeros((bm, bn), dtype=tl.float32)
    for k_start in range(0, k, bk):
        a = tl.load(a_ptrs, mask=(offs_m[:, None] < m) & (offs_k[None, :] < k - k_start), other=0.0)
        b = tl.load(b_ptrs, mask=(offs_k[:, None] < k - k_start) & (offs_n[None, :] < n), other=0.0)
        acc = tl.dot(a, b, acc)
        a_ptrs += bk * stride_ak
        b_ptrs += bk * stride_bk
    c_ptrs = c_ptr + offs_m[:, None] * stride_cm + offs_n[None, :] * stride_cn
    tl.store(c_ptrs, acc.to(tl.float16), mask=(offs_m[:, None] < m) & (offs_n[None, :] < n))
