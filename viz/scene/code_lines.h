// A compiled kernel's instructions: the line of its text that each comes from, and how many registers are live there.
#pragma once

#include <string>
#include <vector>

#include "viz/model/code_run.h"

namespace tl::viz {

// `entry`: its mangled name; `source`: the end of its file's path. Of PTX, whose registers are not yet those of the
// chip: a value lives from where it is written to where it is last read.
std::vector<Instruction> instructions_of_ptx(const std::string& ptx, const std::string& entry,
                                             const std::string& source);
// As nvdisasm -c -gi writes it.
std::vector<Instruction> instructions_of_sass(const std::string& sass, const std::string& entry,
                                              const std::string& source);

}  // namespace tl::viz
