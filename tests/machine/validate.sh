#!/bin/bash
# On a machine with a GPU and ncu: measures the cases that the machine model is held against: tests/machine/validate.sh [OUT.json] [PROGRAM]
# OUT.json: default tests/machine/recorded/counters.json, which the test `machine_validation` replays. PROGRAM: default build/tilescope.
# Two rounds of 128 cases take some five minutes. The clocks and the card's other settings stay as they are.
set -eu
here=$(cd "$(dirname "$0")" && pwd)
out=${1:-$here/recorded/counters.json}
tilescope=${2:-$here/../../build/tilescope}
cases=${CASES:-$here/cases.json}

# NVRTC compiles one kernel at a time in a process, and under ncu that is time lost. What a kernel is compiled for does not depend on
# its sizes, as long as they are multiples of 16.
sed -n 's/.*"run": "\([^"]*\)".*/\1/p' "$cases" |
  sed -E 's/\b(m|n|k)=[0-9]*[02468]\b/\1=1024/g; s/\b(batch|heads)=[0-9]+/\1=1/g; s/\bseq=[0-9]+/seq=1024/; s/\brows=[0-9]+/rows=1024/' | sort -u |
  OMP_NUM_THREADS=1 xargs -P "$(nproc)" -I{} sh -c "'$tilescope' compile {} >/dev/null 2>&1 || echo 'does not compile: {}'"

cd "$here/../.."
"$tilescope" counters --cases "${cases#"$PWD"/}" --rounds "${ROUNDS:-2}" --json >"$out.new"
mv "$out.new" "$out"
echo "$out: $(grep -c '"run"' "$out") runs"
