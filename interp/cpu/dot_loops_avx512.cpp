// The matrix product for avx512: see dot_loops.inl, chip_dot_loops.inl.
#define TL_LOOPS avx512
#define TL_DOT_BYTES 64  // of a register
#define TL_DOT_ROWS 8
#include "interp/cpu/chip_dot_loops.inl"
#include "interp/cpu/dot_loops.inl"
