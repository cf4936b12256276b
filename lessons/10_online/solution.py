# Softmax of a row of any length, BLOCK columns a step, a row a program.  y[i, j] = exp(x[i, j]) / sum of exp(x[i])
import triton
import triton.language as tl


@triton.jit
def online_softmax_kernel(x_ptr, y_ptr, row_stride, n_cols, BLOCK: tl.constexpr):
    row = tl.program_id(0) * row_stride
    largest = tl.full((), -float("inf"), tl.float32)
    sum = tl.full((), 0.0, tl.float32)
    for start in tl.range(0, n_cols, BLOCK):
        cols = start + tl.arange(0, BLOCK)
        x = tl.load(x_ptr + row + cols, mask=cols < n_cols, other=-float("inf"))
        next = tl.maximum(largest, tl.max(x, 0))
        # Yours: what `sum` holds so far was measured from `largest`, what comes is measured from `next`.
        sum = sum * tl.exp(largest - next)
        sum += tl.sum(tl.exp(x - next), 0)
        largest = next
    # Yours: a second loop, which stores the quotients.
    for begin in tl.range(0, n_cols, BLOCK):
        j = begin + tl.arange(0, BLOCK)
        again = tl.load(x_ptr + row + j, mask=j < n_cols)
        tl.store(y_ptr + row + j, tl.exp(again - largest) / sum, mask=j < n_cols)
