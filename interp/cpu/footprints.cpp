// Sets of elements: one of those that programs write, one of those that they read beside them.
#include "interp/cpu/footprints.h"

#include <algorithm>

namespace tl::cpu {

bool Elements::add(std::int64_t first, std::int64_t stride, std::int64_t length) {
  bool is_new = true;
  const auto add_bits = [&](std::size_t word, std::uint64_t bits) {
    is_new &= (words_[word] & bits) == 0;
    words_[word] |= bits;
  };
  if (stride != 1) {
    for (std::int64_t i = 0, at = first; i < length; ++i, at += stride)
      add_bits(static_cast<std::size_t>(at / 64), std::uint64_t{1} << at % 64);
    return is_new;
  }
  for (const std::int64_t end = first + length; first < end;) {
    const std::int64_t at = first % 64, n = std::min<std::int64_t>(64 - at, end - first);
    add_bits(static_cast<std::size_t>(first / 64), (n == 64 ? ~std::uint64_t{0} : (std::uint64_t{1} << n) - 1) << at);
    first += n;
  }
  return is_new;
}

bool Elements::intersects(const Elements& o) const {
  for (std::size_t i = 0; i < words_.size(); ++i)
    if (words_[i] & o.words_[i]) return true;
  return false;
}

namespace {

// Lanes that are the same go to the same elements.
bool is_same_tile(const trace::Access& a, const trace::Access& b) {
  return a.base == b.base && a.shape == b.shape && a.strides == b.strides && a.lo == b.lo && a.hi == b.hi;
}

// Adds an access's elements; false: some were in the set.
bool add_to(Elements& set, const trace::Access& a, std::int64_t first_of_tensor) {
  bool is_new = true;
  for_each_active_run(a, [&](std::int64_t, std::int64_t element, std::int64_t stride, std::int64_t length) {
    is_new &= set.add(first_of_tensor + element, stride, length);
  });
  return is_new;
}

constexpr std::size_t most_tiles = 4096;  // of one program in one memory that is read and written

}  // namespace

Footprints::Footprints(const std::vector<Tensor>& tensors, std::int64_t threads) : threads_(threads) {
  const Memories all = memories_of(tensors);
  places_ = all.places;
  memories_.resize(all.elements.size());
  for (std::size_t i = 0; i < memories_.size(); ++i) memories_[i].elements = all.elements[i];
}

void Footprints::begin() {
  for (Memory& m : memories_) {
    m.is_read = false;
    if (m.is_written) m.written = m.read = Elements(m.elements);
  }
}

void Footprints::begin_program() {
  for (Memory& m : memories_) {
    m.stores.clear();
    m.loads.clear();
  }
}

Footprints::Verdict Footprints::access(const trace::Access& a) {
  const Memories::Place& at = places_[static_cast<std::size_t>(a.tensor)];
  Memory& m = memories_[static_cast<std::size_t>(at.memory)];
  switch (a.kind) {
    case trace::AccessKind::load: return load(m, a, at.first);
    case trace::AccessKind::store: return store(m, a, at.first);
    default: return Verdict::unknown;
  }
}

// What nobody writes may be read by all. A lane that stores where it has loaded from has its element to itself, if no
// other program writes it.
Footprints::Verdict Footprints::load(Memory& m, const trace::Access& a, std::int64_t first) {
  m.is_read = true;
  if (!m.is_written) return Verdict::independent;
  if (!a.is_tile) {
    add_to(m.read, a, first);
    return Verdict::independent;
  }
  const auto is_same = [&](const Tile& t) { return t.first == first && is_same_tile(t.access, a); };
  if (a.lanes() < threads_ && std::ranges::any_of(m.stores, is_same)) return Verdict::unknown;
  if (std::ranges::none_of(m.loads, is_same)) m.loads.push_back({a, first});
  return m.loads.size() > most_tiles ? Verdict::unknown : Verdict::independent;
}

Footprints::Verdict Footprints::store(Memory& m, const trace::Access& a, std::int64_t first) {
  if (!m.is_written) {
    m.is_written = true;
    if (m.is_read) return Verdict::again;
    m.written = m.read = Elements(m.elements);
  }
  if (a.is_tile) {
    const auto is_same = [&](const Tile& t) { return t.first == first && is_same_tile(t.access, a); };
    if (std::ranges::any_of(m.stores, is_same)) return Verdict::independent;
    m.stores.push_back({a, first});
    if (m.stores.size() > most_tiles) return Verdict::unknown;
  }
  return add_to(m.written, a, first) ? Verdict::independent : Verdict::unknown;
}

void Footprints::end_program() {
  for (Memory& m : memories_)
    for (const Tile& l : m.loads) {
      const auto is_same = [&](const Tile& t) { return t.first == l.first && is_same_tile(t.access, l.access); };
      if (std::ranges::none_of(m.stores, is_same)) add_to(m.read, l.access, l.first);
    }
}

Footprints::Verdict Footprints::verdict() const {
  return std::ranges::any_of(memories_, [](const Memory& m) { return m.is_written && m.written.intersects(m.read); })
             ? Verdict::unknown
             : Verdict::independent;
}

}  // namespace tl::cpu
