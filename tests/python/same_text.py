"""Times the same Triton texts by Triton and by tilescope on this machine's GPU, and compares their results with torch's.

    python3 same_text.py [PACKAGE] [CASE...]

needs torch with CUDA and Triton. PACKAGE: the folder that holds the package tilescope. Both sides are timed alike, in
turns, by triton.testing.do_bench (its cache is flushed), each by the better of its warps."""

import importlib.util
import pathlib
import sys
import tempfile

_here = pathlib.Path(__file__).resolve().parent
_kernels = _here.parents[1] / "kernels" / "triton"
_head = "import triton\nimport triton.language as tl\n\n\n"

# As most of the copied ones are written: rows and columns modulo the shape, a loop without a mask but k's.
_MODULO = """@triton.jit
def modulo_kernel(a_ptr, b_ptr, c_ptr, m, n, k, stride_am, stride_ak, stride_bk, stride_bn, stride_cm, stride_cn,
                  BM: tl.constexpr, BN: tl.constexpr, BK: tl.constexpr, GROUP_SIZE: tl.constexpr):
    pid = tl.program_id(axis=0)
    num_pid_m = tl.cdiv(m, BM)
    num_pid_n = tl.cdiv(n, BN)
    in_group = GROUP_SIZE * num_pid_n
    first_m = pid // in_group * GROUP_SIZE
    group_m = min(num_pid_m - first_m, GROUP_SIZE)
    pid_m = first_m + pid % in_group % group_m
    pid_n = pid % in_group // group_m
    rows = (pid_m * BM + tl.arange(0, BM)) % m
    columns = (pid_n * BN + tl.arange(0, BN)) % n
    ks = tl.arange(0, BK)
    a_ptrs = a_ptr + (rows[:, None] * stride_am + ks[None, :] * stride_ak)
    b_ptrs = b_ptr + (ks[:, None] * stride_bk + columns[None, :] * stride_bn)
    acc = tl.zeros((BM, BN), dtype=tl.float32)
    for i in range(0, tl.cdiv(k, BK)):
        a = tl.load(a_ptrs, mask=ks[None, :] < k - i * BK, other=0.0)
        b = tl.load(b_ptrs, mask=ks[:, None] < k - i * BK, other=0.0)
        acc = tl.dot(a, b, acc)
        a_ptrs += BK * stride_ak
        b_ptrs += BK * stride_bk
    c_m = pid_m * BM + tl.arange(0, BM)
    c_n = pid_n * BN + tl.arange(0, BN)
    mask = (c_m[:, None] < m) & (c_n[None, :] < n)
    tl.store(c_ptr + stride_cm * c_m[:, None] + stride_cn * c_n[None, :], acc.to(tl.float16), mask=mask)
"""

# As Triton's tutorial orders it: scores, softmax and values of one block of keys in one turn.
_ATTENTION = """@triton.jit
def attention_kernel(q_ptr, k_ptr, v_ptr, o_ptr, scale, n, D: tl.constexpr, BM: tl.constexpr, BN: tl.constexpr,
                     CAUSAL: tl.constexpr):
    rows = tl.program_id(0) * BM + tl.arange(0, BM)
    d = tl.arange(0, D)
    head = tl.program_id(1).to(tl.int64) * n * D
    q = tl.load(q_ptr + head + rows[:, None] * D + d[None, :])
    largest = tl.full((BM,), float("-inf"), tl.float32)
    total = tl.zeros((BM,), tl.float32)
    acc = tl.zeros((BM, D), tl.float32)
    scale *= 1.44269504
    end = n
    if CAUSAL:
        end = (tl.program_id(0) + 1) * BM
    for start in range(0, end, BN):
        columns = start + tl.arange(0, BN)
        k = tl.load(k_ptr + head + columns[None, :] * D + d[:, None])
        scores = tl.dot(q, k)
        if CAUSAL:
            scores = scores + tl.where(rows[:, None] >= columns[None, :], 0, -1.0e6)
        new_largest = tl.maximum(largest, tl.max(scores, 1) * scale)
        p = tl.math.exp2(scores * scale - new_largest[:, None])
        alpha = tl.math.exp2(largest - new_largest)
        total = total * alpha + tl.sum(p, 1)
        acc = acc * alpha[:, None]
        v = tl.load(v_ptr + head + columns[:, None] * D + d[None, :])
        acc = tl.dot(p.to(tl.float16), v, acc)
        largest = new_largest
    tl.store(o_ptr + head + rows[:, None] * D + d[None, :], (acc / total[:, None]).to(tl.float16))
"""

