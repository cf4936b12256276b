# Cross entropy of each row: loss[i] = log(sum over j of exp(x[i, j])) - x[i, target[i]]
# case: x=f32[rows, cols]:normal target='i32[rows]:each(i * 7 % 50)' loss=out:f32[rows] rows=20 cols=50 row_stride=cols
# case: n_cols=cols BLOCK=16 grid=rows
# case: expect='loss = log(sum(exp(x), 1)) - sum(where(arange(50)[None, :] == target[:, None], x, 0), 1)'
# Yours: a case, and the kernel: rows of any length, BLOCK columns a step, each element of x loaded once.
import triton
import triton.language as tl


@triton.jit
def cross_entropy_kernel(x_ptr, target_ptr, loss_ptr, row_stride, n_cols, BLOCK: tl.constexpr):
    row = tl.program_id(0)
    target = tl.load(target_ptr + row)
    largest = tl.full((), -float("inf"), tl.float32)
    total = tl.full((), 0.0, tl.float32)
    chosen = tl.full((), 0.0, tl.float32)
    for start in tl.range(0, n_cols, BLOCK):
        cols = start + tl.arange(0, BLOCK)
        x = tl.load(x_ptr + row * row_stride + cols, mask=cols < n_cols, other=-float("inf")).to(tl.float32)
        next = tl.maximum(largest, tl.max(x, 0))
        total = total * tl.exp(largest - next) + tl.sum(tl.exp(x - next), 0)
        chosen += tl.sum(tl.where(cols == target, x, 0.0), 0)
        largest = next
    tl.store(loss_ptr + row, tl.log(total) + largest - chosen)
