"""In every Python of a run, those that tests start, too."""

import os

if "CONFORMANCE_WAY" in os.environ:
    import triton_for_tests
    triton_for_tests.prepare(os.environ["CONFORMANCE_WAY"], os.environ["CONFORMANCE_TRITON"],
                             os.environ["CONFORMANCE_CHECK"])
