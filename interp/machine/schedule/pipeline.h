// A CTA's loop in time. With p tiles fetched ahead (stages - 1), the loads of iteration k leave when the work on
// iteration k - p begins:
//   leave(k) = max(ready(k - p), end(k - p - 1));  end(j) = leave(j + p) + work
// Loads that go to registers are not fetched ahead: leave(k + 1) = ready(k) + work.
#pragma once

#include <algorithm>
#include <array>
#include <bit>
#include <cstdint>

namespace tl::machine {

class Pipeline {
 public:
  void begin(double now, int ahead) {
    ahead_ = std::min(ahead, deepest);
    last_ = std::bit_ceil(static_cast<std::uint32_t>(ahead_) + 1) - 1;
    issued_ = 0;
    end_ = now;
  }
  // The loads of the next iteration left at `now` and are there at `ready`; the work on them takes `work`. Returns when
  // the iteration after it may leave.
  double step(double now, double ready, double work) {
    const std::int64_t k = issued_++;
    ready_of(k) = ready;
    if (ahead_ == 0) return end_ = ready + work;
    if (k < ahead_ - 1) return now;
    if (k >= ahead_) end_ = now + work;
    return std::max(ready_of(k + 1 - ahead_), end_);
  }
  int ahead() const { return ahead_; }
  // The last iterations' work, once nothing is left to load.
  double drain(double work) {
    for (std::int64_t j = std::max<std::int64_t>(0, issued_ - ahead_); j < issued_ && ahead_ > 0; ++j)
      end_ = std::max(ready_of(j), end_) + work;
    return end_;
  }

 private:
  static constexpr int deepest = 7;
  double& ready_of(std::int64_t k) { return ready_[static_cast<std::uint32_t>(k) & last_]; }
  std::int64_t issued_ = 0;
  int ahead_ = 0;
  std::uint32_t last_ = 0;  // of the part of `ready_` that is used, so that it is small
  double end_ = 0;
  std::array<double, deepest + 1> ready_{};
};

}  // namespace tl::machine
