# The same order in Triton, as its matmul tutorial writes it.
import triton
import triton.language as tl


@triton.jit
def grouped_pid(m, n, bm: tl.constexpr, bn: tl.constexpr, group_size: tl.constexpr):
    pid = tl.program_id(0)
    num_pid_m = tl.cdiv(m, bm)
    num_pid_n = tl.cdiv(n, bn)
    per_group = group_size * num_pid_n
    first = pid // per_group * group_size
    rows = min(num_pid_m - first, group_size)
    pid_m = first + pid % per_group % rows
    pid_n = pid % per_group // rows
    return pid_m, pid_n


def gigabytes_per_second(size, ms):
    # A and B are read, f32, and C is written, f16: size * size elements each. The lecture's table divides 12 * size.
    return (4 + 4 + 2) * size * size / (ms * 1e-3) * 1e-9
