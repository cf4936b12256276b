from tilescope.errors import Unavailable as OutOfResources
from tilescope.jit import Autotuner, Config, Heuristics, autotune, heuristics
