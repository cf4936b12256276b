# C = A B in blocks of one element, to see in which order programs work.  c[i, j] = sum over l of a[i, l] b[l, j]
import triton
import triton.language as tl


@triton.jit
def order_kernel(a_ptr, b_ptr, c_ptr, m, n, k, group_size: tl.constexpr, BK: tl.constexpr):
    pid = tl.program_id(0)
    i = pid // n  # row by row: program 0 makes c[0, 0], program 1 c[0, 1] ...
    j = pid % n
    # Yours: send program pid to another (i, j), so that programs that run together need fewer rows of A and columns of
    # B.

    ls = tl.arange(0, BK)
    mask = ls < k
    row = tl.load(a_ptr + i * k + ls, mask=mask, other=0)
    column = tl.load(b_ptr + ls * n + j, mask=mask, other=0)
    tl.store(c_ptr + i * n + j, tl.sum(row * column, 0))
