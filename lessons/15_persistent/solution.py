# C = A B by as many programs as run at once, each of which makes every num_programs-th tile.
# c[i, j] = sum over l of a[i, l] b[l, j]
import triton
import triton.language as tl


@triton.jit
def persistent_kernel(a_ptr, b_ptr, c_ptr, m, n, k, stride_am, stride_ak, stride_bk, stride_bn, stride_cm, stride_cn,
                      bm: tl.constexpr, bn: tl.constexpr, bk: tl.constexpr):
    tiles_n = tl.cdiv(n, bn)
    tiles = tl.cdiv(m, bm) * tiles_n
    for tile in tl.range(tl.program_id(0), tiles, tl.num_programs(0)):
        rm = tile // tiles_n * bm + tl.arange(0, bm)
        rn = tile % tiles_n * bn + tl.arange(0, bn)
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
