#!/bin/bash
# Checks and times tilescope on a machine with a GPU, in one call: tests/gpu.sh [--sanitize] [--record] [FOLDER]
# FOLDER holds a build made elsewhere (cuda_tests, cuda_kernels_tests, cuda_bits_tests, ops_tests, cuda_ops_tests, tilescope, and lib/
# with what the loader lacks here); without it, builds here first.
# With PEER="python3 triton_gpu.py" that command runs last, for its figures of the same machine in the same hour.
# --record keeps the lectures' sweeps and a tuning at five sizes in kernels/recorded/, for those without a GPU.
# Prints the table of timings last.
set -u
root=$(cd "$(dirname "$0")/.." && pwd)
sanitize=0 record=0
while case ${1:-} in --sanitize) sanitize=1 ;; --record) record=1 ;; *) false ;; esac; do shift; done
if [ $# -ge 1 ]; then
  build=$(cd "$1" && pwd)
else
  build=$root/build
  cmake --preset dev -S "$root" >/dev/null && cmake --build "$build" --target cuda_tests cuda_kernels_tests cuda_bits_tests ops_tests cuda_ops_tests tilescope || exit 1
fi
export LD_LIBRARY_PATH=$build/lib:${LD_LIBRARY_PATH:-} TILESCOPE_CUDA_FIXTURE=$root/tests/cuda/fixture
export TILESCOPE_TENSOR_CASES=$root/tests/cuda/tensor
XDG_CACHE_HOME=$(mktemp -d)
export XDG_CACHE_HOME
trap 'rm -rf "$XDG_CACHE_HOME"' EXIT
failed=()
check() {  # NAME COMMAND...: runs it, shows its output where it fails
  local name=$1 log; shift
  if log=$("$@" 2>&1); then echo "ok      $name"; else echo "FAILED  $name"; echo "$log" | tail -40; failed+=("$name"); fi
}

# Built-in kernels at small and odd sizes, for Hopper and for sm_80; other projects' kernels; Triton's text. Eight at a time.
sanitized() {  # TOOL
  { cat <<'TABLE'
add n=5000
add n=1 block=128
copy n=1000 block=64
dropout n=5000
dropout_with_mask n=5000
grey h=37 w=53
grey h=37 w=53 --generic
sum n=5000
swizzle
transpose m=100 n=77
softmax rows=7 cols=1000
softmax rows=300 cols=128 programs=4
softmax rows=3 cols=5000 block=1024 warps=8
unfused_softmax rows=5 cols=333
layernorm rows=7 cols=1000
layernorm rows=5 cols=4000 dtype=f32 warps=8
matmul m=200 n=136 k=104
matmul m=200 n=136 k=104 --generic
matmul m=130 n=130 k=66 dtype=f32
matmul m=300 n=264 k=200 bm=128 bn=128 bk=64 warps=4 stages=4
matmul m=300 n=264 k=200 bm=128 bn=256 bk=64 warps=8
grouped_matmul m=200 n=136 k=104 group_size=3
grouped_matmul m=200 n=136 k=104 dtype=f32
grouped_matmul m=257 n=129 k=67 bm=128 bn=128
lecture_matmul m=33 n=65 k=47
lecture_grouped_matmul m=100 n=65 k=47 group_size=2
block_pointer_matmul m=200 n=136 k=104
transposed_matmul m=200 n=136 k=104
persistent_matmul m=300 n=264 k=200
persistent_matmul m=300 n=264 k=200 --generic
persistent_matmul m=520 n=264 k=200 bm=128 bn=256 b=kn programs=3
promoted_matmul m=200 n=144 k=512
attention seq=300
attention seq=300 --generic
attention seq=257 head_dim=128 causal=false bm=128 warps=8
attention_backward seq=200
TABLE
    grep -oE 'struct \w+_kernel' "$root"/tests/ports/*/*.h | sed 's/:struct /:/'
    ls "$root"/kernels/triton/*.py
  } | xargs -P 8 -I{} sh -c 'said=$(TILESCOPE_GUARDS=0 compute-sanitizer --tool "$0" --error-exitcode 9 "$1" run $2 --device cuda 2>&1) ||
      { echo "$2: $said" | tail -30; exit 1; }' "$1" "$build/tilescope" {}
}

nvidia-smi --query-gpu=name,driver_version --format=csv,noheader || exit 1
check "the tests" "$build/cuda_tests"
# After these a process can use the GPU no more, so that each has one to itself.
for name in "*far outside*" "*never ends*"; do
  check "the test $name" timeout 60 "$build/cuda_tests" --no-skip -tc="$name"
done
check "the test of a failing device_assert" env TILESCOPE_SOURCES="$root" timeout 60 "$build/ops_tests" --no-skip -tc="device_assert*"
if [ $sanitize = 1 ]; then
  # Guards around tensors would hide a short step outside; the test of a tensor that does not fit asks for an error on purpose.
  for tool in memcheck racecheck synccheck; do
    check "compute-sanitizer $tool, kernels" sanitized "$tool"
    sanitizer="env TILESCOPE_GUARDS=0 compute-sanitizer --tool $tool --error-exitcode 1"
    check "compute-sanitizer $tool, host" $sanitizer "$build/cuda_tests" -tce="*larger than the GPU*"
    for ops in ops_tests cuda_ops_tests; do
      check "compute-sanitizer $tool, $ops" env TILESCOPE_SOURCES="$root" $sanitizer "$build/$ops"
    done
  done
fi

[ -x "$build/cuda_bits_tests" ] && check "bit by bit, against the interpreter" "$build/cuda_bits_tests"
check "every kernel against its reference" "$build/cuda_kernels_tests"
for ops in ops_tests cuda_ops_tests; do
  [ -x "$build/$ops" ] && check "every op, $ops" env TILESCOPE_SOURCES="$root" "$build/$ops"
done

if [ -x "$build/tilescope" ]; then
  # shellcheck disable=SC2016  # a shell of its own for each
  ports() {
    grep -oE 'struct \w+_kernel' "$root"/tests/ports/*/*.h | sed 's/:struct /:/' | xargs -P 8 -I{} \
      sh -c 'said=$("$0" run "$1" --device cuda 2>&1) || { echo "$1: $said"; exit 1; }' "$build/tilescope" {}
  }
  check "kernels of other projects" ports
  while read -r kernel settings; do
    # shellcheck disable=SC2086  # settings are words
    if out=$("$build/tilescope" bench "$kernel" $settings --device cuda 2>&1); then echo "$out" | sed -n '2p;4,5p'
    else echo "$out"; failed+=("bench $kernel $settings"); fi
  done <<'TABLE'
add n=268435456
softmax rows=32768 cols=4096
layernorm rows=32768 cols=4096
transpose m=8192 n=8192
dropout n=268435456
matmul m=4096 n=4096 k=4096 bm=256 bn=128 bk=64 warps=8
persistent_matmul m=4096 n=4096 k=4096 bm=128 bn=256
persistent_matmul m=8192 n=8192 k=8192 bm=128 bn=256
persistent_matmul m=4096 n=4096 k=4096 bm=128 bn=256 b=kn
attention batch=4 heads=32 seq=4096 head_dim=64 causal=false
attention batch=4 heads=32 seq=4096 head_dim=64
attention batch=4 heads=16 seq=4096 head_dim=128 causal=false
attention batch=4 heads=16 seq=4096 head_dim=128
TABLE
fi
if [ $record = 1 ]; then
  while read -r words; do
    # shellcheck disable=SC2086  # words
    (cd "$root" && "$build/tilescope" $words --device cuda --record) || failed+=("$words")
  done <<'SWEEPS'
bench lecture_matmul lecture_grouped_matmul --tuned --sweep m=n=k=32:2048:x2 --ms 50
bench lecture_matmul lecture_grouped_matmul m=512 n=512 k=512 --sweep bm=bn=bk=16:64:x2 --ms 50
bench unfused_softmax softmax --tuned rows=4096 --sweep cols=256:12672:+128 --ms 20
tune matmul --sweep m=n=k=512:8192:x2 --ms 50
SWEEPS
fi
if [ -x "$build/tilescope" ]; then
  chip=$(nvidia-smi --query-gpu=name --format=csv,noheader | grep -oiE 'h[12]00' | head -1 | tr H h)
  [ -z "$chip" ] || (cd "$root" && python3 tests/machine/times.py measure "$build/tilescope" "$chip") || failed+=("the model's times")
fi
[ -z "${PEER:-}" ] || $PEER || failed+=("$PEER")
[ ${#failed[@]} = 0 ] || { printf 'FAILED: %s\n' "${failed[@]}"; exit 1; }
