# Stretches rows to 0 .. 1.  y[i, j] = (x[i, j] - min x[i]) / (max x[i] - min x[i])
import triton
import triton.language as tl


@triton.jit
def stretch_kernel(x_ptr, y_ptr, row_stride, n_rows, n_cols, BLOCK: tl.constexpr):
    for row in tl.range(tl.program_id(0), n_rows, tl.num_programs(0)):
        low = tl.full((), float("inf"), tl.float32)
        high = tl.full((), -float("inf"), tl.float32)
        for start in tl.range(0, n_cols, BLOCK):
            cols = start + tl.arange(0, BLOCK)
            x = tl.load(x_ptr + row * row_stride + cols, mask=cols < n_cols, other=0)
            low = tl.minimum(low, tl.min(tl.where(cols < n_cols, x, float("inf")), 0))
            high = tl.maximum(high, tl.max(tl.where(cols < n_cols, x, -float("inf")), 0))
        for begin in tl.range(0, n_cols, BLOCK):
            j = begin + tl.arange(0, BLOCK)
            again = tl.load(x_ptr + row * row_stride + j, mask=j < n_cols)
            y = (again - low) / (high - low)
            tl.store(y_ptr + row * row_stride + j, y, mask=j < n_cols)
