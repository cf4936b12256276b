# C = alpha A B, B stored n x k, by descriptors: a tile of BM x BN a program.
# c[i, j] = alpha times the sum over l of a[i, l] b[j, l]
import triton
import triton.language as tl


@triton.jit
def descriptor_kernel(a_desc, b_desc, c_desc, k, alpha, BM: tl.constexpr, BN: tl.constexpr, BK: tl.constexpr):
    # Tiles of a are BM x BK, of b BN x BK, of c BM x BN.
    acc = tl.zeros((BM, BN), tl.float32)
    # Yours: a loop along k that loads a tile of a and one of b and adds their product to acc; then alpha, and store.
