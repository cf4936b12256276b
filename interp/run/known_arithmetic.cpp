#include "interp/run/known_arithmetic.h"

#include "interp/cpu/facts.h"

namespace tl::run {

const KnownArithmetic::Facts& KnownArithmetic::facts_of(const Launch& launch) {
  constexpr std::size_t most_known = 1000;
  if (facts_.size() + known_.size() > most_known) facts_ = {}, known_.clear();
  return facts_.of(launch, cpu::facts_of);
}

bool KnownArithmetic::may_break(const Launch& launch) {
  const std::lock_guard lock(mutex_);
  return facts_of(launch).second.breaks;
}

void KnownArithmetic::apply(cpu::RunOptions& options, const Launch& launch) {
  const auto set = [&](const Arithmetic::Found& found) { options.dots = found.dots, options.sums = found.sums; };
  const std::lock_guard lock(mutex_);
  const auto& [specialization, facts] = facts_of(launch);
  if (!arithmetic_.depends_on_launch(launch, facts) || facts.data_decides) return set(arithmetic_.find(launch, facts));
  const std::string key = specialization + cuda::sizes_of(launch);
  auto it = known_.find(key);
  if (it == known_.end()) it = known_.emplace(key, arithmetic_.find(launch, facts)).first;
  set(it->second);
}

}  // namespace tl::run
