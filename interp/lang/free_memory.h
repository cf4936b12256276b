// How much memory the machine could still give.
#pragma once

#include <optional>

namespace tl {

// Bytes, as Linux tells them (MemAvailable); nothing where nobody tells.
std::optional<double> free_memory();
// Bytes that this process has taken so far; 0 where nobody tells.
double taken_memory();

}  // namespace tl
