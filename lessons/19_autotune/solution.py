# C = A B, a tile of bm x bn a program, and what it is tuned by.  c[i, j] = sum over l of a[i, l] b[l, j]
# case: a=f16[m, k]:normal b=f16[k, n]:normal c=out:f16[m, n] m=256 n=256 k=256
# case: stride_am=k stride_ak=1 stride_bk=n stride_bn=1 stride_cm=n stride_cn=1 grid='cdiv(m, bm) * cdiv(n, bn)'
# case: expect='c = dot(a, b)'
import triton
import triton.language as tl

# Yours: three configs at most, and the key. As it stands one config serves all sizes, and a winner holds for its m.
configs = [
    triton.Config({"bm": 32, "bn": 32, "bk": 64}, num_warps=4, num_stages=4),
    triton.Config({"bm": 64, "bn": 64, "bk": 128}, num_warps=4, num_stages=4),
    triton.Config({"bm": 128, "bn": 64, "bk": 64}, num_warps=4, num_stages=4),
]


@triton.autotune(configs=configs, key=["m", "n", "k"])
@triton.jit
def tuned_kernel(a_ptr, b_ptr, c_ptr, m, n, k, stride_am, stride_ak, stride_bk, stride_bn, stride_cm, stride_cn,
                 bm: tl.constexpr, bn: tl.constexpr, bk: tl.constexpr):
    rm = tl.program_id(0) // tl.cdiv(n, bn) * bm + tl.arange(0, bm)
    rn = tl.program_id(0) % tl.cdiv(n, bn) * bn + tl.arange(0, bn)
    rk = tl.arange(0, bk)
    a_ptrs = a_ptr + rm[:, None] * stride_am + rk[None, :] * stride_ak
    b_ptrs = b_ptr + rk[:, None] * stride_bk + rn[None, :] * stride_bn
    acc = tl.zeros((bm, bn), tl.float32)
    for k_start in range(0, k, bk):
        a = tl.load(a_ptrs, mask=(rm[:, None] < m) & (rk[None, :] < k - k_start), other=0)
        b = tl.load(b_ptrs, mask=(rk[:, None] < k - k_start) & (rn[None, :] < n), other=0)
        acc = tl.dot(a, b, acc)
        a_ptrs += bk * stride_ak
        b_ptrs += bk * stride_bk
    c_ptrs = c_ptr + rm[:, None] * stride_cm + rn[None, :] * stride_cn
    tl.store(c_ptrs, acc.to(c_ptr.dtype.element_ty), mask=(rm[:, None] < m) & (rn[None, :] < n))
