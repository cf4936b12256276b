// The chip that persistent kernels are laid out for, and how many programs it holds at once.
#pragma once

#include <algorithm>
#include <cstdint>

namespace tl::problems {

// The defaults are an H200's.
struct Chip {
  std::int64_t sms = 132, registers = 65536, threads = 2048, programs = 32;  // registers, threads, programs: of an SM
  std::int64_t shared_bytes = 227 * 1024;                                    // a program's at most
};

// What problems that this thread makes are laid out for: an H200, where no LaidOutFor lives.
const Chip& chip();

class LaidOutFor {
 public:
  explicit LaidOutFor(const Chip& chip);
  ~LaidOutFor();
  LaidOutFor(const LaidOutFor&) = delete;
  LaidOutFor& operator=(const LaidOutFor&) = delete;

 private:
  Chip before_;
};

// Triton's tutorial formula, with the chip's other two limits: SMs x programs that fit on one.
constexpr std::int64_t resident_programs(const Chip& chip, std::int64_t registers_a_thread, std::int64_t warps) {
  const std::int64_t occupancy =
      std::min({chip.registers / (registers_a_thread * 32 * warps), chip.threads / (32 * warps), chip.programs});
  return chip.sms * std::max<std::int64_t>(occupancy, 1);
}

}  // namespace tl::problems
