#!/bin/sh
# Is every C++ and CUDA file as clang-format 19 lays it out? Kernels' texts are laid out by hand, as their Triton originals are: of them only the width counts.
# Usage: format.sh ROOT. Exit code 77: skipped.
cd "$1" || exit 1
clang_format=$(command -v clang-format-19 || command -v clang-format) || { echo "skipped: no clang-format here (apt-get install clang-format-19)"; exit 77; }
$clang_format --version | grep -q "version 19\." || { echo "skipped: $($clang_format --version), and the layout is version 19's"; exit 77; }

files=$(find interp kernels viz lessons tests -name '*.h' -o -name '*.cpp' -o -name '*.inl' -o -name '*.cu' -o -name '*.cuh')
is_kernel_text='^(kernels|lessons/(puzzles/)?[0-9][^/]*(/wrong|/right)?|tests/cuda/[a-z]*/kernels)/[^/]*\.h$'
failed=0
echo "$files" | grep -vE "$is_kernel_text" | xargs "$clang_format" --dry-run --Werror 2>&1 | grep "error:" | cut -d: -f1,2 | sort -u | grep . && {
  echo "fix: clang-format -i FILE"
  failed=1
}
echo "$files" | grep -E "$is_kernel_text" | xargs awk 'length > 120 {print FILENAME ":" FNR ": wider than 120 columns"; wide = 1} END {exit wide}' || failed=1
# clang-format leaves long texts in quotes; only tests quote what other programs wrote.
echo "$files" | grep -v '^tests/' | xargs awk 'length > 200 {print FILENAME ":" FNR ": wider than 200 columns"; wide = 1} END {exit wide}' || failed=1
exit $failed
