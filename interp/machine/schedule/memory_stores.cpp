// Writes of the launch, and of earlier ones. L2 keeps written lines until it is full of them.
#include <algorithm>
#include <bit>

#include "interp/machine/schedule/memory.h"

namespace tl::machine {

void Memory::store(const TileRun& run, const Piece& piece, int sm, double now) {
  totals_.written[run.tensor] += double(run.bytes);
  totals_.unit_accesses += piece.units;
  if (run.additions > 0)
    adder_.free_at = std::max(adder_.free_at, now) + double(run.additions) * addition_ns_[run.tensor];
  if (footprint_.in_quarters) store_lines(run, piece, sm, now);
  else {
    const auto t = static_cast<std::size_t>(run.tensor);
    const double bytes = double(run.sectors) / piece.units * static_cast<double>(device_.sector_bytes);
    for (std::uint32_t i = 0; i < piece.units; ++i) {
      const std::uint32_t unit = unit_of(piece, i);
      l2_server_.serve(now, bytes);
      const bool was_there = l2_.write(unit, ports_[sm].side);
      if (run.kind == trace::AccessKind::atomic && !was_there) {
        totals_.dram_read[t] += bytes;
        dram_server_.serve(now, bytes);
      }
      dirty_bytes_[unit] = std::max(dirty_bytes_[unit], static_cast<float>(bytes * footprint_.stored_once[t]));
    }
  }
  if (others_bytes_ > 0) {
    displace_others(static_cast<double>(piece.units) * footprint_.unit_bytes);
    clean_others();
  }
  if (l2_.has_written_back()) write_back();
}

// Sectors that nobody wrote stay where they are.
void Memory::write_back() {
  l2_.take_written_back([&](std::uint32_t unit) {
    const auto t = static_cast<std::size_t>(footprint_.unit_tensor[unit]);
    double bytes = 0, filled = 0;
    if (footprint_.in_quarters) {
      const double quarter = footprint_.unit_bytes / 4;
      const unsigned touched = written_[unit] & 15u, whole = written_[unit] >> 4;
      bytes = quarter * std::popcount(touched);
      filled = quarter *
               std::popcount(touched & ~whole &
                             ~unsigned{valid_[unit]});  // a sector written in part is read before it is written back
      written_[unit] = 0;
    } else {
      bytes = double(dirty_bytes_[unit]);
      dirty_bytes_[unit] = 0;
    }
    totals_.dram_write[t] += bytes;
    totals_.dram_read[t] += filled;
    dram_server_.free_at += (bytes + filled) * dram_server_.ns_a_byte;
  });
}

// Among the earlier lines that new ones replace, as many are dirty as among all earlier lines.
void Memory::displace_others(double bytes) {
  if (others_bytes_ <= 0) return;
  const double dirty = others_dirty_ * std::min(1.0, bytes / others_bytes_);
  others_bytes_ -= bytes;
  others_dirty_ -= dirty;
  totals_.others_written += dirty;
  dram_server_.free_at += dirty * dram_server_.ns_a_byte;
}
// They are older than what the launch writes: where more is dirty than L2 keeps they go first.
void Memory::clean_others() {
  if (others_dirty_ <= 0) return;
  const double more =
                   static_cast<double>(l2_.dirty_units()) * footprint_.unit_bytes + others_dirty_ - dirty_bytes_limit_,
               dirty = std::clamp(more, 0.0, others_dirty_);
  others_dirty_ -= dirty;
  totals_.others_written += dirty;
  dram_server_.free_at += dirty * dram_server_.ns_a_byte;
}

}  // namespace tl::machine
