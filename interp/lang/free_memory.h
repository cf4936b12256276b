// How much memory the machine could still give.
#pragma once

#include <optional>

namespace tl {

// Bytes, as Linux estimates them (MemAvailable); empty where that is unknown.
std::optional<double> free_memory();
// Bytes that this process uses; 0 where that is unknown.
double used_memory();

}  // namespace tl
