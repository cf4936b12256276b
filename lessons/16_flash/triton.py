# The same kernel in Triton, where the two stages are one function, called twice.
import torch
import triton
import triton.language as tl


@triton.jit
def blocks(q, largest, sum, acc, k_ptr, v_ptr, i, d, start, end, n, scale, BN: tl.constexpr, D: tl.constexpr,
           MASKED: tl.constexpr):
    for start_n in tl.range(start, end, BN):
        j = start_n + tl.arange(0, BN)
        at = j[:, None] * D + d[None, :]
        k = tl.load(k_ptr + at, mask=j[:, None] < n, other=0)
        v = tl.load(v_ptr + at, mask=j[:, None] < n, other=0)
        s = tl.dot(q, tl.trans(k)) * scale
        if MASKED:
            s = tl.where(i[:, None] >= j[None, :], s, -float("inf"))
        next = tl.maximum(largest, tl.max(s, 1))
        w = tl.exp2(s - next[:, None])
        factor = tl.exp2(largest - next)
        sum = sum * factor + tl.sum(w, 1)
        acc = tl.dot(w.to(v.dtype), v, acc * factor[:, None])
        largest = next
    return largest, sum, acc


@triton.jit
def flash_kernel(q_ptr, k_ptr, v_ptr, o_ptr, n, scale, BM: tl.constexpr, BN: tl.constexpr, D: tl.constexpr):
    first = tl.program_id(0) * BM
    i = first + tl.arange(0, BM)
    d = tl.arange(0, D)
    at = i[:, None] * D + d[None, :]
    q = tl.load(q_ptr + at, mask=i[:, None] < n, other=0)
    largest = tl.full((BM,), -float("inf"), tl.float32)
    sum = tl.zeros((BM,), tl.float32)
    acc = tl.zeros((BM, D), tl.float32)
    largest, sum, acc = blocks(q, largest, sum, acc, k_ptr, v_ptr, i, d, 0, first, n, scale, BN, D, False)
    largest, sum, acc = blocks(q, largest, sum, acc, k_ptr, v_ptr, i, d, first, tl.minimum(first + BM, n), n, scale,
                               BN, D, True)
    tl.store(o_ptr + at, acc / sum[:, None], mask=i[:, None] < n)


def attention(q, k, v, BM=64, BN=64):
    n, D = q.shape
    o = torch.empty((n, D), device=q.device, dtype=torch.float32)
    scale = D**-0.5 * 1.44269504  # 1 / ln 2: exp2 takes the place of exp
    flash_kernel[(triton.cdiv(n, BM),)](q, k, v, o, n, scale, BM, BN, D)
    return o
