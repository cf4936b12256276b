"""Launches that nobody chose: sixty by a seed, over kernels, sizes, tiles, dtypes and warps. times.py predicts and times them.

Run: python3 blind.py SEED   prints them
"""

import random
import sys

COUNT = 60
# How often a kind comes: what people bring is half products, of which small tiles are what a learner tries first.
KINDS = {"product": 26, "rows": 12, "vector": 9, "picture": 7, "attention": 6}
PRODUCTS = ["matmul", "grouped_matmul", "lecture_matmul", "lecture_grouped_matmul", "block_pointer_matmul",
            "transposed_matmul", "persistent_matmul", "kernels/triton/matmul.py"]


def size(draw, least, most, unit):
    """A power of two, a multiple of `unit` or any number, each as often; wide sizes as often as narrow ones."""
    n = round(least * (most / least) ** draw.random())
    return draw.choice([1 << (n.bit_length() - 1), max(unit, n // unit * unit), n])


def product(draw):
    kernel = draw.choice(PRODUCTS)
    m, n, k = (size(draw, 256, 6144, 64) for _ in range(3))
    if draw.random() < 0.5:
        n = k = m
    bm, bn, bk = draw.choice([16, 32, 64, 128, 128]), draw.choice([16, 32, 64, 128, 256]), draw.choice([16, 32, 64])
    dtype = draw.choice(["f16", "f16", "f16", "bf16", "f32", "f32", "f8e4nv"])
    if dtype == "f8e4nv":
        bk = max(bk, 32)
    if dtype == "f32" and (m * n * k > 1 << 33 or bm * bn > 128 * 128):
        dtype = "f16"
    warps = draw.choice([4, 8]) if bm * bn >= 64 * 64 else draw.choice([1, 2, 4])
    if kernel == "persistent_matmul":  # whole boxes
        m, n, k, bn, bm, bk = m // 8 * 8, n // 8 * 8, k // 8 * 8, max(bn, 64), max(bm, 64), 64
        warps = max(warps, 4)
    if kernel.endswith(".py"):
        dtype = "f16"
        return [kernel, f"a=f16[{m},{k}]", f"b=f16[{k},{n}]", f"c=out:f16[{m},{n}]", f"m={m}", f"n={n}", f"k={k}",
                f"stride_am={k}", "stride_ak=1", f"stride_bk={n}", "stride_bn=1", f"stride_cm={n}", "stride_cn=1",
                f"BM={bm}", f"BN={bn}", f"BK={bk}", f"warps={warps}", "--grid=cdiv(m,BM)*cdiv(n,BN)"]
    return [kernel, f"m={m}", f"n={n}", f"k={k}", f"bm={bm}", f"bn={bn}", f"bk={bk}", f"dtype={dtype}", f"warps={warps}",
            f"stages={draw.choice([2, 3, 4])}"]


def rows(draw):
    kernel = draw.choice(["softmax", "softmax", "layernorm", "layernorm", "unfused_softmax"])
    cols = size(draw, 64, 32768 if kernel == "softmax" else 8192, 16)
    count = max(64, round(2 ** draw.uniform(18, 27)) // cols)
    words = [kernel, f"rows={count}", f"cols={cols}"]
    if kernel == "layernorm":
        words.append(f"dtype={draw.choice(['f16', 'bf16', 'f32'])}")
    if kernel != "unfused_softmax" and draw.random() < 0.4:
        words.append(f"warps={draw.choice([2, 4, 8, 16])}")
    return words


def vector(draw):
    kernel = draw.choice(["add", "copy", "sum", "dropout", "dropout_with_mask"])
    return [kernel, f"n={size(draw, 1 << 16, 1 << 28, 1024)}", f"block={draw.choice([128, 256, 1024, 4096, 8192])}",
            f"warps={draw.choice([2, 4, 8])}"]


def picture(draw):
    a, b, warps = size(draw, 256, 8192, 16), size(draw, 256, 8192, 16), draw.choice([2, 4, 8])
    if draw.random() < 0.5:
        return ["grey", f"h={a}", f"w={b}", f"block_h={draw.choice([1, 8, 32])}", f"block_w={draw.choice([32, 64, 128])}",
                f"warps={warps}"]
    block = draw.choice([16, 32, 64])
    return ["transpose", f"m={a}", f"n={b}", f"block_m={block}", f"block_n={draw.choice([16, 32, 64])}", f"warps={warps}"]


def attention(draw):
    dim, seq = draw.choice([32, 64, 128]), size(draw, 256, 8192, 64)
    heads = max(1, round(2 ** draw.uniform(12, 16)) // seq)
    bm = draw.choice([32, 64, 128])
    return ["attention", "batch=1", f"heads={heads}", f"seq={seq}", f"head_dim={dim}", f"bm={bm}",
            f"bn={draw.choice([b for b in (32, 64, 128) if b <= bm])}", f"causal={draw.choice(['true', 'false'])}",
            f"warps={draw.choice([4, 8]) if bm == 128 else 4}"]


def launches(seed):
    """Lists of words, each a launch; the same for the same seed."""
    draw = random.Random(seed)
    return [globals()[draw.choices(list(KINDS), KINDS.values())[0]](draw) for _ in range(COUNT)]


if __name__ == "__main__":
    for words in launches(int(sys.argv[1])):
        print(" ".join(words))
