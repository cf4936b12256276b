// How much memory the machine could still give.
#pragma once

#include <optional>

namespace tl {

// Bytes, as Linux tells them (MemAvailable); nothing where nobody tells.
std::optional<double> free_memory();

}  // namespace tl
