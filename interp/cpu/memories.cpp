// Tensors that overlap lie in one memory.
#include "interp/cpu/memories.h"

#include <algorithm>
#include <cstring>
#include <utility>

#include "interp/lang/poison.h"
#include "interp/lang/stop_scope.h"

namespace tl::cpu {

namespace {

// Memory from a first byte to a last.
struct Span {
  const std::byte *begin, *end;
  int element;  // bytes
  bool operator==(const Span&) const = default;
  bool overlaps(const Span& o) const {
    return begin && o.begin && element == o.element && begin < o.end && o.begin < end &&
           (begin - o.begin) % element == 0;
  }
};

// The memory that each tensor lies in: views of one array share the memory that all of them span.
std::vector<Span> shared_spans(const std::vector<Tensor>& tensors) {
  std::vector<Span> spans;
  for (const Tensor& t : tensors)
    spans.push_back({t.data(), t.data() + t.storage_bytes(), static_cast<int>(size_in_bytes(t.dtype))});
  for (bool grew = true; std::exchange(grew, false);)
    for (Span& a : spans)
      for (Span& b : spans) {
        if (a == b || !a.overlaps(b)) continue;
        a = b = {std::min(a.begin, b.begin), std::max(a.end, b.end), a.element};
        grew = true;
      }
  return spans;
}

}  // namespace

Memories memories_of(const std::vector<Tensor>& tensors) {
  const std::vector<Span> spans = shared_spans(tensors);
  Memories all;
  for (std::size_t i = 0; i < tensors.size(); ++i) {
    const auto same = static_cast<std::size_t>(std::find(spans.begin(), spans.end(), spans[i]) - spans.begin());
    const int memory = same == i ? static_cast<int>(all.elements.size()) : all.places[same].memory;
    if (same == i) all.elements.push_back((spans[i].end - spans[i].begin) / spans[i].element);
    all.places.push_back({memory, (tensors[i].data() - spans[i].begin) / spans[i].element});
  }
  return all;
}

std::vector<bool> written_elements(const Tensor& t) {
  const auto n = static_cast<std::size_t>(t.storage_elems);
  std::vector<bool> written(n, true);
  const std::vector<std::byte> poison = poison_of(t.dtype);
  if (poison.empty()) return written;
  in_chunks(t.storage_elems, [&](std::int64_t first, std::int64_t last) {
    for (auto i = static_cast<std::size_t>(first); i < static_cast<std::size_t>(last); ++i)
      written[i] = std::memcmp(t.data() + i * poison.size(), poison.data(), poison.size()) != 0;
  });
  if (is_poison_ambiguous(t.dtype) && std::any_of(written.begin(), written.end(), [](bool b) { return b; }))
    written.assign(n, true);
  return written;
}

}  // namespace tl::cpu
