# Layer normalization, a row a program.  y[i, j] = (x[i, j] - mean x[i]) / sqrt(variance x[i] + 1e-5) * w[j] + b[j]
import triton
import triton.language as tl


@triton.jit
def layernorm_kernel(x_ptr, w_ptr, b_ptr, y_ptr, row_stride, n_cols, BLOCK: tl.constexpr):
    row = tl.program_id(0) * row_stride
    cols = tl.arange(0, BLOCK)
    mask = cols < n_cols
    x = tl.load(x_ptr + row + cols, mask=mask, other=0).to(tl.float32)
    mean = tl.sum(x, 0) / n_cols
    # Yours: the variance of the lanes that exist, 1 / sqrt(variance + 1e-5), and what is stored, in y's dtype.
    centred = tl.where(mask, x - mean, 0.0)
    variance = tl.sum(centred * centred, 0) / n_cols
    rstd = 1 / tl.sqrt(variance + 1e-5)
    w = tl.load(w_ptr + cols, mask=mask)
    b = tl.load(b_ptr + cols, mask=mask)
    tl.store(y_ptr + row + cols, (centred * rstd * w + b).to(y_ptr.dtype.element_ty), mask=mask)
