# One step of decoding: a request a program. Keys and values lie in pages of PAGE tokens, anywhere in k and v.
# Page p of request r is table[r, p]; its result belongs to row place[r] of o.
import triton
import triton.language as tl


@triton.jit
def paged_attention_kernel(q_ptr, k_ptr, v_ptr, table_ptr, length_ptr, place_ptr, o_ptr, most_pages, scale,
                           PAGE: tl.constexpr, D: tl.constexpr):
    request = tl.program_id(0)
    length = tl.load(length_ptr + request)
    d = tl.arange(0, D)
    q = tl.load(q_ptr + request * D + d) * scale
    largest = tl.full((), -float("inf"), tl.float32)
    total = tl.full((), 0.0, tl.float32)
    acc = tl.zeros((D,), tl.float32)
    for p in tl.range(0, tl.cdiv(length, PAGE)):
        # Yours: which page is it? As it stands each request's pages follow each other.
        page = request * most_pages + p
        t = tl.arange(0, PAGE)
        inside = p * PAGE + t < length
        tile = (page * PAGE + t)[:, None] * D + d[None, :]
        k = tl.load(k_ptr + tile, mask=inside[:, None], other=0)
        scores = tl.where(inside, tl.sum(q[None, :] * k, 1), -float("inf"))
        next = tl.maximum(largest, tl.max(scores, 0))
        weights = tl.exp(scores - next)
        factor = tl.exp(largest - next)
        v = tl.load(v_ptr + tile, mask=inside[:, None], other=0)
        acc = acc * factor + tl.sum(weights[:, None] * v, 0)
        total = total * factor + tl.sum(weights, 0)
        largest = next
    # Yours: whose row of o is it?
    row = request
    tl.store(o_ptr + row * D + d, acc / total)
