// The loops for avx512: see loops.inl.
#define TL_LOOPS avx512
#include "interp/cpu/loops.inl"
