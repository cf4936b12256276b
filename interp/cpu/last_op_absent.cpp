// In a page, where no signal tells of a crash: the browser does.
#include "interp/cpu/last_op.h"

namespace tl::cpu {

constinit thread_local LastOp last_op;
std::atomic<const LastOp*> some_last_op{nullptr};
void may_crash_here() {}

}  // namespace tl::cpu
