#!/bin/sh
# Runs client_test.js where Node and the client are there; exit code 77: skipped. Usage: client.sh PROGRAM TEST
packages="${XDG_CACHE_HOME:-$HOME/.cache}/tilescope/npm/node_modules"  # where .ci/setup puts them
command -v node >/dev/null || { echo "skipped: no node here (apt-get install nodejs npm, then .ci/setup test)"; exit 77; }
[ -d "$packages/@vscode/debugadapter-testsupport" ] || {
  echo "skipped: no @vscode/debugadapter-testsupport here (.ci/setup test installs it, where there is npm)"
  exit 77
}
NODE_PATH="$packages" TILESCOPE_PROGRAM="$1" exec node --test "$2"
