// The order in which CUDA's threads add, place by place of a kernel's text: what tl.sum follows where it is known.
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "interp/lang/site.h"
#include "interp/rules/sum_order.h"

namespace tl::cpu {

// Coordinates along the axis in the order in which they are added: of each warp, of each of its registers, of each
// lane.
struct OrderedSum {
  explicit OrderedSum(const rules::SumOrder&);
  int registers, lanes, warps;
  std::vector<std::int32_t> at;
};

class SumOrders {
 public:
  // Sets the order of the sum at a place; passes that follow each other have an order each.
  void add(std::string file, int line, int column, const std::vector<rules::SumOrder>& passes);
  // The number of the place, from 0; -1: its order is not known.
  int find(const Site&) const;
  const OrderedSum& order(int place, std::size_t pass) const {
    const auto& passes = places_[static_cast<std::size_t>(place)].passes;
    return passes[pass % passes.size()];
  }
  std::size_t size() const { return places_.size(); }

 private:
  struct PlacedSums {
    std::string file;
    int line, column;
    std::vector<OrderedSum> passes;
  };
  std::vector<PlacedSums> places_;
};

}  // namespace tl::cpu
