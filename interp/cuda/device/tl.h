// What kernels include under NVRTC: the language on CUDA.
#pragma once

#include "interp/cuda/device/context.h"
#if defined(__CUDA_ARCH_FEAT_SM90_ALL) && !defined(TILESCOPE_GENERIC)
#include "interp/cuda/device/pipeline/warp_specialized.h"
#endif
