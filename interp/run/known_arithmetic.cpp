#include "interp/run/known_arithmetic.h"

#include "interp/cpu/facts.h"

namespace tl::run {

static constexpr std::size_t most_known = 1000;

bool KnownArithmetic::may_break(const Launch& launch) {
  const std::lock_guard lock(mutex_);
  if (facts_.size() > most_known) facts_ = {};
  return facts_.of(launch, cpu::facts_of).second.breaks;
}

void KnownArithmetic::apply(cpu::RunOptions& options, const Launch& launch) {
  const std::string key = cuda::specialization_of(launch) + cuda::sizes_of(launch);
  const std::lock_guard lock(mutex_);
  const auto it = known_.find(key);
  Arithmetic::Found found = it != known_.end() ? it->second : arithmetic_.find(launch, options.stop);
  if (it == known_.end() && !found.by_data) {
    if (known_.size() > most_known) known_.clear();
    known_.emplace(key, found);
  }
  options.dots = found.dots;
  options.sums = std::move(found.sums);
}

}  // namespace tl::run
