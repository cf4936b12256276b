// How much memory the machine could still give, and memory in large pages.
#pragma once

#include <cstddef>
#include <optional>

namespace tl {

// Bytes, as Linux estimates them (MemAvailable); empty: unknown.
std::optional<double> free_memory();
// Bytes that this process uses; 0: unknown.
double used_memory();

// For much memory that nobody has touched yet: touching it and giving it back cost most by the page.
void use_large_pages(void* at, std::size_t bytes);

}  // namespace tl
