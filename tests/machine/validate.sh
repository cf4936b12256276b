#!/bin/bash
# On a machine with a GPU and ncu: measures the cases that the machine model is held against: tests/machine/validate.sh [OUT.json] [PROGRAM]
# OUT.json: default tests/machine/recorded/counters.json, which the test `machine_validation` replays. PROGRAM: default build/tilescope.
# CASES: another list; ROUNDS: of each case, default 2; CHIP: probes/chip.cu, built (else nvcc builds it), which tells the SMs and clocks of this very chip's GPCs.
# Two rounds of 128 cases take some five minutes. The clocks and the card's other settings stay as they are.
set -eu
here=$(cd "$(dirname "$0")" && pwd)
root=$(cd "$here/../.." && pwd)
out=${1:-$here/recorded/counters.json}
tilescope=${2:-$root/build/tilescope}
cases=${CASES:-$here/cases.json}
device=$root/interp/machine/devices/h200.json

chip=${CHIP:-}
if [ -z "$chip" ] && command -v nvcc >/dev/null; then
  chip=$(mktemp)
  trap 'rm -f "$chip"' EXIT
  nvcc -O2 -std=c++17 -gencode=arch=compute_90a,code=sm_90a -o "$chip" "$here/probes/chip.cu"
fi
[ -n "$chip" ] && lines=$("$chip" "$device") || { lines=; echo "no nvcc, or chip.cu failed: the clocks of this chip's GPCs stay unknown, and row-major products past the capacity edge cannot be judged"; }

# NVRTC compiles one kernel at a time in a process, and under ncu that is time lost. What a kernel is compiled for does not depend on
# its sizes, as long as they are multiples of 16.
sed -n 's/.*"run": "\([^"]*\)".*/\1/p' "$cases" |
  sed -E 's/\b(m|n|k)=[0-9]*[02468]\b/\1=1024/g; s/\b(batch|heads)=[0-9]+/\1=1/g; s/\bseq=[0-9]+/seq=1024/; s/\brows=[0-9]+/rows=1024/' | sort -u |
  OMP_NUM_THREADS=1 xargs -P "$(nproc)" -I{} sh -c "'$tilescope' compile {} >/dev/null 2>&1 || echo 'does not compile: {}'"

cd "$root"
"$tilescope" counters --cases "${cases#"$PWD"/}" --rounds "${ROUNDS:-2}" --json >"$out.new"
if [ -n "$lines" ]; then
  lines=$lines awk '/^ "runs": \[/ { n = split(ENVIRON["lines"], line, "\n"); for (i = 1; i <= n; ++i) print " " line[i] } { print }' "$out.new" >"$out.chip"
  mv "$out.chip" "$out.new"
fi
mv "$out.new" "$out"
echo "$out: $(grep -c '"run"' "$out") runs${lines:+, $(tail -n 1 <<<"$lines")}"
