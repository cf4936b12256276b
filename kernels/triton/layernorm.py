@triton.jit
def layernorm_kernel(x_ptr, w_ptr, b_ptr, y_ptr, row_stride, n_cols, eps, BLOCK_SIZE: tl.constexpr):
    row = tl.program_id(0)
    cols = tl.arange(0, BLOCK_SIZE)
    mask = cols < n_cols
    x = tl.load(x_ptr + row * row_stride + cols, mask=mask, other=0).to(tl.float32)
    mean = tl.sum(x, axis=0) / n_cols
    x_centred = tl.where(mask, x - mean, 0.0)
    var = tl.sum(x_centred * x_centred, axis=0) / n_cols
    rstd = 1 / tl.sqrt(var + eps)
    w = tl.load(w_ptr + cols, mask=mask)
    b = tl.load(b_ptr + cols, mask=mask)
    y = x_centred * rstd * w + b
    tl.store(y_ptr + row * row_stride + cols, y, mask=mask)
