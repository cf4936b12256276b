# The mended kernel in Triton. Its own interpreter (TRITON_INTERPRET=1) lets pdb stop in it, forwards only.
import torch
import triton
import triton.language as tl


@triton.jit
def stretch_kernel(x_ptr, y_ptr, row_stride, n_rows, n_cols, BLOCK: tl.constexpr):
    for row in range(tl.program_id(0), n_rows, tl.num_programs(0)):
        low = tl.full((), float("inf"), tl.float32)
        high = tl.full((), float("-inf"), tl.float32)
        for start in range(0, n_cols, BLOCK):
            cols = start + tl.arange(0, BLOCK)
            x = tl.load(x_ptr + row * row_stride + cols, mask=cols < n_cols, other=0)
            low = tl.minimum(low, tl.min(tl.where(cols < n_cols, x, float("inf")), axis=0))
            high = tl.maximum(high, tl.max(tl.where(cols < n_cols, x, float("-inf")), axis=0))
        for start in range(0, n_cols, BLOCK):
            cols = start + tl.arange(0, BLOCK)
            x = tl.load(x_ptr + row * row_stride + cols, mask=cols < n_cols)
            tl.store(y_ptr + row * row_stride + cols, (x - low) / (high - low), mask=cols < n_cols)


def stretch(x, programs=128, BLOCK=1024):
    y = torch.empty_like(x)
    stretch_kernel[(programs,)](x, y, x.stride(0), x.shape[0], x.shape[1], BLOCK)
    return y
