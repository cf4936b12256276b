// The next event of many slots: rows of about as many slots as there are rows, and the least of each row. A slot's time and its number are one double,
// so that choosing is a minimum: the time's upper bits (times that are not negative are ordered like their bits), then the slot.
#pragma once

#include <bit>
#include <cstdint>
#include <vector>

namespace tl::machine {

class NextEvent {
 public:
  static constexpr double never = 1e300;

  // A slot each, in order. Times are not negative.
  explicit NextEvent(const std::vector<double>& times) : slot_mask_(std::bit_ceil(times.size() + 1) - 1) {
    while (width_ * width_ < times.size()) width_ += unroll;
    rows_.assign((times.size() / width_ + 1) * width_, never), least_.assign(std::max(times.size() / width_ + 1, unroll), never);
    least_.resize((least_.size() + unroll - 1) / unroll * unroll, never);
    for (std::size_t slot = 0; slot < times.size(); ++slot) rows_[slot] = player(slot, times[slot]);
    for (std::size_t row = 0; row * width_ < rows_.size(); ++row) least_[row] = least(&rows_[row * width_], width_);
    first_ = least(least_.data(), least_.size());
  }
  std::size_t first_slot() const { return slot_of(first_); }
  double first_time() const { return first_; }  // to some 1e-13 of it
  bool is_over() const { return first_ >= never / 2; }

  // Whose event comes next unless the first slot's new time is earlier still; no slot at all, where there is but one.
  std::size_t second_slot() {
    const std::size_t slot = first_slot(), row = slot / width_;
    rows_[slot] = never;
    least_[row] = least(&rows_[row * width_], width_);
    second_ = least(least_.data(), least_.size());
    return second_ >= never / 2 ? ~std::size_t{0} : slot_of(second_);
  }
  // After second_slot().
  void move_first(double time) {
    const std::size_t slot = first_slot(), row = slot / width_;
    const double moved = player(slot, time);
    rows_[slot] = moved;
    least_[row] = lesser(moved, least_[row]);
    // Nearly always the second, which is known before `time` is: a branch lets the processor begin the next event meanwhile, a minimum would wait.
    first_ = second_;
    if (__builtin_expect(moved < second_, false)) first_ = moved;
  }

 private:
  static constexpr std::size_t unroll = 4;
  static double lesser(double a, double b) { return a < b ? a : b; }
  static double least(const double* of, std::size_t size) {  // size: a multiple of `unroll`
    double a = of[0], b = of[1], c = of[2], d = of[3];
    for (std::size_t i = unroll; i < size; i += unroll) a = lesser(a, of[i]), b = lesser(b, of[i + 1]), c = lesser(c, of[i + 2]), d = lesser(d, of[i + 3]);
    return lesser(lesser(a, b), lesser(c, d));
  }
  double player(std::size_t slot, double time) const { return std::bit_cast<double>((std::bit_cast<std::uint64_t>(time + 0.0) & ~slot_mask_) | slot); }
  std::size_t slot_of(double player) const { return std::bit_cast<std::uint64_t>(player) & slot_mask_; }

  std::uint64_t slot_mask_;
  std::size_t width_ = unroll;
  double first_ = never, second_ = never;
  std::vector<double> rows_, least_;
};

}  // namespace tl::machine
