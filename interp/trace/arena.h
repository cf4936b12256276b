// Memory for many small values that never move and are freed together.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstring>
#include <memory>
#include <vector>

namespace tl::trace {

class Arena {
 public:
  Arena() = default;
  Arena(Arena&&) = default;
  Arena& operator=(Arena&&) = default;
  // Aligned for any element.
  std::byte* allocate(std::size_t bytes) {
    bytes = (bytes + 7) / 8 * 8;
    if (bytes > left_) {
      const std::size_t chunk = std::max(bytes, next_chunk_);
      next_chunk_ = std::min(2 * next_chunk_, most_chunk_bytes);
      chunks_.emplace_back(new std::byte[chunk]);
      next_ = chunks_.back().get();
      left_ = chunk;
      held_ += chunk;
    }
    std::byte* const result = next_;
    next_ += bytes;
    left_ -= bytes;
    return result;
  }
  const std::byte* copy(const void* from, std::size_t bytes) {
    if (bytes == 0) return nullptr;
    return static_cast<std::byte*>(std::memcpy(allocate(bytes), from, bytes));
  }
  std::size_t held_bytes() const { return held_; }

 private:
  static constexpr std::size_t most_chunk_bytes = 32 << 10;
  std::vector<std::unique_ptr<std::byte[]>> chunks_;
  std::byte* next_ = nullptr;
  std::size_t left_ = 0, held_ = 0, next_chunk_ = 1 << 10;  // most programs are small, and there are thousands
};

}  // namespace tl::trace
