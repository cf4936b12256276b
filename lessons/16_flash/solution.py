# Causal attention of one head, BM queries a program, BN keys a step.
# o[i] = sum over j <= i of w[i, j] v[j] / sum over j <= i of w[i, j],  w[i, j] = 2 to the power of scale (q[i] . k[j])
import triton
import triton.language as tl


@triton.jit
def blocks(q, largest, sum, acc, k_ptr, v_ptr, i, d, start, end, n, scale, BN: tl.constexpr, D: tl.constexpr,
           MASKED: tl.constexpr):
    for start_n in tl.range(start, end, BN):  # one block of keys
        j = start_n + tl.arange(0, BN)
        at = j[:, None] * D + d[None, :]
        k = tl.load(k_ptr + at, mask=j[:, None] < n, other=0)
        v = tl.load(v_ptr + at, mask=j[:, None] < n, other=0)
        s = tl.dot(q, tl.trans(k)) * scale
        if MASKED:
            s = tl.where(i[:, None] >= j[None, :], s, -float("inf"))
        next = tl.maximum(largest, tl.max(s, 1))
        w = tl.exp2(s - next[:, None])
        # Yours: what sum and acc hold so far was measured from `largest`; then add this block's weights, and w v.
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
    # Yours: which blocks of keys do queries `first` to first + BM - 1 see at all, and which of them need the mask?
    largest, sum, acc = blocks(q, largest, sum, acc, k_ptr, v_ptr, i, d, 0, first, n, scale, BN, D, False)
    end = tl.minimum(first + BM, n)
    largest, sum, acc = blocks(q, largest, sum, acc, k_ptr, v_ptr, i, d, first, end, n, scale, BN, D, True)
    tl.store(o_ptr + at, acc / sum[:, None], mask=i[:, None] < n)
