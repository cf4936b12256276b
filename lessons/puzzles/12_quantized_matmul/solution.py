# A product with weights of 4 bits, eight in a word; G neighbours along k share a scale and a zero.
# w[i, l] = scale[i, l / G] (nibble[i, l] - zero[i, l / G]), z[i, j] = sum over l of w[i, l] y[l, j]
# case: packed=i32[m, k / 8] scale=f16[m, k / G]:each(1 + i % 4) zero=i8[m, k / G] y=f16[k, n] z=out:f32[m, n]
# case: m=20 n=24 k=64 BM=16 BN=16 G=32 grid=(cdiv(m, BM), cdiv(n, BN))
import triton
import triton.language as tl


@triton.jit
def quantized_matmul_kernel(packed_ptr, scale_ptr, zero_ptr, y_ptr, z_ptr, m, n, k, BM: tl.constexpr, BN: tl.constexpr,
                            G: tl.constexpr):
    # Yours: a step is a group, G columns of w and G / 8 words.
    i = tl.program_id(0) * BM + tl.arange(0, BM)
    j = tl.program_id(1) * BN + tl.arange(0, BN)
    acc = tl.zeros((BM, BN), tl.float32)
    for g in tl.range(0, k // G):
        word = g * (G // 8) + tl.arange(0, G // 8)
        packed = tl.load(packed_ptr + i[:, None] * (k // 8) + word[None, :], mask=(i < m)[:, None], other=0)
        nibbles = (packed[:, :, None] >> (4 * tl.arange(0, 8))[None, None, :]) & 15
        scale = tl.load(scale_ptr + i * (k // G) + g, mask=i < m, other=0)
        zero = tl.load(zero_ptr + i * (k // G) + g, mask=i < m, other=0)
        w = (tl.reshape(nibbles, (BM, G)) - zero[:, None]).to(tl.float16) * scale[:, None]
        l = g * G + tl.arange(0, G)
        y = tl.load(y_ptr + l[:, None] * n + j[None, :], mask=(j < n)[None, :], other=0)
        acc = tl.dot(w, y, acc)
    mask = (i < m)[:, None] & (j < n)[None, :]
    tl.store(z_ptr + i[:, None] * n + j[None, :], acc, mask=mask)
