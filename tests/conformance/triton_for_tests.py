"""Makes `import triton` work for the tests: the Triton that is installed, or the Python part of its sources."""

import importlib.util
import os
import sys


def prepare(way, folder, check):
    if importlib.util.find_spec("triton") is None:
        if way == "triton":
            sys.exit("Triton is not installed: its own interpreter cannot run")
        import libtriton_standin
        libtriton_standin.put_in()
        sys.path.append(folder)
    import old_torch
    old_torch.mend()
    if way == "tilescope":
        from tilescope import session
        from tilescope.script import activate
        session.begin(session.Session("" if check == "none" else check))
        activate()
    _take_tests_helpers(folder)


def _take_tests_helpers(folder):
    """Triton's package has the helpers of its tests; those of the tests' own commit are taken."""
    file = os.path.join(folder, "triton", "_internal_testing.py")
    if not os.path.exists(file):
        return
    spec = importlib.util.spec_from_file_location("triton._internal_testing", file)
    module = importlib.util.module_from_spec(spec)
    sys.modules[spec.name] = module
    spec.loader.exec_module(module)

