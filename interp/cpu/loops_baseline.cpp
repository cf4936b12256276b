// The loops for every machine: see loops.inl.
#define TL_LOOPS baseline
#include "interp/cpu/loops.inl"
