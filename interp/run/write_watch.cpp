#include "interp/run/write_watch.h"

#include <algorithm>

namespace tl::run {

WriteWatch::WriteWatch(const Tensor& tensor, std::int64_t element)
    : data_(tensor.data()), element_(element), written_(static_cast<std::size_t>(tensor.storage_elems)) {}

void WriteWatch::launch_begins(const trace::LaunchInfo& launch) {
  index_ = -1;
  ++launch_;
  for (std::size_t i = 0; i < launch.tensors.size(); ++i)
    if (launch.tensors[i].data == data_) index_ = static_cast<int>(i);
}

trace::Keep WriteWatch::program_begins(ProgramId id) {
  program_ = id;
  range() = {};
  return index_ < 0 ? trace::Keep::nothing : trace::Keep::accesses;
}

void WriteWatch::op(const trace::OpEvent& event) {
  if (!event.access || !event.access->writes() || event.access->tensor != index_) return;
  Range& range = this->range();
  for_each_active_lane(*event.access, [&](std::int64_t lane, std::int64_t offset) {
    if (offset < 0 || offset >= static_cast<std::int64_t>(written_.size())) return;  // a fault says so
    written_[offset] = true;
    range =
        range.is_empty() ? Range{offset, offset} : Range{std::min(range.first, offset), std::max(range.last, offset)};
    if (offset != element_) return;
    ++writes_;
    last_ = Writer{launch_, program_, lane, event.site};
  });
}

void WriteWatch::program_ends(ProgramId) {
  const Range range = this->range();
  ranges_.erase({program_.x, program_.y, program_.z});
  if (range.is_empty()) return;
  if (programs_++ == 0) {
    first_range_ = whole_ = range;
  } else {
    all_same_ = all_same_ && range == first_range_;
    whole_ = {std::min(whole_.first, range.first), std::max(whole_.last, range.last)};
  }
}

WriteWatch::Range WriteWatch::unwritten_around(std::int64_t element) const {
  if (is_written(element)) return {};
  Range r{element, element};
  while (r.first > 0 && !is_written(r.first - 1)) --r.first;
  while (r.last + 1 < static_cast<std::int64_t>(written_.size()) && !is_written(r.last + 1)) ++r.last;
  return r;
}

std::int64_t WriteWatch::unwritten() const { return std::count(written_.begin(), written_.end(), false); }

std::int64_t WriteWatch::first_unwritten() const {
  return std::find(written_.begin(), written_.end(), false) - written_.begin();
}

std::optional<WriteWatch::Range> WriteWatch::common_range() const {
  return programs_ > 0 && all_same_ ? std::optional(first_range_) : std::nullopt;
}

}  // namespace tl::run
