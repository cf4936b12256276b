// A variable of the module that the host finds by its symbol and sets.
#pragma once

namespace tl::cuda {

// A template, so that only a module that uses it has it.
template <class T>
__device__ T global_of;

}  // namespace tl::cuda
