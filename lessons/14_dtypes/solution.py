# A matrix times a vector, BM rows a program, in steps of BN columns.  y[i] = sum over j of x[i, j] v[j], in f32
import triton
import triton.language as tl


@triton.jit
def matvec_kernel(x_ptr, v_ptr, y_ptr, m, n, BM: tl.constexpr, BN: tl.constexpr):
    i = tl.program_id(0) * BM + tl.arange(0, BM)
    acc = tl.zeros((BM,), tl.float32)
    for start in tl.range(0, n, BN):
        j = start + tl.arange(0, BN)
        mask = (i < m)[:, None] & (j < n)[None, :]
        x = tl.load(x_ptr + i[:, None] * n + j[None, :], mask=mask, other=0).to(tl.float32)
        v = tl.load(v_ptr + j, mask=j < n, other=0).to(tl.float32)
        acc += tl.sum(x * v[None, :], 1)
    tl.store(y_ptr + i, acc.to(y_ptr.dtype.element_ty), mask=i < m)
