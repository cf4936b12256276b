# C = alpha A B, B stored n x k, by descriptors: a tile of BM x BN a program.
# c[i, j] = alpha times the sum over l of a[i, l] b[j, l]
import triton
import triton.language as tl


@triton.jit
def descriptor_kernel(a_desc, b_desc, c_desc, k, alpha, BM: tl.constexpr, BN: tl.constexpr, BK: tl.constexpr):
    # Tiles of a are BM x BK, of b BN x BK, of c BM x BN.
    acc = tl.zeros((BM, BN), tl.float32)
    # Yours: a loop along k that loads a tile of a and one of b and adds their product to acc; then alpha, and store.
    row = tl.program_id(0) * BM
    col = tl.program_id(1) * BN
    for l in tl.range(0, k, BK):
        a = a_desc.load([row, l])
        b = b_desc.load([col, l])
        acc = tl.dot(a, tl.trans(b), acc)
    c_desc.store([row, col], (acc * alpha).to(c_desc.dtype))
