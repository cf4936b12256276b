# Softmax of each row, a program taking every num_programs-th row.  y = exp(x - max x) / sum exp(x - max x)
import triton
import triton.language as tl


@triton.jit
def softmax_kernel(x_ptr, y_ptr, stride, n_rows, n_cols, BLOCK: tl.constexpr):
    for row in tl.range(tl.program_id(0), n_rows, tl.num_programs(0)):
        cols = tl.arange(0, BLOCK)  # one block holds a whole row
        mask = cols < n_cols
        x = tl.load(x_ptr + row * stride + cols, mask=mask, other=-float("inf"))
        # Yours: the row's softmax into y, from x as it was loaded, without a further load.
        shifted = x - tl.max(x, 0)
        numerator = tl.exp(shifted)
        denominator = tl.sum(numerator, 0)
        tl.store(y_ptr + row * stride + cols, numerator / denominator, mask=mask)
