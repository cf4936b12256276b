// The grouped order of blocks, walked as it is told: group by group, column by column, down each column of the group.
#pragma once

#include <cstdint>
#include <vector>

namespace tl::reference {

// The linear position (row * columns + column) visited at each step.
std::vector<std::int64_t> grouped_order(std::int64_t rows, std::int64_t columns, std::int64_t group_size);

}  // namespace tl::reference
