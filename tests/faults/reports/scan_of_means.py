# case: n=8 x=f32[n]:iota y=out:f32[n] grid=1
@triton.jit
def mean(a, b):
    return (a + b) * 0.5

@triton.jit
def scan(x_ptr, y_ptr, n: tl.constexpr):
    i = tl.arange(0, n)
    tl.store(y_ptr + i, tl.associative_scan(tl.load(x_ptr + i), 0, mean))
