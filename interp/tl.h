// The umbrella, a kernel's only include: the executor that compiles the kernel decides which language types it means.
#pragma once

#ifdef __CUDACC_RTC__
#include "interp/cuda/device/tl.h"
#else
#include "interp/cpu/language.h"
#endif
