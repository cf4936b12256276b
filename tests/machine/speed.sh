#!/bin/bash
# How fast the machine model is here, beside what is asked of it: tests/machine/speed.sh [PROGRAM] [REPEATS]
# PROGRAM: default build/tilescope. Needs no GPU and no toolkit: two programs an SM are assumed but for the first row, a command as one types it, whose kernel has
# been compiled with another group_size. One core; the best of REPEATS runs (7).
set -eu
tilescope=${1:-$(cd "$(dirname "$0")" && pwd)/../../build/tilescope}
repeats=${2:-7}
tiles="bm=128 bn=128 bk=64 warps=8 --ctas-per-sm 2"

# The least of some runs: milliseconds of the whole command, then accesses a second (in millions) and megabytes as the command itself says them.
best() {
  local ms=999999 rate=0 mb=0
  for _ in $(seq "$repeats"); do
    local begun=$(date +%s%N) json
    json=$(OMP_NUM_THREADS=1 "$tilescope" schedule "$@" --json)
    local now=$((($(date +%s%N) - begun) / 1000000))
    [ "$now" -lt "$ms" ] && ms=$now
    local field
    field() { sed -n "s/.*\"$1\": \([0-9]*\).*/\1/p" <<<"$json" | head -1; }
    [ $(($(field accesses_per_s) / 100000)) -gt "$rate" ] && rate=$(($(field accesses_per_s) / 100000))
    mb=$(($(field process_peak_bytes) / 1000000))
  done
  echo "$ms $((rate / 10)).$((rate % 10)) $mb"
}

row() { # what, asked, arguments
  local what=$1 asked=$2
  shift 2
  read -r ms rate mb <<<"$(best "$@")"
  printf '%-42s %6s ms %8s million accesses/s %5s MB   asked: %s\n' "$what" "$ms" "$rate" "$mb" "$asked"
}

slider="grouped_matmul m=4096 n=4096 k=4096 ${tiles% --ctas-per-sm 2}"
"$tilescope" schedule $slider group_size=8 > /dev/null
row '4096^3, another group_size' '50 ms' $slider group_size=7
row '8192^3 in tiles' '200 ms, 20 million/s' grouped_matmul m=8192 n=8192 k=8192 $tiles
row '16384^3 in tiles' '1500 ms, 20 million/s, 1000 MB' grouped_matmul m=16384 n=16384 k=16384 $tiles
row '8192^3 line by line' '100 million/s, 1000 MB' grouped_matmul m=8192 n=8192 k=8192 $tiles --lines
