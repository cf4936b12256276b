// Variables of the module that the host finds by their symbols and sets.
#pragma once

namespace tl::cuda {

// Templates, so that only a module that uses one has it.
template <class T>
__device__ T global_of;

}  // namespace tl::cuda
