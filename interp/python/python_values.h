// Python's values as kernels of Python's take them: what tilescope/captured.py makes of globals and arguments.
#pragma once

#include <pybind11/pybind11.h>

#include "interp/python/python_kernel.h"

namespace tl::python {

// Of a list of captured.Function.
std::unique_ptr<PythonKernel> python_kernel_of(const pybind11::list& functions);
// An argument: a number, captured.Constant, captured.Dtype, None. Throws Error for one that kernels do not take.
Argument argument_of(const std::string& parameter, const pybind11::handle& value);

}  // namespace tl::python
