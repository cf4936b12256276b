# Right kernels of which no case is given: the page's first one must run them without a fault.
import triton
import triton.language as tl


@triton.jit
def row_softmax(Y_ptr, Y_row_stride, X_ptr, X_row_stride, n_cols, BLOCK_SIZE: tl.constexpr):
    row = tl.program_id(0).to(tl.int64)
    X_ptr += row * X_row_stride
    Y_ptr += row * Y_row_stride
    cols = tl.arange(0, BLOCK_SIZE)
    x = tl.load(X_ptr + cols, mask=cols < n_cols, other=-float('inf'))
    e = tl.exp(x - tl.max(x, axis=0))
    tl.store(Y_ptr + cols, e / tl.sum(e, axis=0), mask=cols < n_cols)


@triton.jit
def wide_norm(x, stride_xm, w, out, stride_om, rstd, N, eps, BLOCK: tl.constexpr):
    row = tl.program_id(0)
    squares = tl.zeros([BLOCK], dtype=tl.float32)
    for start in range(0, N, BLOCK):
        cols = start + tl.arange(0, BLOCK)
        v = tl.load(x + row * stride_xm + cols, mask=cols < N, other=0.0)
        squares += v * v
    r = tl.rsqrt(tl.sum(squares) / N + eps)
    tl.store(rstd + row, r)
    for start in range(0, N, BLOCK):
        cols = start + tl.arange(0, BLOCK)
        v = tl.load(x + row * stride_xm + cols, mask=cols < N)
        tl.store(out + row * stride_om + cols, v * r * tl.load(w + cols, mask=cols < N), mask=cols < N)


@triton.jit
def product(a_ptr, b_ptr, c_ptr, M, N, K, stride_am, stride_ak, stride_bk, stride_bn, stride_cm, stride_cn,
            BLOCK_M: tl.constexpr, BLOCK_N: tl.constexpr, BLOCK_K: tl.constexpr):
    pid = tl.program_id(0)
    tiles_n = tl.cdiv(N, BLOCK_N)
    offs_m = (pid // tiles_n * BLOCK_M + tl.arange(0, BLOCK_M)) % M
    offs_n = (pid % tiles_n * BLOCK_N + tl.arange(0, BLOCK_N)) % N
    offs_k = tl.arange(0, BLOCK_K)
    a_ptrs = a_ptr + (offs_m[:, None] * stride_am + offs_k[None, :] * stride_ak)
    b_ptrs = b_ptr + (offs_k[:, None] * stride_bk + offs_n[None, :] * stride_bn)
    acc = tl.zeros((BLOCK_M, BLOCK_N), dtype=tl.float32)
    for k in range(0, tl.cdiv(K, BLOCK_K)):
        a = tl.load(a_ptrs, mask=offs_k[None, :] < K - k * BLOCK_K, other=0.0)
        b = tl.load(b_ptrs, mask=offs_k[:, None] < K - k * BLOCK_K, other=0.0)
        acc = tl.dot(a, b, acc)
        a_ptrs += BLOCK_K * stride_ak
        b_ptrs += BLOCK_K * stride_bk
    offs_cm = pid // tiles_n * BLOCK_M + tl.arange(0, BLOCK_M)
    offs_cn = pid % tiles_n * BLOCK_N + tl.arange(0, BLOCK_N)
    c_ptrs = c_ptr + stride_cm * offs_cm[:, None] + stride_cn * offs_cn[None, :]
    tl.store(c_ptrs, acc.to(c_ptr.dtype.element_ty), mask=(offs_cm[:, None] < M) & (offs_cn[None, :] < N))


@triton.jit
def loss(logits_ptr, logits_stride, labels_ptr, loss_ptr, n_classes, BLOCK: tl.constexpr):
    row = tl.program_id(0)
    label = tl.load(labels_ptr + row)
    cols = tl.arange(0, BLOCK)
    x = tl.load(logits_ptr + row * logits_stride + cols, mask=cols < n_classes, other=-float('inf'))
    top = tl.max(x, axis=0)
    log_sum = top + tl.log(tl.sum(tl.exp(x - top), axis=0))
    tl.store(loss_ptr + row, log_sum - tl.load(logits_ptr + row * logits_stride + label))


@triton.jit
def _scaled(x_ptr, stride, rows, scale):
    return tl.load(x_ptr + rows * stride) * scale


@triton.jit
def head_scale(x, y, stride_b, stride_h, stride_t, stride_d, H, T, BLOCK_T: tl.constexpr, D: tl.constexpr):
    t = tl.program_id(0) * BLOCK_T + tl.arange(0, BLOCK_T)
    batch = tl.program_id(1) // H
    head = tl.program_id(1) % H
    at = batch * stride_b + head * stride_h + t[:, None] * stride_t + tl.arange(0, D)[None, :] * stride_d
    tl.store(y + at, 2 * tl.load(x + at, mask=t[:, None] < T), mask=t[:, None] < T)


@triton.jit
def column(x_ptr, y_ptr, x_stride, n, BLOCK: tl.constexpr):
    rows = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    tl.store(y_ptr + rows, _scaled(x_ptr, x_stride, rows % n, 2.0), mask=rows < n)


@triton.jit
def gated(y_ptr, c_ptr, in_stride, out_stride, width, BLOCK: tl.constexpr):
    row = tl.program_id(0)
    cols = tl.arange(0, BLOCK)
    mask = cols < width
    a = tl.load(y_ptr + row * in_stride + cols, mask=mask)
    b = tl.load(y_ptr + row * in_stride + width + cols, mask=mask)
    tl.store(c_ptr + row * out_stride + cols, a * b, mask=mask)


@triton.jit
def block_pointers(a_ptr, c_ptr, M, N, stride_am, stride_an, stride_cm, stride_cn, BM: tl.constexpr, BN: tl.constexpr):
    at = (tl.program_id(0) * BM, tl.program_id(1) * BN)
    a = tl.make_block_ptr(base=a_ptr, shape=(M, N), strides=(stride_am, stride_an), offsets=at, block_shape=(BM, BN),
                          order=(1, 0))
    c = tl.make_block_ptr(base=c_ptr, shape=(M, N), strides=(stride_cm, stride_cn), offsets=at, block_shape=(BM, BN),
                          order=(1, 0))
    tl.store(c, tl.load(a, boundary_check=(0, 1)), boundary_check=(0, 1))
