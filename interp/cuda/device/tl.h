// What kernels include under NVRTC: the language on CUDA.
#pragma once

#include "interp/cuda/device/pipeline/warp_specialized.h"
