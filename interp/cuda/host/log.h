// Reads the compiler's log: ptxas's resources, and errors as a learner wants them.
#pragma once

#include <array>
#include <numeric>
#include <string>

#include "interp/cuda/host/advice.h"
#include "interp/cuda/host/compile.h"
#include "interp/cuda/host/sources.h"
#include "interp/lang/error.h"
#include "interp/rules/ring.h"

namespace tl::cuda {

// `ptx` gives what the log lacks: the threads of a program and the dynamic shared memory it reports (see
// device/entry.h).
Resources read_resources(const std::string& log, const std::string& ptx);

// The rings of tiles that a kernel reports, level by level.
struct Rings {
  std::array<rules::RingUse, rules::ring_levels> levels{};
  int stages_wanted = 0;   // the largest num_stages of a loop that loads tiles; 0: none has any
  bool is_regular = true;  // false: where a tile lies is known as the kernel runs, so that no memory can be set aside
  int bytes() const {
    return std::accumulate(levels.begin(), levels.end(), 0,
                           [](int sum, const rules::RingUse& use) { return sum + use.slots * use.bytes; });
  }
};
Rings read_rings(const std::string& ptx);

// The tiles that device/dot/wgmma_dot.h refuses as they lie, as device/memory/ring_tile.h wants them listed:
// "{32,256},"; empty: none.
std::string tiles_to_turn(const std::string& log);

// One fact about a line of the kernel's text, with that line and a caret.
CompileError refusal(const std::string& file, int line, const std::string& text, std::size_t column,
                     const Advice& advice);

// The first error, in the language's words, at the line of the kernel's own text that led to it, with that line and a
// caret; what is wrong in further lines in one line each.
CompileError compile_error(const std::string& log, const std::string& kernel_file, const Sources& sources);

}  // namespace tl::cuda
