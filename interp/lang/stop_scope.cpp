#include "interp/lang/stop_scope.h"

#include <utility>

#include "interp/lang/error.h"

namespace tl {

namespace {
thread_local const std::atomic<bool>* wanted_stop = nullptr;
}

StopScope::StopScope(const std::atomic<bool>* stop) : before_(std::exchange(wanted_stop, stop)) {}
StopScope::~StopScope() { wanted_stop = before_; }

void end_if_stopped() {
  if (wanted_stop && *wanted_stop)
    throw Error("the run was stopped while its tensors were made", "run it again, or choose smaller sizes");
}

}  // namespace tl
