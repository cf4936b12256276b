# A matrix transposed by way of memory: one program stores its rows, and loads columns.
# case: n=16 x=f32[n,n] s=inout:f32[n,n]:zeros y=out:f32[n,n] N=16 grid=1 expect='y = x.T'
@triton.jit
def scratch_kernel(x_ptr, s_ptr, y_ptr, N: tl.constexpr):
    i = tl.arange(0, N)[:, None]
    j = tl.arange(0, N)[None, :]
    tl.store(s_ptr + i * N + j, tl.load(x_ptr + i * N + j))
    tl.debug_barrier()
    tl.store(y_ptr + i * N + j, tl.load(s_ptr + j * N + i))
