// What a kernel's tl.print_if and tl.device_print have left in the host's memory, as lines.
#pragma once

#include <cstddef>
#include <span>
#include <string>
#include <vector>

namespace tl::cuda {

// In the order of programs, of each in the order of its text: as the interpreter prints them one after the other.
std::vector<std::string> printed_lines(std::span<const std::byte> records);

}  // namespace tl::cuda
