# case: rows=16 k=20 B=32 d=f32[rows,k]:uniform(1,2) y=out:i32[rows] grid=rows expect='y = argmin(d, 1)'
@triton.jit
def nearest(d_ptr, y_ptr, k, B: tl.constexpr):
    c = tl.arange(0, B)
    d = tl.load(d_ptr + tl.program_id(0) * k + c, mask=c < k, other=0.0)
    tl.store(y_ptr + tl.program_id(0), tl.argmin(d, 0))
