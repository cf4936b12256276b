# Rows of a table, by a list of their numbers.
# case: n=13 cols=24 rows=9 table=f32[rows,cols] index=i32[n]:each(5*i%9) y=out:f32[n,cols] BN=8 BC=32 grid=cdiv(n,BN)
# case: expect='y = table[index]'
@triton.jit
def gather_kernel(table_ptr, index_ptr, y_ptr, n, cols, BN: tl.constexpr, BC: tl.constexpr):
    i = tl.program_id(0) * BN + tl.arange(0, BN)
    c = tl.arange(0, BC)
    row = tl.load(index_ptr + i, mask=i < n, other=0)
    mask = (i < n)[:, None] & (c < cols)[None, :]
    x = tl.load(table_ptr + row[:, None] * cols + c[None, :], mask=mask, other=0.0)
    tl.store(y_ptr + i[:, None] * cols + c[None, :], x, mask=mask)
