#include "interp/lang/stop_scope.h"

#include <utility>

namespace tl {

namespace {
thread_local const std::atomic<bool>* wanted_stop = nullptr;
}

StopScope::StopScope(const std::atomic<bool>* stop) : before_(std::exchange(wanted_stop, stop)) {}
StopScope::~StopScope() { wanted_stop = before_; }

void end_if_stopped() {
  if (wanted_stop && *wanted_stop) throw Stopped();
}

}  // namespace tl