# Rows by a table, and a mask that depends on it, as a mixture of experts has them.
_EXPERTS = """@triton.jit
def experts_kernel(a_ptr, b_ptr, c_ptr, tokens_ptr, experts_ptr, N, K, valid, BM: tl.constexpr, BN: tl.constexpr,
                   BK: tl.constexpr):
    pid = tl.program_id(0)
    pid_m = pid // tl.cdiv(N, BN)
    pid_n = pid % tl.cdiv(N, BN)
    tokens = tl.load(tokens_ptr + pid_m * BM + tl.arange(0, BM))
    token_mask = tokens < valid
    columns = (pid_n * BN + tl.arange(0, BN)) % N
    ks = tl.arange(0, BK)
    a_ptrs = a_ptr + tokens[:, None] // 2 * K + ks[None, :]
    b_ptrs = b_ptr + tl.load(experts_ptr + pid_m).to(tl.int64) * K * N + ks[:, None] * N + columns[None, :]
    acc = tl.zeros((BM, BN), dtype=tl.float32)
    for k in range(0, tl.cdiv(K, BK)):
        a = tl.load(a_ptrs, mask=token_mask[:, None] & (ks[None, :] < K - k * BK), other=0.0)
        b = tl.load(b_ptrs, mask=ks[:, None] < K - k * BK, other=0.0)
        acc += tl.dot(a, b)
        a_ptrs += BK
        b_ptrs += BK * N
    c_n = pid_n * BN + tl.arange(0, BN)
    c_ptrs = c_ptr + N * tokens[:, None] + c_n[None, :]
    tl.store(c_ptrs, acc.to(tl.float16), mask=token_mask[:, None] & (c_n[None, :] < N))
"""
_TEXTS = {"modulo": _MODULO, "attention": _ATTENTION, "experts": _EXPERTS}


def product(torch, size):
    a, b = (torch.randn(size, size, device="cuda", dtype=torch.float16) / 8 for _ in range(2))
    c = torch.zeros(size, size, device="cuda", dtype=torch.float16)
    return a, b, c, [a, b, c, size, size, size, *a.stride(), *b.stride(), *c.stride()], a @ b


