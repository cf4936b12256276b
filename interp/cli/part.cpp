#include "interp/cli/part.h"

#include <algorithm>

namespace tl::cli {

namespace {

// Made at the first use: parts register before main, in any order.
std::vector<Part>& registered() {
  static std::vector<Part> list;
  return list;
}

}  // namespace

Part::Part(int rank, std::string_view example, std::string_view meaning, Add add)
    : rank(rank), example(example), meaning(meaning), add(add) {
  auto& list = registered();
  list.insert(std::ranges::upper_bound(list, rank, {}, &Part::rank), *this);
}

const std::vector<Part>& parts() { return registered(); }

}  // namespace tl::cli
