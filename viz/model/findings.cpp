#include "viz/model/findings.h"

#include <algorithm>
#include <bit>

#include "viz/model/requests.h"

namespace tl::viz {

namespace {

// A bit an element; mark() counts the bits that it sets for the first time.
class BitSet {
 public:
  std::int64_t mark(std::int64_t first, std::int64_t count, std::int64_t stride) {
    if (stride != 1) {
      std::int64_t fresh = 0;
      for (std::int64_t i = 0; i < count; ++i) fresh += mark(first + i * stride, 1, 1);
      return fresh;
    }
    std::int64_t fresh = 0;
    for (std::int64_t at = first; at < first + count;) {
      const auto word = static_cast<std::size_t>(at / 64);
      const std::int64_t end = std::min(first + count, (at / 64 + 1) * 64), bits = end - at;
      const std::uint64_t mask = (bits == 64 ? ~std::uint64_t{0} : (std::uint64_t{1} << bits) - 1) << (at % 64);
      if (word >= words_.size()) words_.resize(std::max(word + 1, words_.size() * 2));
      fresh += std::popcount(mask & ~words_[word]);
      words_[word] |= mask;
      at = end;
    }
    return fresh;
  }

 private:
  std::vector<std::uint64_t> words_;
};

bool is_earlier(const trace::Moment& a, const trace::Moment& b) { return a < b; }

}  // namespace

std::size_t Findings::OfTensor::done_before(trace::Moment now) const {
  return static_cast<std::size_t>(std::ranges::lower_bound(accesses, now, is_earlier, &Access::moment) -
                                  accesses.begin());
}

const Findings::Lanes& Findings::OfTensor::lanes_before(trace::Moment now) const {
  const std::size_t done = done_before(now);
  return done < accesses.size() ? accesses[done].before : all;
}

// One walk over everything.
void Findings::index_run() {
  is_indexed_ = true;
  std::map<std::pair<int, int>, BitSet> marks;
  for (std::size_t p = 0; p < trace_.programs.size(); ++p) {
    const trace::RecordedProgram& program = trace_.programs[p];
    const auto& tensors = trace_.launches[program.launch].tensors;
    for (std::uint32_t s = 0; s < program.steps.size(); ++s) {
      if (program.steps[s].access < 0) continue;
      const trace::RecordedAccess& a = program.accesses[program.steps[s].access];
      if (a.tensor < 0 || a.tensor >= static_cast<int>(tensors.size())) continue;
      const std::int64_t masked = a.lanes() - a.active;
      OfTensor& t = tensors_[{program.launch, a.tensor}];
      t.accesses.push_back({{p, s}, &a, t.all});
      (a.writes() ? t.all.stores : t.all.loads) += a.active;
      t.all.masked += masked;
      if (a.writes()) {
        t.is_output |= a.kind == trace::AccessKind::store;
        BitSet& m = marks[{program.launch, a.tensor}];
        for_each_run(a, [&](std::int64_t first, std::int64_t count, std::int64_t stride, std::int64_t) {
          t.all.written += m.mark(first, count, stride);
        });
      }
      auto& line = lines_[{program.steps[s].site.file, program.steps[s].site.line}];
      LineAccess entry{{p, s}, line.empty() ? Traffic{} : line.back().up_to};
      entry.up_to.bytes += static_cast<double>(a.active) * size_in_bytes(tensors[a.tensor].dtype);
      entry.up_to.lanes += a.lanes();
      entry.up_to.masked += masked;
      entry.up_to.writes |= a.writes();
      line.push_back(entry);
    }
  }
}

const Findings::OfTensor& Findings::of_tensor(int launch, int tensor) {
  if (!is_indexed_) index_run();
  return tensors_[{launch, tensor}];
}

const Findings::FirstTouch& Findings::first_touch(int launch, int tensor, const Grid& grid) {
  const OfTensor& t = of_tensor(launch, tensor);
  const auto [it, is_new] = touched_.try_emplace({launch, tensor, grid});
  FirstTouch& result = it->second;
  if (!is_new) return result;
  if (touched_.size() > 32) {  // of panels that were resized many times
    touched_.clear();
    return first_touch(launch, tensor, grid);
  }
  result.load.assign(static_cast<std::size_t>(grid.texels()), never);
  result.store.assign(static_cast<std::size_t>(grid.texels()), never);
  const std::int64_t texel_columns = grid.texel_columns();
  for (std::size_t i = 0; i < t.accesses.size(); ++i) {
    const trace::RecordedAccess& a = *t.accesses[i].access;
    auto& first = a.writes() ? result.store : result.load;
    const auto touch = [&](std::int64_t element, std::int64_t count) {  // along a row
      const auto [row, column] = grid.cell_of(element);
      if (row < 0 || row >= grid.rows) return;
      const std::int64_t from = row / grid.down * texel_columns;
      for (std::int64_t c = column / grid.across; c <= (column + count - 1) / grid.across; ++c)
        if (auto& f = first[from + c]; f == never) f = static_cast<std::uint32_t>(i);
    };
    for_each_run(a, [&](std::int64_t from, std::int64_t count, std::int64_t stride, std::int64_t) {
      if (stride != 1 || grid.column_stride != 1 || grid.row_stride < grid.columns) {
        for (std::int64_t k = 0; k < count; ++k) touch(from + k * stride, 1);
        return;
      }
      while (count > 0) {
        const std::int64_t here = std::min(count, grid.row_stride - from % grid.row_stride),
                           inside = std::min(here, grid.columns - from % grid.row_stride);
        if (inside > 0) touch(from, inside);
        from += here;
        count -= here;
      }
    });
  }
  return result;
}

std::int64_t Findings::moments() {
  if (first_moment_.empty()) {
    first_moment_.push_back(0);
    for (const trace::RecordedProgram& p : trace_.programs)
      first_moment_.push_back(first_moment_.back() + static_cast<std::int64_t>(p.steps.size()) + 1);
  }
  return first_moment_.back();
}

std::int64_t Findings::number_of(trace::Moment moment) {
  moments();
  return first_moment_[moment.program] + moment.step;
}

trace::Moment Findings::moment_of(std::int64_t number) {
  number = std::clamp<std::int64_t>(number, 0, moments() - 1);
  const auto program =
      static_cast<std::size_t>(std::ranges::upper_bound(first_moment_, number) - first_moment_.begin() - 1);
  return {program, static_cast<std::uint32_t>(number - first_moment_[program])};
}

std::map<int, Findings::Traffic> Findings::traffic_before(int file, trace::Moment now) {
  if (!is_indexed_) index_run();
  std::map<int, Traffic> result;
  for (const auto& [place, line] : lines_) {
    if (place.first != file) continue;
    const auto end = std::ranges::lower_bound(line, now, is_earlier, &LineAccess::moment);
    if (end != line.begin()) result[place.second] = std::prev(end)->up_to;
  }
  return result;
}

std::map<int, std::int64_t> Findings::sectors_before(int file, trace::Moment now, const ModelRun* model) {
  const trace::RecordedProgram& program = trace_.programs[now.program];
  const auto& tensors = trace_.launches[program.launch].tensors;
  if (sectors_of_ != std::pair(now.program, model)) {
    sectors_of_ = {now.program, model};
    sectors_.assign(program.accesses.size(), 0);
    const auto plans = plans_of_accesses(model, trace_, now.program);
    for (std::size_t i = 0; i < program.accesses.size(); ++i)
      if (const trace::RecordedAccess& a = program.accesses[i]; a.tensor >= 0)
        for (const machine::Request& r : requests_of(plans[i], a, size_in_bytes(tensors[a.tensor].dtype)))
          sectors_[i] += machine::sectors_of(r);
  }
  std::map<int, std::int64_t> result;
  for (std::uint32_t s = 0; s < now.step; ++s)
    if (const trace::Step& step = program.steps[s]; step.access >= 0 && step.site.file == file)
      result[step.site.line] += sectors_[step.access];
  return result;
}

}  // namespace tl::viz
