# The same kernel in Triton.
import torch
import triton
import triton.language as tl


@triton.jit
def block_pointers_kernel(a_ptr, b_ptr, c_ptr, m, n, k, stride_am, stride_ak, stride_bk, stride_bn, stride_cm, stride_cn,
                          bm: tl.constexpr, bn: tl.constexpr, bk: tl.constexpr):
    row = tl.program_id(0) * bm
    col = tl.program_id(1) * bn
    a_block = tl.make_block_ptr(a_ptr, (m, k), (stride_am, stride_ak), (row, 0), (bm, bk), (1, 0))
    b_block = tl.make_block_ptr(b_ptr, (k, n), (stride_bk, stride_bn), (0, col), (bk, bn), (1, 0))
    c_block = tl.make_block_ptr(c_ptr, (m, n), (stride_cm, stride_cn), (row, col), (bm, bn), (1, 0))
    acc = tl.zeros((bm, bn), tl.float32)
    for start in range(0, k, bk):
        a = tl.load(a_block, boundary_check=(0, 1), padding_option="zero")
        b = tl.load(b_block, boundary_check=(0, 1), padding_option="zero")
        acc = tl.dot(a, b, acc, input_precision="ieee")
        a_block = tl.advance(a_block, (0, bk))
        b_block = tl.advance(b_block, (bk, 0))
    tl.store(c_block, acc.to(c_ptr.dtype.element_ty), boundary_check=(0, 1))


def matmul(a, b, bm=64, bn=64, bk=32):
    c = torch.empty((a.shape[0], b.shape[1]), device=a.device, dtype=a.dtype)
    grid = (triton.cdiv(a.shape[0], bm), triton.cdiv(b.shape[1], bn))
    block_pointers_kernel[grid](a, b, c, *a.shape, b.shape[1], *a.stride(), *b.stride(), *c.stride(), bm, bn, bk)
    return c
