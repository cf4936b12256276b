# How often each level occurs in a picture.  counts[l] = number of i with x[i] = l; counts begins at 0
import triton
import triton.language as tl


@triton.jit
def histogram_kernel(x_ptr, counts_ptr, n, BINS: tl.constexpr, BLOCK: tl.constexpr):
    counts = tl.zeros((BINS,), tl.int32)
    for start in tl.range(tl.program_id(0) * BLOCK, n, tl.num_programs(0) * BLOCK):
        offs = start + tl.arange(0, BLOCK)
        x = tl.load(x_ptr + offs, mask=offs < n, other=0).to(tl.int32)
        counts += tl.histogram(x, BINS, offs < n)
    tl.atomic_add(counts_ptr + tl.arange(0, BINS), counts)