def matmul(torch, size, more=()):
    a, b, c, arguments, expected = product(torch, size)
    tiles = (-(-size // 128)) * (-(-size // 128))
    return (tiles,), [*arguments, 128, 128, 64, *more], c, expected


def softmax(torch, rows, columns):
    x = torch.randn(rows, columns, device="cuda")
    y = torch.zeros_like(x)
    block = 1 << (columns - 1).bit_length()
    return (rows,), [y, x, x.stride(0), y.stride(0), rows, columns, block, 2], y, torch.softmax(x, 1)


def layernorm(torch, rows, columns):
    x, y = torch.randn(rows, columns, device="cuda").half(), torch.zeros(rows, columns, device="cuda").half()
    w, b = torch.randn(columns, device="cuda").half(), torch.randn(columns, device="cuda").half()
    expected = torch.nn.functional.layer_norm(x, (columns,), w, b, 1e-5)
    return (rows,), [x, w, b, y, x.stride(0), columns, 1e-5, 1 << (columns - 1).bit_length()], y, expected


def add(torch, n):
    x, y, z = torch.randn(n, device="cuda"), torch.randn(n, device="cuda"), torch.zeros(n, device="cuda")
    return (-(-n // 1024),), [x, y, z, n, 1024], z, x + y


def transpose(torch, m, n):
    x, y = torch.randn(m, n, device="cuda"), torch.zeros(n, m, device="cuda")
    return (-(-m // 64), -(-n // 64)), [x, y, m, n, 64, 64], y, x.T


def attention(torch, heads, n, d, causal):
    q, k, v = (torch.randn(1, heads, n, d, device="cuda").half() for _ in range(3))
    o = torch.zeros_like(q)
    expected = torch.nn.functional.scaled_dot_product_attention(q, k, v, is_causal=causal)
    return (n // 128, heads), [q, k, v, o, d**-0.5, n, d, 128, 64, causal], o, expected


def experts(torch, rows, n, k, count=8):
    """rows: pairs of a token and an expert; each token goes to two experts, and each expert has as many rows."""
    a = torch.randn(rows // 2, k, device="cuda").half() / 8
    b = torch.randn(count, k, n, device="cuda").half() / 8
    c = torch.zeros(rows, n, device="cuda").half()
    tokens = torch.randperm(rows, device="cuda", dtype=torch.int32)
    by_block = torch.arange(rows // 128, device="cuda", dtype=torch.int32) * count // (rows // 128)
    expected = torch.zeros(rows, n, device="cuda")
    for i in range(rows // 128):
        mine = tokens[128 * i:128 * (i + 1)].long()
        expected[mine] = (a[mine // 2] @ b[by_block[i].item()]).float()
    valid = rows - 100  # the last ones are padding
    expected[valid:] = 0
    return (rows // 128 * (-(-n // 128)),), [a, b, c, tokens, by_block, n, k, valid, 128, 128, 64], c, expected


CASES = {
    "add 2^26": ("add", lambda t: add(t, 1 << 26)),
    "add 1000003": ("add", lambda t: add(t, 1000003)),
    "softmax 32768 x 4096": ("softmax", lambda t: softmax(t, 32768, 4096)),
    "softmax 1823 x 781": ("softmax", lambda t: softmax(t, 1823, 781)),
    "layernorm 32768 x 4096": ("layernorm", lambda t: layernorm(t, 32768, 4096)),
    "layernorm 4096 x 3000": ("layernorm", lambda t: layernorm(t, 4096, 3000)),
    "transpose 8192 x 4096": ("transpose", lambda t: transpose(t, 8192, 4096)),
    "matmul 4096": ("matmul", lambda t: matmul(t, 4096)),
    "matmul 1000": ("matmul", lambda t: matmul(t, 1000)),
    "grouped_matmul 4096": ("grouped_matmul", lambda t: matmul(t, 4096, (8,))),
    "modulo_matmul 4096": ("modulo", lambda t: matmul(t, 4096, (8,))),
    "modulo_matmul 1000": ("modulo", lambda t: matmul(t, 1000, (8,))),
    "experts 8192 x 4096 x 4096": ("experts", lambda t: experts(t, 8192, 4096, 4096)),
    "attention D 64, 4096": ("attention", lambda t: attention(t, 128, 4096, 64, False)),
    "attention D 64, 4096, causal": ("attention", lambda t: attention(t, 128, 4096, 64, True)),
    "attention D 128, 4096": ("attention", lambda t: attention(t, 64, 4096, 128, False)),
}


def main(words):
    if words and pathlib.Path(words[0]).is_dir():
        sys.path.insert(0, words.pop(0))
    import torch
    import triton
    import tilescope
    print(f"{torch.cuda.get_device_name()}, Triton {triton.__version__}\n"
          f"{'case':<30} {'Triton':>10} {'tilescope':>10} {'ratio':>6}  largest difference from torch's")
    wrong = False
    with tempfile.TemporaryDirectory() as folder:
        for name, (kernel, make) in CASES.items():
            if not words or any(w in name for w in words):
                wrong |= not compare(torch, triton, tilescope, pathlib.Path(folder), name, kernel, make)
    return int(wrong)


def compare(torch, triton, tilescope, folder, name, kernel, make):
    """Whether ours is as near to torch's result as Triton's is."""
    torch.manual_seed(0)
    text = _TEXTS.get(kernel) or (_kernels / f"{kernel}.py").read_text()
    file = folder / f"{kernel}.py"
    file.write_text(_head + text)
    spec = importlib.util.spec_from_file_location(f"same_text_{kernel}", file)
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    grid, arguments, out, expected = make(torch)
    times, differences = {}, {}
    for side, launched in ("Triton", getattr(module, f"{kernel}_kernel")), ("tilescope", tilescope.kernel(str(file))):
        best = float("inf")
        for warps in (4, 8):
            out.zero_()
            try:
                launched[grid](*arguments, num_warps=warps)
                torch.cuda.synchronize()
                differences[side] = (out.float() - expected.float()).abs().max().item()
                best = min(best, triton.testing.do_bench(lambda: launched[grid](*arguments, num_warps=warps)))
            except Exception as e:
                print(f"{name}: {side}, {warps} warps: {str(e)[:300]}", file=sys.stderr)
        times[side] = best
    print(f"{name:<30} {times['Triton'] * 1000:>7.1f} us {times['tilescope'] * 1000:>7.1f} us "
          f"{times['Triton'] / times['tilescope']:>6.2f}  {differences.get('Triton', float('nan')):.3g}, "
          f"{differences.get('tilescope', float('nan')):.3g}", flush=True)
    return differences.get("tilescope", float("inf")) <= max(2 * differences.get("Triton", 0), 1e-5)


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
