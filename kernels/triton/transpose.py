@triton.jit
def transpose_kernel(x_ptr, y_ptr, m, n, BM: tl.constexpr, BN: tl.constexpr):
    offs_m = tl.program_id(0) * BM + tl.arange(0, BM)
    offs_n = tl.program_id(1) * BN + tl.arange(0, BN)
    x = tl.load(x_ptr + offs_m[:, None] * n + offs_n[None, :], mask=(offs_m[:, None] < m) & (offs_n[None, :] < n))
    tl.store(y_ptr + offs_n[:, None] * m + offs_m[None, :], tl.trans(x), mask=(offs_n[:, None] < n) & (offs_m[None, :] < m))
