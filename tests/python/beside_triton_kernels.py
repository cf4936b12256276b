"""Kernels of Triton's with a launch, its result and what torch makes of the same: beside_triton_interpreter.py.

Loops end at constants: Triton 3.6's interpreter makes no Python number of a tensor where NumPy is 2.5."""

import triton
import triton.language as tl


@triton.jit
def add_kernel(x_ptr, y_ptr, z_ptr, n, BLOCK_SIZE: tl.constexpr):
    offsets = tl.program_id(axis=0) * BLOCK_SIZE + tl.arange(0, BLOCK_SIZE)
    mask = offsets < n
    tl.store(z_ptr + offsets, tl.load(x_ptr + offsets, mask=mask) + tl.load(y_ptr + offsets, mask=mask), mask=mask)


def add(torch, n=1 << 20):
    x, y, z = torch.rand(n), torch.rand(n), torch.empty(n)
    return lambda: add_kernel[(triton.cdiv(n, 1024),)](x, y, z, n, BLOCK_SIZE=1024), z, x + y


@triton.jit
def softmax_kernel(output_ptr, input_ptr, input_row_stride, output_row_stride, n_cols, BLOCK_SIZE: tl.constexpr):
    row_idx = tl.program_id(0)
    col_offsets = tl.arange(0, BLOCK_SIZE)
    mask = col_offsets < n_cols
    row = tl.load(input_ptr + row_idx * input_row_stride + col_offsets, mask=mask, other=-float("inf"))
    numerator = tl.exp(row - tl.max(row, axis=0))
    output = numerator / tl.sum(numerator, axis=0)
    tl.store(output_ptr + row_idx * output_row_stride + col_offsets, output, mask=mask)


def softmax(torch, rows=1823, cols=781):
    x = torch.randn(rows, cols)
    y = torch.empty_like(x)
    return (lambda: softmax_kernel[(rows,)](y, x, x.stride(0), y.stride(0), cols, BLOCK_SIZE=1024), y,
            torch.softmax(x, 1))


@triton.jit
def matmul_kernel(a_ptr, b_ptr, c_ptr, m, n, k: tl.constexpr, stride_am, stride_ak, stride_bk, stride_bn, stride_cm, stride_cn,
                  BM: tl.constexpr, BN: tl.constexpr, BK: tl.constexpr):
    pid = tl.program_id(axis=0)
    num_pid_n = tl.cdiv(n, BN)
    offs_m = pid // num_pid_n * BM + tl.arange(0, BM)
    offs_n = pid % num_pid_n * BN + tl.arange(0, BN)
    offs_k = tl.arange(0, BK)
    a_ptrs = a_ptr + offs_m[:, None] * stride_am + offs_k[None, :] * stride_ak
    b_ptrs = b_ptr + offs_k[:, None] * stride_bk + offs_n[None, :] * stride_bn
    acc = tl.zeros((BM, BN), dtype=tl.float32)
    for k_start in range(0, k, BK):
        a = tl.load(a_ptrs, mask=(offs_m[:, None] < m) & (offs_k[None, :] < k - k_start), other=0.0)
        b = tl.load(b_ptrs, mask=(offs_n[None, :] < n) & (offs_k[:, None] < k - k_start), other=0.0)
        acc = tl.dot(a, b, acc)
        a_ptrs += BK * stride_ak
        b_ptrs += BK * stride_bk
    c_ptrs = c_ptr + offs_m[:, None] * stride_cm + offs_n[None, :] * stride_cn
    tl.store(c_ptrs, acc.to(tl.float16), mask=(offs_m[:, None] < m) & (offs_n[None, :] < n))


def matmul(torch, size=512):
    a, b = (torch.randn(size, size) / 16).half(), (torch.randn(size, size) / 16).half()
    c = torch.empty(size, size, dtype=torch.float16)
    grid = (triton.cdiv(size, 64) ** 2,)
    return (lambda: matmul_kernel[grid](a, b, c, size, size, size, *a.stride(), *b.stride(), *c.stride(), 64, 64, 32), c,
            (a.float() @ b.float()).half())


@triton.jit
def attention_kernel(q_ptr, k_ptr, v_ptr, o_ptr, n: tl.constexpr, scale, BM: tl.constexpr, BN: tl.constexpr, D: tl.constexpr):
    i = tl.program_id(0) * BM + tl.arange(0, BM)
    d = tl.arange(0, D)
    at = i[:, None] * D + d[None, :]
    q = tl.load(q_ptr + at, mask=i[:, None] < n, other=0)
    largest = tl.full((BM,), -float("inf"), tl.float32)
    total = tl.zeros((BM,), tl.float32)
    acc = tl.zeros((BM, D), tl.float32)
    for start in tl.range(0, n, BN):
        j = start + tl.arange(0, BN)
        tile = j[:, None] * D + d[None, :]
        k = tl.load(k_ptr + tile, mask=j[:, None] < n, other=0)
        v = tl.load(v_ptr + tile, mask=j[:, None] < n, other=0)
        s = tl.where(j[None, :] < n, tl.dot(q, tl.trans(k)) * scale, -float("inf"))
        now = tl.maximum(largest, tl.max(s, 1))
        w = tl.exp2(s - now[:, None])
        factor = tl.exp2(largest - now)
        total = total * factor + tl.sum(w, 1)
        acc = tl.dot(w.to(v.dtype), v, acc * factor[:, None])
        largest = now
    tl.store(o_ptr + at, acc / total[:, None], mask=i[:, None] < n)


def attention(torch, n=1024, D=64):
    q, k, v = (torch.randn(n, D).half() for _ in range(3))
    o = torch.empty(n, D)
    scale = D**-0.5 * 1.44269504  # 1 / ln 2: exp2 takes the place of exp
    expected = torch.softmax(q.float() @ k.float().T * D**-0.5, 1) @ v.float()
    return lambda: attention_kernel[(triton.cdiv(n, 64),)](q, k, v, o, n, scale, BM=64, BN=64, D=D), o, expected
