#include "interp/cpu/last_op.h"

#include <signal.h>

#include <memory>

namespace tl::cpu {

constinit thread_local LastOp last_op;
std::atomic<const LastOp*> some_last_op{nullptr};

namespace {

// A stack for signal handlers, since a crash may come of the thread's own one being full.
class SignalStack {
 public:
  SignalStack() {
    stack_t now{};
    if (sigaltstack(nullptr, &now) != 0 || !(now.ss_flags & SS_DISABLE)) return;  // somebody's, a sanitizer's
    constexpr std::size_t size = 1 << 16;
    bytes_ = std::make_unique_for_overwrite<std::byte[]>(size);
    const stack_t own{.ss_sp = bytes_.get(), .ss_flags = 0, .ss_size = size};
    sigaltstack(&own, nullptr);
  }
  ~SignalStack() {
    const stack_t none{.ss_sp = nullptr, .ss_flags = SS_DISABLE, .ss_size = 0};
    if (bytes_) sigaltstack(&none, nullptr);
    const LastOp* own = &last_op;
    some_last_op.compare_exchange_strong(own, nullptr);
  }
  SignalStack(const SignalStack&) = delete;

 private:
  std::unique_ptr<std::byte[]> bytes_;
};

}  // namespace

void may_crash_here() {
  static const thread_local SignalStack stack;
  some_last_op.store(&last_op, std::memory_order_relaxed);
}

}  // namespace tl::cpu
