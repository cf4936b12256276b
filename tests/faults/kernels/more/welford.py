# Variance of a row, block by block, by merging means.
# case: R=9 N=203 x=f32[R,N]:uniform(99,101) mean=out:f32[R] var=out:f32[R] BLOCK=64 grid=R
# case: expect='mean = sum(x, 1) / 203; d = x - mean[:, None]; var = sum(d * d, 1) / 203' tolerance=2e-4
@triton.jit
def welford(x_ptr, mean_ptr, var_ptr, N, BLOCK: tl.constexpr):
    row = tl.program_id(0)
    count = 0.0
    mean = 0.0
    m2 = 0.0
    for start in range(0, N, BLOCK):
        offs = start + tl.arange(0, BLOCK)
        m = offs < N
        x = tl.load(x_ptr + row * N + offs, mask=m, other=0.0)
        n = tl.sum(m.to(tl.float32), 0)
        mb = tl.sum(x, 0) / n
        d = tl.where(m, x - mb, 0.0)
        sb = tl.sum(d * d, 0)
        delta = mb - mean
        total = count + n
        mean += delta * n / total
        m2 += sb + delta * delta * count * n / total
        count = total
    tl.store(mean_ptr + row, mean)
    tl.store(var_ptr + row, m2 / count)
