# C = A B by block pointers, a block of bm x bn a program.  c[i, j] = sum over l of a[i, l] b[l, j]
import triton
import triton.language as tl


@triton.jit
def block_pointers_kernel(a_ptr, b_ptr, c_ptr, m, n, k, stride_am, stride_ak, stride_bk, stride_bn, stride_cm,
                          stride_cn, bm: tl.constexpr, bn: tl.constexpr, bk: tl.constexpr):
    row = tl.program_id(0) * bm  # where its block of C begins
    col = tl.program_id(1) * bn
    a_block = tl.make_block_ptr(a_ptr, (m, k), (stride_am, stride_ak), (row, 0), (bm, bk), (1, 0))
    # Yours: the same for b, along k from 0 on and along n from col on; and for c.
    b_block = tl.make_block_ptr(b_ptr, (k, n), (stride_bk, stride_bn), (0, col), (bk, bn), (1, 0))
    c_block = tl.make_block_ptr(c_ptr, (m, n), (stride_cm, stride_cn), (row, col), (bm, bn), (1, 0))
    acc = tl.zeros((bm, bn), tl.float32)
    for start in tl.range(0, k, bk):
        a = tl.load(a_block, boundary_check=(0, 1), padding_option="zero")
        # Yours: load a block of b, add the product to acc, move both blocks on along k.
        b = tl.load(b_block, boundary_check=(0, 1), padding_option="zero")
        acc = tl.dot(a, b, acc, input_precision="ieee")
        a_block = tl.advance(a_block, (0, bk))
        b_block = tl.advance(b_block, (bk, 0))
    # Yours: store.
    tl.store(c_block, acc.to(c_ptr.dtype.element_ty), boundary_check=(0, 1))
