import triton
import triton.language as tl

@triton.jit
def one(z_ptr):
    pid = tl.program_id(0)
    tl.store(z_ptr + pid, pid)

@triton.jit
def two(z_ptr):
    pid = tl.program_id(0)
    tl.store(z_ptr + pid, 2 * pid)
