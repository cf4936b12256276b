#include "lessons/runner/traffic.h"

#include <fmt/format.h>

#include <algorithm>
#include <set>

#include "interp/report/fault_text.h"
#include "interp/report/numbers.h"
#include "interp/report/tensor_text.h"
#include "lessons/runner/blocks.h"
#include "lessons/runner/tensors.h"

namespace tl::lessons {

namespace {

// The first element of t, in row-major order, for which `is_so` holds of its count; and how many there are.
template <class Is>
std::pair<std::int64_t, std::int64_t> first_of(const Tensor& t, const std::vector<int>& counts, Is is_so) {
  std::int64_t first = -1, many = 0;
  for (std::int64_t i = 0; i < t.elems(); ++i)
    if (is_so(counts[offset_of(t, i)]) && many++ == 0) first = i;
  return {first, many};
}

// Different elements of `tensor` that the program stores.
std::int64_t stored_by(const Observed& o, std::int64_t program, const std::string& tensor) {
  const auto all = o.touched(program, tensor, true);
  return std::ssize(std::set<std::int64_t>(all.begin(), all.end()));
}

std::string program_text(const Observed& o, std::int64_t p) {
  const auto& grid = o.trace().launches.front().grid;
  return report::program_text(o.trace().programs[p].id, grid[2] > 1 ? 3 : grid[1] > 1 ? 2 : 1);
}

std::string times_text(std::int64_t times) {
  return times == 1 ? "once" : times == 2 ? "twice" : fmt::format("{} times", times);
}

std::string suffices_text(std::int64_t times) { return times_text(times) + (times > 2 ? " suffice" : " suffices"); }

// Elements in the last row, column, ... of a tensor, by offset.
std::vector<bool> at_an_end(const Tensor& t) {
  std::vector<bool> ends(static_cast<std::size_t>(t.storage_elems));
  for (std::int64_t i = 0; i < t.elems(); ++i) {
    std::int64_t left = i;
    for (std::size_t axis = t.shape.size(); axis-- > 0; left /= t.shape[axis])
      if (left % t.shape[axis] == t.shape[axis] - 1) ends[offset_of(t, i)] = true;
  }
  return ends;
}

// How often each element is loaded. Lanes beyond an end that take the last element again, tl.minimum(offs, n - 1),
// fetch nothing more: together with the lane that has it they count once.
std::vector<int> loads_without_clamped(const Tensor& t, const Observed& o) {
  std::vector<int> counts = o.loads(t.name);
  const std::vector<bool> ends = at_an_end(t);
  o.for_each_access(t.name, [&](std::int64_t, const trace::RecordedAccess& a, const Site&) {
    std::set<std::int64_t> seen;
    if (!a.writes())
      trace::for_each_active_lane(a, [&](std::int64_t, std::int64_t e) {
        if (ends[static_cast<std::size_t>(e)] && !seen.insert(e).second) --counts[static_cast<std::size_t>(e)];
      });
  });
  return counts;
}

// Along some axis its lanes go up and come down again.
bool wraps(const trace::RecordedAccess& a) {
  std::int64_t step = 1;  // lanes from one position along the axis to the next
  for (int axis = a.shape.rank - 1; axis >= 0; step *= a.shape[axis--])
    for (std::int64_t lane = 0; lane + 2 * step < a.lanes(); ++lane) {
      if (lane / step % a.shape[axis] + 2 >= a.shape[axis]) continue;
      const std::int64_t first = a.offset(lane + step) - a.offset(lane),
                         second = a.offset(lane + 2 * step) - a.offset(lane + step);
      if ((first > 0 && second < 0) || (first < 0 && second > 0)) return true;
    }
  return false;
}

struct Repeated {
  std::int64_t element = -1, times = 0, many = 0;  // the first, in row-major order; how many there are
};
Repeated first_repeated(const Tensor& t, const Observed& o, bool stored, std::int64_t must) {
  const auto counts = stored ? o.stores(t.name) : loads_without_clamped(t, o);
  const auto [i, many] = first_of(t, counts, [must](std::int64_t count) { return count > must; });
  return i < 0 ? Repeated{} : Repeated{i, counts[offset_of(t, i)], many};
}

std::int64_t must_load(const Trial& trial, const Tensor& t) {
  const auto must = trial.allowed_loads.find(t.name);
  return must == trial.allowed_loads.end() ? 1 : must->second;
}

std::int64_t must_store(const Trial& trial, const Tensor& t) {
  const auto must = trial.allowed_stores.find(t.name);
  return must == trial.allowed_stores.end() ? 1 : must->second;
}

constexpr const char* clamped =
    "do lanes beyond the end stay at the last element (tl.minimum)? One load fetches it for all of them; a further "
    "load, and each store, goes to memory once more: a mask keeps such lanes from it";
constexpr const char* wraps_round =
    "does an index wrap round (%), as in Triton's tutorial? Lanes beyond the end then fetch elements from the "
    "beginning once more: a mask keeps them from memory, tl.minimum keeps them at the last element";

std::optional<Finding> repeated_access(const Tensor& t, const Observed& o, bool stored, std::int64_t must) {
  const auto [i, times, many] = first_repeated(t, o, stored, must);
  if (i < 0) return std::nullopt;
  const std::int64_t element = offset_of(t, i);
  std::vector<std::string> by;  // programs, each once
  std::optional<Site> last;
  std::int64_t first_lane = -1, second_lane = -1;  // of one access that takes it twice
  bool is_wrapped = false;
  o.for_each_access(t.name, [&](std::int64_t p, const trace::RecordedAccess& a, const Site& where) {
    if (a.writes() != stored || element < a.first || element > a.last) return;
    is_wrapped |= wraps(a);
    std::int64_t lane_before = -1;
    trace::for_each_active_lane(a, [&](std::int64_t lane, std::int64_t e) {
      if (e != element) return;
      if (lane_before >= 0 && second_lane < 0) {
        first_lane = lane_before;
        second_lane = lane;
      }
      lane_before = lane;
      const std::string program = program_text(o, p);
      if (by.empty() || by.back() != program) by.push_back(program);
      last = where;
    });
  });
  if (second_lane >= 0)
    return at(
        Finding{
            fmt::format("the numbers are right, but lanes {} and {} of one {} both take {}", first_lane, second_lane,
                        stored ? "store" : "load", report::cell_text(t, i)),
            fmt::format("it is {} {}, and {}", stored ? "stored" : "loaded", times_text(times), suffices_text(must)),
            is_wrapped              ? wraps_round
            : at_an_end(t)[element] ? clamped
            : stored                ? "which lanes have an element of their own?"
                     : "is the index the same along an axis? load that axis alone and spread it, `x(_, None)` "
                       "(in Python `x[:, None]`)"},
        last);
  return at(Finding{fmt::format("the numbers are right, but {} is {} {}, and {}", report::cell_text(t, i),
                                stored ? "stored" : "loaded", times_text(times), suffices_text(must)),
                    fmt::format("by program{} {}; so {}", by.size() > 1 ? "s" : "", fmt::join(by, " and "),
                                many == 1 ? "is no other element"
                                : many == t.elems()
                                    ? fmt::format("is every element of {}", t.name)
                                    : fmt::format("are {} of the {} elements of {}", many, t.elems(), t.name)),
                    stored       ? "one store an element"
                    : is_wrapped ? wraps_round
                                 : "what a program has loaded it still holds: use the variable, not a further load"},
            last);
}

}  // namespace

std::optional<Finding> too_large_share(const Trial& trial, const Observed& o) {
  if (trial.share == 0) return std::nullopt;
  const std::string& out = trial.instance.outputs.front().name;
  std::int64_t worst = -1;
  std::string all;
  for (std::int64_t p = 0; p < o.programs(); ++p) {
    const std::int64_t stored = stored_by(o, p, out);
    if (stored > trial.share && worst < 0) worst = p;
    if (p < 4)
      all += fmt::format("{}program {} stores {}", p ? ", " : "", program_text(o, p),
                         stored == 0 ? "nothing" : report::plural(stored, "element"));
  }
  if (worst < 0) return std::nullopt;
  std::optional<Site> where;
  o.for_each_access(out, [&](std::int64_t p, const trace::RecordedAccess& a, const Site& site) {
    if (p == worst && a.writes() && a.active > 0) where = site;
  });
  return at(Finding{fmt::format("the numbers are right, but program {} stores {} of {}, and its share is {}",
                                program_text(o, worst), report::plural(stored_by(o, worst, out), "element"), out,
                                trial.share),
                    all + (o.programs() > 4 ? fmt::format(", of {} programs", o.programs()) : ""),
                    "programs run side by side: what one does for all, the others wait for"},
            where);
}

namespace {

std::optional<Finding> first_unloaded(const Trial& trial, const Observed& o,
                                      const std::function<bool(const std::string&)>& counts) {
  for (const Tensor& t : trial.instance.inputs) {
    const auto [i, many] = first_of(t, o.loads(t.name), [](int count) { return count == 0; });
    if (i >= 0 && counts(t.name))
      return at(Finding{fmt::format("nobody loads {}", report::cell_text(t, i)),
                        fmt::format("{} of the {} elements of {} are never loaded", many, t.elems(), t.name),
                        "from where to where does the loop go, and what does the mask keep out?"},
                o.first_site(t.name, false));
  }
  return std::nullopt;
}

}  // namespace

std::optional<Finding> nobody_loads(const Trial& trial, const Observed& o) {
  return first_unloaded(trial, o, [](const std::string&) { return true; });
}

std::optional<Finding> never_loaded(const Trial& trial, const Observed& o,
                                    const std::function<bool(const std::string&)>& counts) {
  auto found = first_unloaded(trial, o, counts);
  if (!found) return found;
  found->headline =
      fmt::format("the numbers are right, but {}: the kernel makes up what should come from it", found->headline);
  found->fix = "it may hold anything: load it";
  return at(*found, o.first_site(trial.instance.outputs.front().name, true));
}

std::optional<Finding> reads_output(const Trial& trial, const Observed& o) {
  for (const Tensor& t : trial.instance.outputs)
    if (const auto site = o.first_site(t.name, false);
        site && !trial.allowed_stores.contains(t.name) && o.count(t.name).loaded > 0)
      return at(Finding{fmt::format("the kernel reads its output {} back", t.name),
                        fmt::format("{} of {}", report::plural(o.count(t.name).loaded, "load"), t.name),
                        "what one program made it still holds: use the variable"},
                site);
  return std::nullopt;
}

std::optional<Finding> repeated_traffic(const Trial& trial, const Observed& o) {
  for (const Tensor& t : trial.instance.inputs)
    if (auto f = repeated_access(t, o, false, must_load(trial, t))) return f;
  for (const Tensor& t : trial.instance.outputs)
    if (auto f = repeated_access(t, o, true, must_store(trial, t))) return f;
  return std::nullopt;
}

std::string shares_text(const Tensor& t, const Observed& o) {
  if (!std::ranges::is_sorted(t.strides, std::greater{}) || t.shape.empty() || t.strides.back() < 1) return "";
  std::string text;
  for (std::int64_t p = 0; p < std::min<std::int64_t>(3, o.programs()); ++p) {
    std::vector<std::set<std::int64_t>> places(t.shape.size());  // along each axis
    for (std::int64_t left : o.touched(p, t.name, true))
      for (std::size_t axis = 0; axis < places.size(); left %= t.strides[axis++])
        places[axis].insert(left / t.strides[axis]);
    std::vector<std::string> words;
    for (const auto& along : places)
      if (!along.empty())
        words.push_back(along.size() == 1 ? std::to_string(*along.begin())
                                          : fmt::format("{}..{}", *along.begin(), *along.rbegin()));
    text += fmt::format("\nprogram {} stored {}", program_text(o, p),
                        words.empty() ? "nothing" : fmt::format("{}[{}]", t.name, fmt::join(words, ", ")));
  }
  return o.programs() > 3 ? text + fmt::format("\n... {} programs in all", o.programs()) : text;
}

std::string odd_traffic(const Trial& trial, const Observed& o) {
  std::string text;
  for (const Tensor& t : trial.instance.inputs) {
    if (const auto [i, many] = first_of(t, o.loads(t.name), [](int count) { return count == 0; }); i >= 0)
      text += fmt::format("\nnobody loads {}: {} of the {} elements of {} are never loaded", report::cell_text(t, i),
                          many, t.elems(), t.name);
    else if (const Repeated r = first_repeated(t, o, false, must_load(trial, t)); r.element >= 0)
      text += fmt::format("\n{} is loaded {}, and {}", report::cell_text(t, r.element), times_text(r.times),
                          suffices_text(must_load(trial, t)));
  }
  for (const Tensor& t : trial.instance.outputs)
    if (const Repeated r = first_repeated(t, o, true, must_store(trial, t)); r.element >= 0)
      text += fmt::format("\n{} is stored {}", report::cell_text(t, r.element), times_text(r.times));
  return text;
}

}  // namespace tl::lessons
