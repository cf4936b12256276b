// What is wrong in a recorded case, and why.
#pragma once

#include <functional>
#include <map>
#include <string>
#include <vector>

#include "interp/run/arithmetic.h"
#include "interp/run/kernel_case.h"

namespace tl::run {

// The wrong elements of each output, of its storage, sorted: asked after a run, whose results the outputs hold. None:
// the case has no reference.
std::optional<std::map<std::string, std::vector<std::int64_t>>> wrong_elements(const problems::Instance& instance,
                                                                               const Arithmetic& arithmetic);
// Says why an element of a tensor's storage is as it is. The case outlives it.
std::function<std::string(const std::string& tensor, std::int64_t element)> reasons_of(const Case& c,
                                                                                       const Arithmetic& arithmetic);

}  // namespace tl::run
