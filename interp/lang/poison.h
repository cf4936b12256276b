// What poison() leaves in an element: how one that nobody wrote is told from one that holds a value.
#pragma once

#include <cstddef>
#include <vector>

#include "interp/lang/dtype.h"

namespace tl {

// The bytes of one poisoned element: a NaN that no computation begins with, or 0xA5. Empty for int1, whose every
// pattern is an ordinary value.
std::vector<std::byte> poison_of(DType dtype);

// In 8 bits every pattern is an ordinary value as well: there elements count as poisoned only where a tensor is so
// throughout.
inline bool is_poison_ambiguous(DType dtype) { return dtype != DType::int1 && size_in_bytes(dtype) == 1; }

}  // namespace tl
