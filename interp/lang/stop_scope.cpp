#include "interp/lang/stop_scope.h"

#include <utility>

namespace tl {

namespace {
thread_local const std::atomic<bool>* wanted_stop = nullptr;
}

StopScope::StopScope(const std::atomic<bool>* stop) : before_(std::exchange(wanted_stop, stop)) {}
StopScope::~StopScope() { wanted_stop = before_; }

bool is_stopped() { return wanted_stop && *wanted_stop; }

void end_if_stopped() {
  if (is_stopped()) throw Stopped();
}

}  // namespace tl
