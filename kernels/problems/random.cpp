// Random inputs by counter.
#include "kernels/problems/random.h"

#include <vector>

#include "interp/lang/narrow.h"
#include "interp/lang/stop_scope.h"

namespace tl::problems {
namespace {

constexpr std::uint64_t mixed(std::uint64_t seed, std::uint64_t stream) { return random_bits(seed, ~stream); }

// 16 random bits make a uniform number for the narrow floats; a table rounds each of the 65536 once.
template <class Word>
void fill_by_table(const Tensor& t, std::uint64_t seed) {
  std::vector<Word> table(65536);
  for (std::size_t i = 0; i < table.size(); ++i)
    table[i] = static_cast<Word>(encode_narrow(t.dtype, (2.0 * static_cast<double>(i) + 1) / 65536 - 1));
  Word* to = t.as<Word>();
  in_chunks(t.storage_elems, [&](std::int64_t first, std::int64_t last) {
#pragma omp parallel for schedule(static)
    for (std::int64_t i = first; i < last; ++i) to[i] = table[random_bits(seed, static_cast<std::uint64_t>(i)) >> 48];
  });
}

double uniform(std::uint64_t bits) { return (2.0 * static_cast<double>(bits >> 11) + 1) / 9007199254740992.0 - 1; }

}  // namespace

void fill_uniform(const Tensor& t, std::uint64_t seed, std::uint64_t stream) {
  if (!t.holds_data) return;
  const std::uint64_t s = mixed(seed, stream);
  const std::int64_t n = t.storage_elems;
  switch (t.dtype) {
    case DType::float16:
    case DType::bfloat16: return fill_by_table<std::uint16_t>(t, s);
    case DType::float8e4nv:
    case DType::float8e5: return fill_by_table<std::uint8_t>(t, s);
    case DType::float32: {
      float* to = t.as<float>();
      return in_chunks(n, [&](std::int64_t first, std::int64_t last) {
#pragma omp parallel for schedule(static)
        for (std::int64_t i = first; i < last; ++i)
          to[i] = static_cast<float>(uniform(random_bits(s, static_cast<std::uint64_t>(i))));
      });
    }
    default:
      in_chunks(n, [&](std::int64_t first, std::int64_t last) {
        for (std::int64_t i = first; i < last; ++i) set(t, i, uniform(random_bits(s, static_cast<std::uint64_t>(i))));
      });
  }
}

void fill_uniform_coarse(const Tensor& t, std::uint64_t seed, std::uint64_t stream) {
  if (!t.holds_data) return;
  const std::uint64_t s = mixed(seed, stream);
  in_chunks(t.storage_elems, [&](std::int64_t first, std::int64_t last) {
    for (std::int64_t i = first; i < last; ++i)
      set(t, i,
          static_cast<double>(static_cast<std::int64_t>(random_bits(s, static_cast<std::uint64_t>(i)) % 257) - 128) /
              128);
  });
}

}  // namespace tl::problems
