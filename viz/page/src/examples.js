// Kernels to start from.
const head = 'import triton\nimport triton.language as tl\n\n\n@triton.jit\n';
const copy = (offsets) => `# case: x=i64[6]:values(1, 2, 3, 4, 5, 6) z=out:i64[6] n=6 bs=2 grid=3 expect='z = x'
${head}def copy_kernel(x_ptr, z_ptr, n, bs: tl.constexpr):
    pid = tl.program_id(0)
    offs = ${offsets}
    mask = offs < n
    x = tl.load(x_ptr + offs, mask=mask)
    tl.store(z_ptr + offs, x, mask=mask)
`;
const add = `# case: x=f32[1000] y=f32[1000] z=out:f32[1000] n=1000 BLOCK=256 grid=cdiv(n, BLOCK) expect='z = x + y'
${head}def add_kernel(x_ptr, y_ptr, z_ptr, n, BLOCK: tl.constexpr):
    offs = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    mask = offs < n
    x = tl.load(x_ptr + offs, mask=mask)
    y = tl.load(y_ptr + offs, mask=mask)
    tl.store(z_ptr + offs, x + y, mask=mask)
`;
const softmax = `# case: rows=8 cols=13 output=out:f32[rows, cols] input=f32[rows, cols] input_row_stride=cols output_row_stride=cols n_rows=rows
# case: n_cols=cols BLOCK_SIZE=16 num_stages=4 grid=4 expect='e = exp(input - amax(input, 1)[:, None]); output = e / sum(e, 1)[:, None]'
${head}def softmax_kernel(output_ptr, input_ptr, input_row_stride, output_row_stride, n_rows, n_cols,
                   BLOCK_SIZE: tl.constexpr, num_stages: tl.constexpr):
    row_start = tl.program_id(0)
    row_step = tl.num_programs(0)
    for row_idx in tl.range(row_start, n_rows, row_step, num_stages=num_stages):
        row_start_ptr = input_ptr + row_idx * input_row_stride
        col_offsets = tl.arange(0, BLOCK_SIZE)
        mask = col_offsets < n_cols
        row = tl.load(row_start_ptr + col_offsets, mask=mask, other=-float('inf'))
        row_minus_max = row - tl.max(row, axis=0)
        numerator = tl.exp(row_minus_max)
        denominator = tl.sum(numerator, axis=0)
        softmax_output = numerator / denominator
        output_row_start_ptr = output_ptr + row_idx * output_row_stride
        tl.store(output_row_start_ptr + col_offsets, softmax_output, mask=mask)
`;
const matmul = `# case: a=f16[m, k] b=f16[k, n] c=out:f16[m, n] m=32 n=32 k=32 stride_am=k stride_ak=1 stride_bk=n stride_bn=1 stride_cm=n
# case: stride_cn=1 bm=8 bn=8 bk=8 group_size=2 grid='cdiv(m, bm) * cdiv(n, bn)' expect='c = dot(a, b)'
${head}def matmul_kernel(a_ptr, b_ptr, c_ptr, m, n, k,
                  stride_am, stride_ak, stride_bk, stride_bn, stride_cm, stride_cn,
                  bm: tl.constexpr, bn: tl.constexpr, bk: tl.constexpr, group_size: tl.constexpr):
    pid = tl.program_id(axis=0)
    num_pid_m = tl.cdiv(m, bm)
    num_pid_n = tl.cdiv(n, bn)
    pid_m, pid_n = tl.swizzle2d(pid // num_pid_n, pid % num_pid_n, num_pid_m, num_pid_n, group_size)
    offs_m = pid_m * bm + tl.arange(0, bm)
    offs_n = pid_n * bn + tl.arange(0, bn)
    offs_k = tl.arange(0, bk)
    a_ptrs = a_ptr + offs_m[:, None] * stride_am + offs_k[None, :] * stride_ak
    b_ptrs = b_ptr + offs_k[:, None] * stride_bk + offs_n[None, :] * stride_bn
    acc = tl.zeros((bm, bn), dtype=tl.float32)
    for k_start in range(0, k, bk):
        a = tl.load(a_ptrs, mask=(offs_m[:, None] < m) & (offs_k[None, :] < k - k_start), other=0.0)
        b = tl.load(b_ptrs, mask=(offs_k[:, None] < k - k_start) & (offs_n[None, :] < n), other=0.0)
        acc = tl.dot(a, b, acc)
        a_ptrs += bk * stride_ak
        b_ptrs += bk * stride_bk
    c_ptrs = c_ptr + offs_m[:, None] * stride_cm + offs_n[None, :] * stride_cn
    tl.store(c_ptrs, acc.to(tl.float16), mask=(offs_m[:, None] < m) & (offs_n[None, :] < n))
`;
export const examples = [
  {name: 'copy, wrong', panel: 'offsets', text: copy('tl.arange(0, bs)'),
    about: 'Three programs shall copy six numbers, two each. This kernel is wrong on purpose: which elements will be written? Guess, then look at the picture.'},
  {name: 'copy', panel: 'offsets', text: copy('pid * bs + tl.arange(0, bs)'), about: 'Each program has offsets of its own: two of the six elements.'},
  {name: 'add', panel: 'memory', text: add, about: 'The last program has lanes behind the end of x: the mask keeps them from memory.'},
  {name: 'softmax', panel: 'softmax', text: softmax, about: 'A row a turn, thirteen columns in a block of sixteen. What do the masked lanes hold?'},
  {name: 'matmul', panel: 'matmul', text: matmul, about: 'Which tiles does a program load, and in which order do the programs run?'},
];
