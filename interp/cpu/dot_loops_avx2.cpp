// The matrix product for avx2: see dot_loops.inl, chip_dot_loops.inl.
#define TL_LOOPS avx2
#define TL_DOT_BYTES 32  // of a register
#define TL_DOT_ROWS 4
#include "interp/cpu/chip_dot_loops.inl"
#include "interp/cpu/dot_loops.inl"
