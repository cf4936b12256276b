# Transposes a matrix, BN columns a program; a block of BM rows holds all m of them.  y[j, i] = x[i, j]
import triton
import triton.language as tl


@triton.jit
def turn_kernel(x_ptr, y_ptr, m, n, BM: tl.constexpr, BN: tl.constexpr):
    first = tl.program_id(0) * BN
    rows = tl.arange(0, BM)
    # Right, and slow: one column after the other. Yours: the same by loads and stores whose neighbouring lanes are
    # neighbours in memory.
    cols = first + tl.arange(0, BN)
    x = tl.load(x_ptr + rows[:, None] * n + cols[None, :], mask=(rows[:, None] < m) & (cols[None, :] < n))
    tl.store(y_ptr + cols[:, None] * m + rows[None, :], tl.trans(x), mask=(cols[:, None] < n) & (rows[None, :] < m))
