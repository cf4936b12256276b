"""TILESCOPE=1: Triton's kernels run on tilescope's interpreter from the moment that something imports triton.

Python runs this at each start where the wheel is installed (tilescope.pth), so that it imports nothing more."""

import os
import sys


class AtTriton:
    """Is asked at every import, and acts at that of triton."""

    @staticmethod
    def find_spec(name, path=None, target=None):
        words = os.environ.get("TILESCOPE", "")
        if name != "triton" or not (words == "1" or words.startswith("-")):
            return None
        sys.meta_path.remove(AtTriton)
        from tilescope.script import activate_by_environment
        return activate_by_environment(words)


sys.meta_path.insert(0, AtTriton)
