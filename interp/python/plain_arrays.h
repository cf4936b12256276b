// Arrays as scripts mostly pass them, read in a microsecond; tilescope/arrays.py reads the others, and says what is
// wrong.
#pragma once

#include <pybind11/pybind11.h>

#include <optional>
#include <string>

#include "interp/lang/tensor.h"

namespace tl::python {

struct ArrayRules {
  // A view may have any strides, and its elements end where the memory does that it is a view of; else where its own
  // do.
  bool reaches_storage = false;
  bool takes_gpu = false;  // tensors of the first GPU, whose data is not looked at
};

// NumPy's, by its protocol __array_struct__: aligned, contiguous, writable, of a dtype that NumPy itself has; torch's
// on the CPU or the GPU. Both have an axis at least. Nothing for other arrays and other values.
std::optional<Tensor> plain_array(const std::string& name, const pybind11::handle& value, ArrayRules rules);

}  // namespace tl::python
