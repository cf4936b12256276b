# A causal convolution along rows of four taps.
# case: rows=3 cols=40 K=4 x=f32[rows,cols] w=f32[K] y=out:f32[rows,cols] BLOCK=16 grid=rows,cdiv(cols,BLOCK)
# case: expect='i = arange(40)[:, None] + arange(4)[None, :] - 3; t = x.T; g = t[maximum(i, 0)]; y = sum(where(i[:, :, None] >= 0, g, 0.0) * w[None, :, None], 1).T'
@triton.jit
def conv1d_kernel(x_ptr, w_ptr, y_ptr, cols, K: tl.constexpr, BLOCK: tl.constexpr):
    row = tl.program_id(0)
    offs = tl.program_id(1) * BLOCK + tl.arange(0, BLOCK)
    acc = tl.zeros((BLOCK,), dtype=tl.float32)
    for k in range(0, K):
        at = offs + k - (K - 1)
        x = tl.load(x_ptr + row * cols + at, mask=(at >= 0) & (at < cols), other=0.0)
        acc += x * tl.load(w_ptr + k)
    tl.store(y_ptr + row * cols + offs, acc, mask=offs < cols)
