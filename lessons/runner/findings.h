// What went wrong in a trial, in words: faults, wrong elements, memory that is not the kernel's.
#pragma once

#include <cstddef>
#include <optional>
#include <vector>

#include "lessons/runner/lesson.h"

namespace tl::lessons {

using Bytes = std::vector<std::byte>;
Bytes bytes_of(const Tensor& t);

Finding from_fault(const Fault& fault);
// An atomic on an output that begins with no numbers.
Finding from_fault(const Trial& trial, const Fault& fault);

// z[2] is 0, and should be 3; who wrote it, or that nobody did; both tensors where they are small. `best`: the
// solution's run.
Finding from_mismatch(const Trial& trial, const Observed& observed, const std::optional<Observed>& best,
                      const problems::Verdict& verdict, const std::vector<Tensor>& outputs);

// Sentinels that were loaded: on a GPU they would be whatever lies there, or a crash.
std::optional<Finding> foreign_loads(const Trial& trial, const Observed& observed);
// Elements behind an output that were written. `outputs`: what they held before the run.
std::optional<Finding> foreign_stores(const Trial& trial, const std::vector<Bytes>& outputs, const Observed& observed);
// Also where the stored value is equal to the old one. `inputs`: what they held before the run.
std::optional<Finding> stored_to_input(const Trial& trial, const std::vector<Bytes>& inputs, const Observed& observed);

}  // namespace tl::lessons
