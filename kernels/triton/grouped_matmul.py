@triton.jit
def grouped_matmul_kernel(a_ptr, b_ptr, c_ptr, m, n, k,
                  stride_am, stride_ak, stride_bk, stride_bn, stride_cm, stride_cn,
                  BM: tl.constexpr, BN: tl.constexpr, BK: tl.constexpr, GROUP_SIZE: tl.constexpr):
    pid = tl.program_id(axis=0)
    num_pid_m = tl.cdiv(m, BM)
    num_pid_n = tl.cdiv(n, BN)
    pid_m, pid_n = tl.swizzle2d(pid // num_pid_n, pid % num_pid_n, num_pid_m, num_pid_n, GROUP_SIZE)
    offs_m = pid_m * BM + tl.arange(0, BM)
    offs_n = pid_n * BN + tl.arange(0, BN)
    offs_k = tl.arange(0, BK)
    a_ptrs = a_ptr + offs_m[:, None] * stride_am + offs_k[None, :] * stride_ak
    b_ptrs = b_ptr + offs_k[:, None] * stride_bk + offs_n[None, :] * stride_bn
    a_mask = offs_m[:, None] < m
    b_mask = offs_n[None, :] < n
    acc = tl.zeros((BM, BN), dtype=tl.float32)
    for k_start in range(0, k, BK):
        a = tl.load(a_ptrs, mask=a_mask & (offs_k[None, :] < k - k_start), other=0.0)
        b = tl.load(b_ptrs, mask=b_mask & (offs_k[:, None] < k - k_start), other=0.0)
        acc = tl.dot(a, b, acc)
        a_ptrs += BK * stride_ak
        b_ptrs += BK * stride_bk
    c_ptrs = c_ptr + offs_m[:, None] * stride_cm + offs_n[None, :] * stride_cn
    tl.store(c_ptrs, acc.to(c_ptr.dtype.element_ty), mask=a_mask & b_mask)
