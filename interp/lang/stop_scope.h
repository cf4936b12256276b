// Long work, such as filling tensors or a debugger's search, asks now and then whether it should go on.
#pragma once

#include <algorithm>
#include <atomic>
#include <cstdint>

#include "interp/lang/error.h"

namespace tl {

class Stopped : public Error {
 public:
  Stopped() : Error("stopped before the end", "run it again, or choose smaller sizes") {}
};

// While one lives, work in chunks on this thread ends with Stopped soon after `*stop` becomes true.
class StopScope {
 public:
  explicit StopScope(const std::atomic<bool>* stop);
  ~StopScope();
  StopScope(const StopScope&) = delete;

 private:
  const std::atomic<bool>* before_;
};

// Whether the scope's work should end.
bool is_stopped();
// Throws Stopped where it should.
void end_if_stopped();

// visit(from, to) over [0, count), a few milliseconds at a time.
template <class Visit>
void in_chunks(std::int64_t count, const Visit& visit) {
  constexpr std::int64_t chunk = 1 << 20;
  for (std::int64_t from = 0; from < count; from += chunk) {
    end_if_stopped();
    visit(from, std::min(count, from + chunk));
  }
}

}  // namespace tl
