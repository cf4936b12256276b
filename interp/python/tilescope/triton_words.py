"""What Triton says where both refuse: test suites and scripts look for its words."""

import re

# What our message has, and what Triton raises; its names of dtypes are Triton's in {}.
_refusals = [
    (r"[&|^]: it takes integers and masks, not (\w+)", "invalid operands of type {}"),
    (r"signed and unsigned do not divide", "Cannot use % because they have different signedness"),
    (r"/ of (\w+) and (\w+), of which one has a sign", "Cannot use / because they have different signedness"),
    (r"the literal (\S+) does not fit (\w+)", "Scalar {} is out of range for type {}"),
    (r"a grid has no axis (-?\d+)", "program_id axis must be 0, 1, or 2 but got {}"),
    (r"a block has no slices but : and None", "unsupported tensor index"),
    (r"there is no axis (-?\d+) of \d+", "invalid axis {}. Expected an axis of the block"),
    (r"a row of a tile has (\d+) bytes",
     "Descriptor block shape must have at least 16 bytes in the last dimension, but got {} bytes"),
    (r"axis \d+ is named twice: (\[[\d, ]+\])", "duplicate axes, normalized axes = {}"),
    (r"static_assert does not hold", "AssertionError"),
    (r"a GPU has no tl\.(atomic_\w+) of (\w+)", "{} does not support {}"),
]
_dtypes = {"f16": "fp16", "f32": "fp32", "f64": "fp64", "f8e5": "fp8e5", "f8e4nv": "fp8e4nv", "i1": "int1"}


def triton_words(message):
    """"invalid operands of type fp32" of "&: it takes integers and masks, not f32"; None: it says nothing of the kind."""
    for ours, theirs in _refusals:
        if found := re.search(ours, message):
            return theirs.format(*(_dtypes.get(word, word) for word in found.groups()))
    return None
