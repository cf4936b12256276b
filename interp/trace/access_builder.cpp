// Builds an access record: patterns interned, accesses cut into segments.
#include "interp/trace/access_builder.h"

#include <algorithm>
#include <memory>

#include "interp/lang/error.h"

namespace tl::trace {

namespace {

struct Hash {
  std::uint64_t value = 0x9e3779b97f4a7c15;
  void add(std::uint64_t v) {
    value = (value ^ v) * 0xff51afd7ed558ccd;
    value ^= value >> 32;
  }
  void add(std::span<const std::int64_t> list) {
    for (const std::int64_t v : list) add(static_cast<std::uint64_t>(v));
  }
};

std::uint64_t hash_of(const Access& p, Route route, const Site& site) {
  Hash h;
  h.add(static_cast<std::uint64_t>(p.kind) | static_cast<std::uint64_t>(route) << 8 |
        static_cast<std::uint64_t>(p.is_tile) << 16 |
        static_cast<std::uint64_t>(static_cast<unsigned>(p.tensor)) << 32);
  h.add(static_cast<std::uint64_t>(static_cast<unsigned>(site.line)) << 32 | static_cast<unsigned>(site.column));
  h.add(p.shape.span());
  if (p.is_tile) {
    for (const Extents* e : {&p.strides, &p.lo, &p.hi}) h.add(e->span());
    return h.value;
  }
  const std::int64_t lanes = p.lanes();
  for (std::int64_t i = 0; i < lanes; ++i) h.add(static_cast<std::uint64_t>(p.offsets[i] - p.offsets[0]));
  for (std::int64_t i = 0; p.mask && i < lanes; ++i) h.add(p.mask[i]);
  return h.value;
}

// With lists of its own.
AccessPattern pattern_of(const Access& access, Route route, const Site& site) {
  AccessPattern p{{access}, route, site, nullptr};
  p.base = 0;
  if (p.is_tile) return p;
  struct Lists {
    std::vector<std::int64_t> offsets;
    std::vector<unsigned char> mask;
  };
  const auto lanes = static_cast<std::size_t>(p.lanes());
  auto lists = std::make_shared<Lists>();
  lists->offsets.assign(p.offsets, p.offsets + lanes);
  for (std::int64_t& offset : lists->offsets) offset -= p.offsets[0];
  if (p.mask) {
    lists->mask.assign(p.mask, p.mask + lanes);
    p.mask = lists->mask.data();
  }
  p.offsets = lists->offsets.data();
  p.lists = std::move(lists);
  return p;
}

}  // namespace

AccessBuilder::AccessBuilder(const LaunchInfo& launch, int num_warps, int num_stages) {
  record_.kernel = launch.kernel;
  record_.source = launch.source;
  std::ranges::copy(launch.grid, record_.grid);
  record_.num_warps = num_warps;
  record_.num_stages = num_stages;
  for (const TensorInfo& t : launch.tensors)
    record_.tensors.push_back({.name = t.name,
                               .dtype = t.dtype,
                               .shape = t.shape,
                               .strides = t.strides,
                               .storage_elems = t.storage_elems,
                               .has_before = false,
                               .before = {}});
  table_.resize(256);
}

void AccessBuilder::begin_program(ProgramId id) {
  record_.programs.push_back({id, static_cast<std::uint32_t>(record_.segments.size()), 0});
  segment_first_ = static_cast<std::uint32_t>(record_.accesses.size());
  flops_ = 0;
  lanes_.clear();
}

void AccessBuilder::access(const Access& a, Route route, const Site& site) {
  if (record_.accesses.size() >= UINT32_MAX)
    throw Error("the launch makes more than 4294967295 accesses", "use larger blocks or smaller sizes");
  record_.accesses.push_back({intern(a, route, site), a.first_offset(), 0});
}

void AccessBuilder::dot(DType inputs, std::string_view text, double flops) {
  const bool by_bf16 = text == text_of_bf16x3 || text == text_of_bf16x6;
  if (!has_dots_) {
    record_.dot_dtype = by_bf16 ? DType::bfloat16 : inputs;
    record_.multiplies_tf32 = text == text_of_tf32x3 || text == text_of_tf32;
  }
  has_dots_ = true;
  const int products = text == text_of_bf16x6 ? 6 : text == text_of_tf32x3 || by_bf16 ? 3 : 1;
  flops_ += products * flops;
  add({Op::dot, inputs, 0});
}

void AccessBuilder::computed(Op op, std::span<const OpLanes> operands, OpLanes out) {
  const OpLanes in = operands.empty() ? out : operands.front();
  const OpFamily family = family_of(op);
  if (family == OpFamily::cast) return converted(in.dtype, out.dtype, op, out.lanes);
  const bool asks = family == OpFamily::comparison || family == OpFamily::logical;
  add({op, asks ? in.dtype : out.dtype, family == OpFamily::reduction ? in.lanes : out.lanes});
  if (family != OpFamily::arithmetic) return;
  for (const OpLanes& o : operands)
    if (o.lanes > 1 && o.dtype != out.dtype) converted(o.dtype, out.dtype, Op::cast, o.lanes);
}

void AccessBuilder::converted(DType from, DType to, Op op, double lanes) {
  add({op, to == DType::float32 ? from : to, lanes, 1, is_float(from) && !is_float(to)});
}

void AccessBuilder::add(LaneOps ops) {
  const auto same = [&](const LaneOps& o) {
    return o.op == ops.op && o.dtype == ops.dtype && o.narrows == ops.narrows;
  };
  auto found = std::ranges::find_if(lanes_, same);
  if (found == lanes_.end()) found = lanes_.insert(found, {ops.op, ops.dtype, 0, 0, ops.narrows});
  found->lanes += ops.lanes;
  found->times += 1;
}

// Programs repeat their work: it is looked for among the latest.
void AccessBuilder::add_segment(std::uint32_t end, std::int64_t iterations, double flops, LaneWork lanes) {
  // Dots read a turned operand where it lies.
  if (flops > 0) std::erase_if(lanes, [](const LaneOps& o) { return o.op == Op::trans; });
  std::vector<LaneWork>& works = record_.lane_works;
  std::size_t work = 0;
  if (!lanes.empty()) {
    const std::size_t oldest = works.size() - std::min<std::size_t>(works.size(), 16);
    work = static_cast<std::size_t>(std::find(works.begin() + static_cast<std::ptrdiff_t>(oldest), works.end(), lanes) -
                                    works.begin());
    if (work == works.size()) works.push_back(lanes);
  }
  record_.segments.push_back(
      {segment_first_, end - segment_first_, iterations, flops, static_cast<std::uint32_t>(work)});
  segment_first_ = end;
}

void AccessBuilder::end_segment() {
  const auto end = static_cast<std::uint32_t>(record_.accesses.size());
  if (end != segment_first_ || flops_ != 0 || !lanes_.empty()) add_segment(end, 1, flops_, lanes_);
  flops_ = 0;
  lanes_.clear();
}

void AccessBuilder::end_program() {
  end_segment();
  ProgramAccesses& p = record_.programs.back();
  p.size = static_cast<std::uint32_t>(record_.segments.size()) - p.first;
}

void AccessBuilder::drop_program() {
  const ProgramAccesses p = record_.programs.back();
  record_.programs.pop_back();
  const std::uint32_t first = p.first < record_.segments.size() ? record_.segments[p.first].first : segment_first_;
  record_.accesses.resize(first);
  record_.segments.resize(p.first);
  segment_first_ = first;
  flops_ = 0;
  lanes_.clear();
}

void AccessBuilder::rewind(const Mark& m) {
  record_.accesses.resize(m.accesses);
  flops_ = m.flops;
  lanes_ = m.lanes;
}

void AccessBuilder::repeat(const Mark& from, std::int64_t iterations, std::span<const std::int64_t> steps) {
  const auto end = static_cast<std::uint32_t>(record_.accesses.size());
  if (from.accesses != segment_first_ || from.flops != 0 || !from.lanes.empty())
    add_segment(from.accesses, 1, from.flops, from.lanes);
  add_segment(end, iterations, flops_ - from.flops, since(lanes_, from.lanes));
  for (std::uint32_t i = from.accesses; i < end; ++i) record_.accesses[i].step = steps[i - from.accesses];
  flops_ = 0;
  lanes_.clear();
}

AccessRecord AccessBuilder::take() {
  const std::int64_t* grid = record_.grid;
  const auto linear = [grid](const ProgramAccesses& p) { return p.id.x + grid[0] * (p.id.y + grid[1] * p.id.z); };
  if (!std::ranges::is_sorted(record_.programs, {}, linear)) std::ranges::sort(record_.programs, {}, linear);
  return std::move(record_);
}

std::uint32_t AccessBuilder::intern(const Access& a, Route route, const Site& site) {
  const std::uint64_t hash = hash_of(a, route, site);
  const std::size_t mask = table_.size() - 1;
  std::size_t at = hash & mask;
  for (; table_[at]; at = (at + 1) & mask) {
    const std::uint32_t i = table_[at] - 1;
    if (hashes_[i] == hash && record_.patterns[i].is_of(a, route, site)) return i;
  }
  record_.patterns.push_back(pattern_of(a, route, site));
  hashes_.push_back(hash);
  table_[at] = static_cast<std::uint32_t>(record_.patterns.size());
  if (record_.patterns.size() * 2 > table_.size()) grow_table();
  return static_cast<std::uint32_t>(record_.patterns.size()) - 1;
}

void AccessBuilder::grow_table() {
  table_.assign(table_.size() * 2, 0);
  const std::size_t mask = table_.size() - 1;
  for (std::size_t i = 0; i < hashes_.size(); ++i) {
    std::size_t at = hashes_[i] & mask;
    while (table_[at]) at = (at + 1) & mask;
    table_[at] = static_cast<std::uint32_t>(i) + 1;
  }
}

}  // namespace tl::trace
