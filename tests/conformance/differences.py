"""Where the interpreter differs from Triton's tests on purpose, and why; what cannot run for want of something else."""

import re

_reasons = [
    ("test_histogram_silent_data_corruption", "a bin beyond the histogram is a fault"),
]
# Of messages.
_wants = [
    (r"module 'torch' has no attribute '(float8|uint|float4)", "torch 1.13 has no such dtype"),
    (r"Torch not compiled with CUDA", "the test wants a GPU"),
    (r"0 compatible backends", "the test wants Triton's compiler"),
]


def reason(test):
    """None where it is a failure."""
    for pattern, why in _reasons:
        if re.search(pattern, test["id"]):
            return why
    return next((why for pattern, why in _wants if re.search(pattern, test["message"])), None)
