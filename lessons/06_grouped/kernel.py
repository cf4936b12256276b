# C = A B, programs in groups of rows of blocks, written by hand.  c[i, j] = sum over l of a[i, l] b[l, j]
import triton
import triton.language as tl


@triton.jit
def grouped_matmul_kernel(a_ptr, b_ptr, c_ptr, m, n, k, stride_am, stride_ak, stride_bk, stride_bn, stride_cm,
                          stride_cn, bm: tl.constexpr, bn: tl.constexpr, bk: tl.constexpr, group_size: tl.constexpr):
    pid = tl.program_id(0)
    num_pid_m = tl.cdiv(m, bm)
    num_pid_n = tl.cdiv(n, bn)
    pid_m = pid // num_pid_n  # row by row of blocks
    pid_n = pid % num_pid_n
    # Yours: pid_m and pid_n in groups of group_size rows of blocks, without tl.swizzle2d. The last group may have
    # fewer rows.

    rm = pid_m * bm + tl.arange(0, bm)
    rn = pid_n * bn + tl.arange(0, bn)
    rk = tl.arange(0, bk)
    a_ptrs = a_ptr + rm[:, None] * stride_am + rk[None, :] * stride_ak
    b_ptrs = b_ptr + rk[:, None] * stride_bk + rn[None, :] * stride_bn
    acc = tl.zeros((bm, bn), tl.float32)
    for k_start in tl.range(0, k, bk):
        a = tl.load(a_ptrs, mask=(rm[:, None] < m) & (rk[None, :] < k - k_start), other=0)
        b = tl.load(b_ptrs, mask=(rk[:, None] < k - k_start) & (rn[None, :] < n), other=0)
        acc = tl.dot(a, b, acc, input_precision="ieee")
        a_ptrs += bk * stride_ak
        b_ptrs += bk * stride_bk
    c_ptrs = c_ptr + rm[:, None] * stride_cm + rn[None, :] * stride_cn
    tl.store(c_ptrs, acc.to(c_ptr.dtype.element_ty), mask=(rm[:, None] < m) & (rn[None, :] < n))
