# The k largest of a row and where they are.
# case: R=7 N=45 K=5 x=f32[R,N] v=out:f32[R,K] w=out:i32[R,K] BLOCK=64 grid=R
# case: expect='v = flip(sort(x, 1), 1)[:, :5]; w = argsort(-x, 1)[:, :5]'
@triton.jit
def topk(x_ptr, v_ptr, w_ptr, N, K: tl.constexpr, BLOCK: tl.constexpr):
    row = tl.program_id(0)
    offs = tl.arange(0, BLOCK)
    x = tl.load(x_ptr + row * N + offs, mask=offs < N, other=-float("inf"))
    for k in range(K):
        best = tl.max(x, 0)
        at = tl.argmax(x, 0)
        tl.store(v_ptr + row * K + k, best)
        tl.store(w_ptr + row * K + k, at)
        x = tl.where(offs == at, -float("inf"), x)
