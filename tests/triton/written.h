// Kernels of the tests beside, once more: what a walk of them gave, and their text in C++. All are compiled together,
// as the last test of the program.
#pragma once

#include <string>
#include <vector>

#include "interp/lang/launch.h"
#include "interp/lang/tensor.h"

namespace written {

using namespace tl;

// A launch that a walk has run: its outputs hold what it gave, and held `before`.
void expect(const std::string& name, const Launch& walked, std::vector<Tensor> outputs,
            std::vector<std::vector<std::byte>> before);
std::vector<std::byte> bytes_of(const Tensor&);

}  // namespace written
