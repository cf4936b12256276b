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

// Of a thread that runs programs, for another that is told of a time limit; null: there is none.
extern std::atomic<const LastOp*> some_last_op;

// Said on each thread before it runs programs: a crash of it can be told.
void may_crash_here();

}  // namespace tl::cpu
