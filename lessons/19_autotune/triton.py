# The same in Triton: configs and key of the decorator, and a heuristic, a value that follows from others.
import torch
import triton
import triton.language as tl

configs = [
    triton.Config({"bm": 32, "bn": 32, "bk": 64}, num_warps=2, num_stages=4),
    triton.Config({"bm": 64, "bn": 64, "bk": 128}, num_warps=4, num_stages=4),
    triton.Config({"bm": 128, "bn": 64, "bk": 64}, num_warps=4, num_stages=4),
]


@triton.autotune(configs=configs, key=["m", "n", "k"])
@triton.heuristics({"even_k": lambda args: args["k"] % args["bk"] == 0})
@triton.jit
def tuned_kernel(a_ptr, b_ptr, c_ptr, m, n, k, stride_am, stride_ak, stride_bk, stride_bn, stride_cm, stride_cn,
                 bm: tl.constexpr, bn: tl.constexpr, bk: tl.constexpr, even_k: tl.constexpr):
    wide = tl.cdiv(n, bn)
    rm = tl.program_id(0) // wide * bm + tl.arange(0, bm)
    rn = tl.program_id(0) % wide * bn + tl.arange(0, bn)
    rk = tl.arange(0, bk)
    a_ptrs = a_ptr + rm[:, None] * stride_am + rk[None, :] * stride_ak
    b_ptrs = b_ptr + rk[:, None] * stride_bk + rn[None, :] * stride_bn
    acc = tl.zeros((bm, bn), tl.float32)
    for k_start in range(0, k, bk):
        left = bk if even_k else k - k_start
        a = tl.load(a_ptrs, mask=(rm < m)[:, None] & (rk < left)[None, :], other=0)
        b = tl.load(b_ptrs, mask=(rk < left)[:, None] & (rn < n)[None, :], other=0)
        acc = tl.dot(a, b, acc)
        a_ptrs += bk * stride_ak
        b_ptrs += bk * stride_bk
    c_ptrs = c_ptr + rm[:, None] * stride_cm + rn[None, :] * stride_cn
    tl.store(c_ptrs, acc.to(c_ptr.dtype.element_ty), mask=(rm < m)[:, None] & (rn < n)[None, :])


def matmul(a, b):
    (m, k), n = a.shape, b.shape[1]
    c = torch.empty((m, n), device=a.device, dtype=a.dtype)
    grid = lambda meta: (triton.cdiv(m, meta["bm"]) * triton.cdiv(n, meta["bn"]),)
    tuned_kernel[grid](a, b, c, m, n, k, *a.stride(), *b.stride(), *c.stride())
    return c
