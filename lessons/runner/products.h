// What goes wrong with C = A B in blocks: found from the offsets, masks and steps of its loads, and from what all of C
// holds.
#pragma once

#include <optional>

#include "lessons/runner/lesson.h"

namespace tl::lessons {

// Mistakes in the blocks of a and b: how they lie, how far they move along k, where they leave the matrix; also a store
// that leaves it.
std::optional<Finding> diagnose_addresses(const Failure& failure);
// What is summed: masked lanes, elements that nobody loads, another product, a sum that starts again. Asked when the
// run came to its end.
std::optional<Finding> diagnose_sums(const Failure& failure);

// Row and column where a block that begins at element `base` stands, if it is one of those that blocks of rows x cols
// cut the matrix into, those beyond its end too. Nothing: it begins elsewhere.
std::optional<std::pair<std::int64_t, std::int64_t>> block_place(const Tensor& matrix, std::int64_t base,
                                                                 std::int64_t rows, std::int64_t cols);

}  // namespace tl::lessons
