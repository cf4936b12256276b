// The loops for avx2: see loops.inl.
#define TL_LOOPS avx2
#include "interp/cpu/loops.inl"
