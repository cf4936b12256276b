# C = A B as a lecture prints it, a block of bm x bn elements a program.  c[i, j] = sum over l of a[i, l] b[l, j]
import triton
import triton.language as tl


@triton.jit
def matmul_kernel(a_ptr, b_ptr, c_ptr, m, n, k, stride_am, stride_ak, stride_bk, stride_bn, stride_cm, stride_cn,
                  bm: tl.constexpr, bn: tl.constexpr, bk: tl.constexpr):
    rm = tl.program_id(0) * bm + tl.arange(0, bm)  # a program's rows of A and C
    rn = tl.program_id(1) * bn + tl.arange(0, bn)  # its columns of B and C
    rk = tl.arange(0, bk)  # the first step along k
    a_ptrs = a_ptr + rm[:, None] * stride_am + rk[None, :] * stride_ak
    b_ptrs = b_ptr + rk[:, None] * stride_bk + rn[None, :] * stride_bn
    acc = tl.zeros((bm, bn), tl.float32)
    for k_start in tl.range(0, k, bk):
        # The lecture asks here: "don't we need a mask?" Yours: answer it, and say what masked lanes hold.
        a = tl.load(a_ptrs)
        b = tl.load(b_ptrs)
        acc = tl.dot(a, b, acc, input_precision="ieee")
        a_ptrs += bk * stride_ak
        b_ptrs += bk * stride_bk
    c_ptrs = c_ptr + rm[:, None] * stride_cm + rn[None, :] * stride_cn
    tl.store(c_ptrs, acc.to(c_ptr.dtype.element_ty), mask=(rm[:, None] < m) & (rn[None, :] < n))
