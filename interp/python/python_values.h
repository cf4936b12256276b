// Python's values as kernels of Python's take them: what tilescope/captured.py makes of globals and arguments.
#pragma once

#include <pybind11/pybind11.h>

#include <optional>

#include "interp/python/plain_arrays.h"
#include "interp/python/python_kernel.h"

namespace tl::python {

// Of a list of captured.Function.
std::unique_ptr<PythonKernel> python_kernel_of(const pybind11::list& functions);
// A constant, a function, a module; unknown: kernels cannot read it.
triton::Value value_of(PythonKernel& kernel, const pybind11::handle& captured);
// The values of a tuple or a captured.Named, and the names of its fields; nothing for other values.
using CapturedTuple = std::pair<pybind11::tuple, std::vector<const char*>>;
std::optional<CapturedTuple> captured_tuple(const pybind11::handle& value);
// Whether it is a function, or an op of Triton's.
bool is_callable(const pybind11::handle& captured);
// An argument: a number, captured.Constant, captured.Dtype, None. Throws Error for one that kernels do not take.
Argument argument_of(const std::string& parameter, const pybind11::handle& value);
// A number, None or a plain array (plain_arrays.h) for a parameter of that kind (cases::Parameter). Nothing for other
// values.
std::optional<Argument> plain_argument(char kind, const std::string& parameter, const pybind11::handle& value,
                                       ArrayRules rules);

}  // namespace tl::python
