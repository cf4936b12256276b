#include "interp/trace/memory.h"

#include <cstring>
#include <utility>

#include "interp/lang/poison.h"
#include "interp/lang/stop_scope.h"

namespace tl::trace {

Memory::Memory(const RecordedTrace& trace) : trace_(trace) {
  for (std::size_t p = 0; p < trace.programs.size(); ++p) {
    end_if_stopped();
    const RecordedProgram& program = trace.programs[p];
    for (std::uint32_t s = 0; s < program.steps.size(); ++s) {
      const std::int32_t access = program.steps[s].access;
      if (access >= 0 && program.accesses[access].effect) writes_.push_back({{p, s}, &program.accesses[access]});
    }
  }
  if (!trace.programs.empty()) enter_launch(trace.programs.front().launch);
}

std::int64_t Memory::Contents::index_of(std::int64_t offset) const {
  if (is_known) return offset;
  const auto at = place_of_page.find(offset / RecordedTensor::page_elems);
  return at == place_of_page.end() ? -1 : at->second + offset % RecordedTensor::page_elems;
}

bool Memory::is_known(int tensor, std::int64_t offset) const { return tensors_[tensor].index_of(offset) >= 0; }

// Contents as the launch found them; no write of it applied.
void Memory::enter_launch(int launch) {
  launch_ = -1;  // until all is there
  tensors_.clear();
  undo_.clear();
  for (const RecordedTensor& t : trace_.launches[launch].tensors) {
    Contents& c = tensors_.emplace_back();
    c.dtype = t.dtype;
    c.is_known = t.has_before;
    c.bytes.reserve(t.before.size());
    in_chunks(std::ssize(t.before), [&](std::int64_t from, std::int64_t to) {
      c.bytes.insert(c.bytes.end(), t.before.begin() + from, t.before.begin() + to);
    });
    std::int64_t elems = t.has_before ? t.storage_elems : 0;
    for (const std::int64_t page : t.pages) {
      c.place_of_page[page] = elems;
      elems += t.elems_of_page(page);
    }
    c.written.resize(static_cast<std::size_t>(elems));
    c.poison = poison_of(t.dtype);
    if (is_poison_ambiguous(t.dtype) &&
        std::any_of(c.bytes.begin(), c.bytes.end(), [&](std::byte b) { return b != c.poison[0]; }))
      c.poison.clear();
  }
  launch_first_ = 0;
  while (launch_first_ < writes_.size() && trace_.programs[writes_[launch_first_].moment.program].launch < launch)
    ++launch_first_;
  done_ = launch_first_;
  launch_ = launch;
}

void Memory::seek(Moment to) {
  if (trace_.programs.empty()) return;
  const int launch = trace_.programs[to.program].launch;
  if (launch != launch_) enter_launch(launch);
  for (; done_ < writes_.size() && writes_[done_].moment < to; ++done_) {
    end_if_stopped();
    apply(writes_[done_]);
  }
  for (; done_ > launch_first_ && !(writes_[done_ - 1].moment < to); --done_) {
    end_if_stopped();
    undo(writes_[done_ - 1]);
  }
}

void Memory::apply(const Write& write) {
  Contents& c = tensors_[write.access->tensor];
  if (c.bytes.empty()) return;
  const std::size_t size = static_cast<std::size_t>(size_in_bytes(c.dtype));
  const std::byte* effect = write.access->effect;
  for_each_active_lane(*write.access, [&](std::int64_t, std::int64_t offset) {
    const std::byte* const now = std::exchange(effect, effect + size);
    const std::int64_t index = c.index_of(offset);
    const std::size_t at = undo_.size();
    undo_.resize(at + size + 1);
    if (index < 0) return;
    std::byte* const cell = c.bytes.data() + static_cast<std::size_t>(index) * size;
    std::memcpy(undo_.data() + at, cell, size);
    undo_.back() = c.written[index] ? std::byte{1} : std::byte{0};
    std::memcpy(cell, now, size);
    c.written[index] = true;
  });
}

void Memory::undo(const Write& write) {
  Contents& c = tensors_[write.access->tensor];
  if (c.bytes.empty()) return;
  const std::size_t size = static_cast<std::size_t>(size_in_bytes(c.dtype));
  const std::size_t begin = undo_.size() - static_cast<std::size_t>(write.access->active) * (size + 1);
  std::vector<std::int64_t> indices;
  for_each_active_lane(*write.access,
                       [&](std::int64_t, std::int64_t offset) { indices.push_back(c.index_of(offset)); });
  for (std::size_t i = indices.size(); i-- > 0;) {  // backwards: two lanes may share a cell
    if (indices[i] < 0) continue;
    const std::byte* const old = undo_.data() + begin + i * (size + 1);
    std::memcpy(c.bytes.data() + static_cast<std::size_t>(indices[i]) * size, old, size);
    c.written[indices[i]] = old[size] != std::byte{0};
  }
  undo_.resize(begin);
}

double Memory::element(int tensor, std::int64_t offset) const {
  const Contents& c = tensors_[tensor];
  return decode_element(c.dtype, c.bytes.data() + c.index_of(offset) * size_in_bytes(c.dtype));
}

std::int64_t Memory::element_as_int(int tensor, std::int64_t offset) const {
  const Contents& c = tensors_[tensor];
  return decode_int(c.dtype, c.bytes.data() + c.index_of(offset) * size_in_bytes(c.dtype));
}

bool Memory::is_written(int tensor, std::int64_t offset) const {
  const Contents& c = tensors_[tensor];
  const std::int64_t index = c.index_of(offset);
  return index >= 0 && c.written[index];
}

bool Memory::is_unset(int tensor, std::int64_t offset) const {
  const Contents& c = tensors_[tensor];
  const std::int64_t index = c.index_of(offset);
  if (index < 0 || c.poison.empty() || c.written[index]) return false;
  return std::memcmp(c.bytes.data() + static_cast<std::size_t>(index) * c.poison.size(), c.poison.data(),
                     c.poison.size()) == 0;
}

void for_each_touch(const RecordedTrace& trace, int launch, int tensor, std::int64_t first, std::int64_t last,
                    const std::function<void(const Touch&)>& visit) {
  for (std::size_t p = 0; p < trace.programs.size(); ++p) {
    const RecordedProgram& program = trace.programs[p];
    if (program.launch != launch) continue;
    for (std::uint32_t s = 0; s < program.steps.size(); ++s) {
      const std::int32_t index = program.steps[s].access;
      if (index < 0) continue;
      const RecordedAccess& a = program.accesses[index];
      end_if_stopped();
      if (a.tensor != tensor || a.last < first || a.first > last) continue;
      for_each_active_lane(a, [&](std::int64_t lane, std::int64_t offset) {
        if (offset >= first && offset <= last) visit({{p, s}, a.kind, lane, offset});
      });
    }
  }
}

std::vector<Touch> touches_of(const RecordedTrace& trace, int launch, int tensor, std::int64_t first,
                              std::int64_t last) {
  std::vector<Touch> touches;
  for_each_touch(trace, launch, tensor, first, last, [&](const Touch& touch) { touches.push_back(touch); });
  return touches;
}

std::optional<std::int64_t> element_at(const RecordedTensor& tensor, std::span<const std::int64_t> index) {
  std::int64_t result = 0;
  if (index.size() != tensor.shape.size()) {
    if (index.size() != 1 || index[0] < 0 || index[0] >= tensor.storage_elems) return std::nullopt;
    return index[0];
  }
  for (std::size_t d = 0; d < index.size(); ++d) {
    if (index[d] < 0 || index[d] >= tensor.shape[d]) return std::nullopt;
    result += index[d] * tensor.strides[d];
  }
  return result;
}

std::string cell_name(const RecordedTensor& tensor, std::int64_t element) {
  std::vector<std::pair<std::int64_t, std::size_t>> axes;  // by stride, largest first
  for (std::size_t d = 0; d < tensor.shape.size(); ++d) axes.push_back({tensor.strides[d], d});
  std::sort(axes.rbegin(), axes.rend());
  std::vector<std::int64_t> index(tensor.shape.size());
  std::int64_t rest = element;
  for (const auto& [stride, d] : axes) {
    index[d] = stride > 0 ? rest / stride : 0;
    rest -= index[d] * stride;
  }
  const std::optional<std::int64_t> back = element_at(tensor, index);
  if (!back || *back != element) index = {element};  // padding between rows has no cell
  std::string result = tensor.name + "[";
  for (std::size_t d = 0; d < index.size(); ++d) result.append(d ? ", " : "").append(std::to_string(index[d]));
  return result += ']';
}

}  // namespace tl::trace
