# Pairs of columns turned by an angle of their row.
# case: rows=6 half=16 x=f32[rows,2*half] c=f32[rows,half] s=f32[rows,half] lo=out:f32[rows,half] hi=out:f32[rows,half] HALF=half grid=rows
# case: expect='a = x[:, 0:16]; b = x[:, 16:32]; lo = a * c - b * s; hi = b * c + a * s'
@triton.jit
def rotary_kernel(x_ptr, c_ptr, s_ptr, lo_ptr, hi_ptr, HALF: tl.constexpr):
    row = tl.program_id(0)
    offs = tl.arange(0, HALF)
    base = row * HALF * 2
    a = tl.load(x_ptr + base + offs)
    b = tl.load(x_ptr + base + HALF + offs)
    c = tl.load(c_ptr + row * HALF + offs)
    s = tl.load(s_ptr + row * HALF + offs)
    tl.store(lo_ptr + row * HALF + offs, a * c - b * s)
    tl.store(hi_ptr + row * HALF + offs, b * c + a * s)
