# Products of pairs of matrices, BM x BN a program.  z[b, i, j] = sum over l of x[b, i, l] y[b, l, j]
# case: x=f16[batch, m, k] y=f16[batch, k, n] z=out:f32[batch, m, n] batch=2 m=20 n=24 k=40 BM=16 BN=16 BK=16
# case: grid=(cdiv(m, BM), cdiv(n, BN), batch)
import triton
import triton.language as tl


@triton.jit
def batched_matmul_kernel(x_ptr, y_ptr, z_ptr, m, n, k, BM: tl.constexpr, BN: tl.constexpr, BK: tl.constexpr):
    # Yours: tl.program_id(2) says which pair.
    pass
