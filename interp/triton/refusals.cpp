#include "interp/triton/refusals.h"

namespace tl::triton {

void Refusals::add(const cpu::Place* place, const std::string& fact, const std::string& fix) {
  const Site site = cpu::location_of(*place).site();
  const std::lock_guard lock(mutex_);
  all_.try_emplace({site.file, site.line, site.column}, Refusal{site, fact, fix});
}

std::vector<Refusal> Refusals::all() const {
  const std::lock_guard lock(mutex_);
  std::vector<Refusal> list;
  for (const auto& [place, refusal] : all_) list.push_back(refusal);
  return list;
}

}  // namespace tl::triton
