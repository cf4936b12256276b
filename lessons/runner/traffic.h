// Mistakes that the numbers alone do not show: every element is moved as often as needed, every program does its share.
#pragma once

#include <functional>
#include <optional>
#include <string>

#include "lessons/runner/lesson.h"

namespace tl::lessons {

// One program does what others should do.
std::optional<Finding> too_large_share(const Trial& trial, const Observed& observed);
// An input's element that nobody loads.
std::optional<Finding> nobody_loads(const Trial& trial, const Observed& observed);
// The same, though the numbers are right: the kernel makes it up.
// `counts`: of inputs of that name the result depends on what is not loaded.
std::optional<Finding> never_loaded(const Trial& trial, const Observed& observed,
                                    const std::function<bool(const std::string& input)>& counts);
// An output that is read back.
std::optional<Finding> reads_output(const Trial& trial, const Observed& observed);
// An element that is loaded or stored more often than it must be.
std::optional<Finding> repeated_traffic(const Trial& trial, const Observed& observed);
// The same of a kernel whose numbers are wrong: facts that may explain them, each after a line's end; "": none.
std::string odd_traffic(const Trial& trial, const Observed& observed);
// program (1, 0) stored z[0, 4..7, 0..7]: of the first programs, from where to where along each axis; form as above.
std::string shares_text(const Tensor& tensor, const Observed& observed);

}  // namespace tl::lessons
