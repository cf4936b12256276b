// Every function of the fake driver succeeds, unless fake_driver.cpp defines it: these are weak.
#include "interp/cuda/host/driver_api.h"

using namespace tl::cuda;

#pragma GCC diagnostic ignored "-Wunused-parameter"
#define TILESCOPE_SUCCEED(name, symbol, parameters)                                 \
  extern "C" __attribute__((weak)) CUresult fake_##name parameters __asm__(symbol); \
  CUresult fake_##name parameters { return CUDA_SUCCESS; }
TILESCOPE_DRIVER_FUNCTIONS(TILESCOPE_SUCCEED)
