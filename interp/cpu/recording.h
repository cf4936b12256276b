// Writes an access record while programs run: a state that has one tells it of every op.
#pragma once

#include <span>
#include <vector>

#include "interp/cpu/state.h"
#include "interp/trace/access_builder.h"

namespace tl::cpu {

class Recording {
 public:
  // Where absent data comes from: a load, an atomic, a random number.
  struct Source {
    Op op;
    int tensor;  // -1: none
    Site site;
  };

  explicit Recording(trace::AccessBuilder& out) : out_(out) {}

  void op(const Where&, std::span<const Data* const> operands, std::span<const Data* const> results, const trace::Access*);

  std::int64_t source_of(const Source&);
  const Source& source(std::int64_t number) const { return sources_[static_cast<std::size_t>(number)]; }

 private:
  trace::AccessBuilder& out_;
  std::vector<Source> sources_;
};

}  // namespace tl::cpu
