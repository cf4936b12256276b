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
    pass
