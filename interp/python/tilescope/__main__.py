import sys

from tilescope.script import main

sys.exit(main(sys.argv[1:]))
