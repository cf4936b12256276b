# Sums of rows that are longer than a block, BM rows a program, in f32.  z[i] = sum over j of x[i, j]
# case: x=f16[m, n] z=out:f32[m] m=5 n=29 BM=4 BN=8 grid=cdiv(m, BM) expect='z = sum(x, 1)'
import triton
import triton.language as tl


@triton.jit
def long_sum_kernel(x_ptr, z_ptr, m, n, BM: tl.constexpr, BN: tl.constexpr):
    # Yours: a row has as many steps as it has blocks of BN columns.
    pass
