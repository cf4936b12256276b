#include "kernels/problems/chip.h"

#include <utility>

namespace tl::problems {

namespace {
thread_local Chip current;
}

const Chip& chip() { return current; }

LaidOutFor::LaidOutFor(const Chip& chip) : before_(std::exchange(current, chip)) {}
LaidOutFor::~LaidOutFor() { current = before_; }

}  // namespace tl::problems
