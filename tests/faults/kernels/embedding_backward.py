# Gradients of rows are added to the rows of a table that their ids name.
# case: n=12 rows=5 D=8 id=i32[n]:values(3,0,4,3,1,1,0,3,4,2,2,3) g=f32[n,D] t=inout:f32[rows,D]:zeros grid=n
# case: expect='t = (id[None, :] == arange(5)[:, None]).to(float32) @ g'
@triton.jit
def embedding_backward_kernel(id_ptr, g_ptr, t_ptr, D: tl.constexpr):
    i = tl.program_id(0)
    d = tl.arange(0, D)
    row = tl.load(id_ptr + i)
    g = tl.load(g_ptr + i * D + d)
    tl.atomic_add(t_ptr + row * D + d, g)
