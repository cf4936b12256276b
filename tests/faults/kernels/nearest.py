# The nearest of a few points, for each of many.
# case: n=16 m=20 x=f32[n] p=f32[m] best=out:i32[n] BN=16 BM=32 grid=1
# case: expect='best = argmin(abs(x[:, None] - p[None, :]), 1)'
@triton.jit
def nearest_kernel(x_ptr, p_ptr, best_ptr, n, m, BN: tl.constexpr, BM: tl.constexpr):
    i = tl.arange(0, BN)
    j = tl.arange(0, BM)
    x = tl.load(x_ptr + i, mask=i < n, other=0.0)
    p = tl.load(p_ptr + j, mask=j < m, other=float('inf'))
    far = tl.abs(x[:, None] - p[None, :])
    tl.store(best_ptr + i, tl.argmin(far, axis=1), mask=i < n)
