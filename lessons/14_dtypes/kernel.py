# A matrix times a vector, BM rows a program, in steps of BN columns.  y[i] = sum over j of x[i, j] v[j], in f32
import triton
import triton.language as tl


@triton.jit
def matvec_kernel(x_ptr, v_ptr, y_ptr, m, n, BM: tl.constexpr, BN: tl.constexpr):
    i = tl.program_id(0) * BM + tl.arange(0, BM)
    # Yours: it computes in whatever dtype x has. Where do digits get lost, and where is the one place to round?
    acc = tl.zeros((BM,), x_ptr.dtype.element_ty)
    for start in tl.range(0, n, BN):
        j = start + tl.arange(0, BN)
        x = tl.load(x_ptr + i[:, None] * n + j[None, :], mask=(i < m)[:, None] & (j < n)[None, :], other=0)
        v = tl.load(v_ptr + j, mask=j < n, other=0)
        acc += tl.sum(x * v[None, :], 1)
    tl.store(y_ptr + i, acc.to(y_ptr.dtype.element_ty), mask=i < m)
