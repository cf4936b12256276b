// The op that ended last on a thread: where a kernel was when its process crashed.
#pragma once

#include <atomic>

#include "interp/cpu/location.h"
#include "interp/trace/event.h"

namespace tl::cpu {

struct LastOp {
  trace::Op op{};
  Location location = {};  // its line is 0 where the program has ended no op yet, or where none runs
  ProgramId program = {};
};

// A signal handler may read it. Initial-exec: plain loads and stores, also in a library.
[[gnu::tls_model("initial-exec")]] extern constinit thread_local LastOp last_op;

// The last op of a thread that runs programs, for the thread that reports a time limit; null: no thread runs any.
extern std::atomic<const LastOp*> some_last_op;

// Said on each thread before it runs programs: a crash of it can be told.
void may_crash_here();

}  // namespace tl::cpu
