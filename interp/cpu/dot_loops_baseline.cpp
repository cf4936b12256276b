// The matrix product for every machine: see dot_loops.inl, chip_dot_loops.inl.
#define TL_LOOPS baseline
#define TL_DOT_BYTES 16  // of a register
#define TL_DOT_ROWS 4
#include "interp/cpu/chip_dot_loops.inl"
#include "interp/cpu/dot_loops.inl"
