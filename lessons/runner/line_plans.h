// How CUDA would make requests of each line of a learner's kernel, from the process that ran it to the panels that draw
// it.
#pragma once

#include <filesystem>

#include "interp/lang/launch.h"
#include "interp/machine/access/coalescing.h"

namespace tl::lessons {

// Runs the launch once more, for the plans of its lines.
machine::LinePlans plans_of(const Launch& launch, const trace::AccessRecord& record);
// The same for a kernel whose text is not at hand.
machine::LinePlans plans_of(const Launch& launch, const trace::AccessRecord& record, rules::Dots dots);

void save_plans(const machine::LinePlans& plans, const std::filesystem::path& file);
machine::LinePlans load_plans(const std::filesystem::path& file);  // none where there is no such file

}  // namespace tl::lessons
