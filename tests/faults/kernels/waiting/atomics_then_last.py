# A histogram by atomics, which the last program to count itself copies.
# case: n=8 B=64 K=16 x=i32[n*B]:each(i%K) hist=inout:i32[K]:zeros y=out:i32[K]
# case: count=inout:i32[1]:zeros grid=n expect='y = n * B // K'
@triton.jit
def atomics_then_last(x_ptr, hist_ptr, y_ptr, count_ptr, n, B: tl.constexpr, K: tl.constexpr):
    x = tl.load(x_ptr + tl.program_id(0) * B + tl.arange(0, B))
    tl.atomic_add(hist_ptr + x, 1)
    tl.debug_barrier()
    before = tl.atomic_add(count_ptr, 1, sem="acq_rel")
    if before == n - 1:
        k = tl.arange(0, K)
        tl.store(y_ptr + k, tl.load(hist_ptr + k))
