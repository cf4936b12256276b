# In Triton one says how many blocks should be here or under way, and the compiler makes fill, loop and drain.
import torch
import triton
import triton.language as tl


@triton.jit
def pipelined_kernel(a_ptr, b_ptr, c_ptr, m, n, k, stride_am, stride_ak, stride_bk, stride_bn, stride_cm, stride_cn,
                     bm: tl.constexpr, bn: tl.constexpr, bk: tl.constexpr):
    rm = tl.program_id(0) * bm + tl.arange(0, bm)
    rn = tl.program_id(1) * bn + tl.arange(0, bn)
    rk = tl.arange(0, bk)
    a_ptrs = a_ptr + rm[:, None] * stride_am + rk[None, :] * stride_ak
    b_ptrs = b_ptr + rk[:, None] * stride_bk + rn[None, :] * stride_bn
    acc = tl.zeros((bm, bn), dtype=tl.float32)
    for k_start in tl.range(0, k, bk, num_stages=2):
        a = tl.load(a_ptrs, mask=(rm[:, None] < m) & (rk[None, :] < k - k_start), other=0)
        b = tl.load(b_ptrs, mask=(rk[:, None] < k - k_start) & (rn[None, :] < n), other=0)
        acc = tl.dot(a, b, acc, input_precision="ieee")
        a_ptrs += bk * stride_ak
        b_ptrs += bk * stride_bk
    c_ptrs = c_ptr + rm[:, None] * stride_cm + rn[None, :] * stride_cn
    tl.store(c_ptrs, acc.to(c_ptr.dtype.element_ty), mask=(rm[:, None] < m) & (rn[None, :] < n))


def matmul(a, b, block=32):
    (m, k), n = a.shape, b.shape[1]
    c = torch.empty((m, n), device=a.device, dtype=a.dtype)
    grid = (triton.cdiv(m, block), triton.cdiv(n, block))
    pipelined_kernel[grid](a, b, c, m, n, k, *a.stride(), *b.stride(), *c.stride(), bm=block, bn=block, bk=block)
    return c
