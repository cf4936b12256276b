// Reports lanes that hold no value, and lets the program go on.
#include "interp/cpu/undefined.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cstring>

namespace tl::cpu {

namespace {

// "a masked-off lane of a load without other, line 14"
void say_origin(const Where& w, Fault& f, const std::string& what) {
  using Kind = UndefinedBy::Kind;
  const Notation notation = notation_of(w);
  const auto origin = [&](Kind kind) -> std::string {
    std::vector<int> lines;
    for (const UndefinedBy& u : w.state.undefined_by)
      if (const int line = u.location.site().line; u.kind == kind && std::ranges::find(lines, line) == lines.end())
        lines.push_back(line);
    if (lines.empty()) return "";
    const std::string from = kind == Kind::load   ? "a masked-off lane of a load without " + notation.option("other")
                             : kind == Kind::tile ? "a lane outside of a block pointer's shape, of a load without " +
                                                        notation.option("padding")
                                                  : "an integer divided by 0";
    return fmt::format("{}, line{} {}", from, lines.size() > 1 ? "s" : "", fmt::join(lines, ", "));
  };
  const std::string load = origin(Kind::load), tile = origin(Kind::tile), division = origin(Kind::division);
  std::vector<std::string> origins;
  for (const std::string& o : {load, tile, division})
    if (!o.empty()) origins.push_back(o);
  f.detail = fmt::format("{} comes from {}", what, fmt::join(origins, ", or from "));
  f.fix = !load.empty()   ? fmt::format("pass {} to the load, with the value such lanes should have",
                                        notation.options({{"mask", "..."}, {"other", "..."}}))
          : !tile.empty() ? fmt::format("pass {} to the load: no value is promised for those lanes",
                                        notation.options({{"padding", notation.is_python() ? "\"zero\"" : "tl.zero"}}))
                          : "divide by tl.where(d == 0, 1, d), or mask those lanes off where they are stored";
}

void report_undefined(const Where& w, const Lanes& l, std::int64_t lane, const char* does, const char* what) {
  Fault f = make_fault(w, FaultKind::undefined_lane, "", "", "");
  f.lane = lane;
  f.element = l.offset(lane);
  f.tensor = l.memory->name;
  f.headline = fmt::format("{}: lane {} of program {} {}", trace::text_of(w.op), lane,
                           text_of(w.state.program, w.state.launch.launch.grid), does);
  say_origin(w, f, fmt::format("{} element {} of \"{}\" and", what, f.element, l.memory->name));
  report(w.state, std::move(f));
}

// The first active lane that is undefined; -1: none.
std::int64_t first_undefined(const Where& w, const Lanes& l, const Value& value) {
  const Ref lanes = broadcast(w, *value.undefined, l.shape.rank, l.dims());
  const std::byte* undefined = flat(*lanes);
  std::int64_t first = -1;
  for_each_active_lane(l, [&](std::int64_t lane, std::int64_t) {
    if (first < 0 && undefined[lane] != std::byte{0}) first = lane;
  });
  return first;
}

}  // namespace

void note_undefined(const Where& w, UndefinedBy::Kind kind) {
  const Site here = w.location.site();
  for (const UndefinedBy& u : w.state.undefined_by)
    if (const Site there = u.location.site(); there.line == here.line && there.column == here.column) return;
  w.state.undefined_by.push_back({kind, w.location});
}

void mark_zero_divisors(const Where& w, const Value& divisor, Value& result) {
  if (is_uniform(divisor) && int_of(divisor) != 0) return;
  const Ref zero = make_number(w.state, divisor.dtype, 0, 0, 0, nullptr);
  const Ref lanes =
      broadcast(w, *binary({w.state, Op::eq, w.location}, {Ref::share(&divisor)}, {zero}), result.rank, result.dims);
  const std::byte* bad = flat(*lanes);
  if (std::none_of(bad, bad + lanes->count, [](std::byte b) { return b != std::byte{0}; })) return;
  const Ref own = Ref::take(result.undefined);
  result.undefined = union_of(w.state, own.get(), lanes.get()).release();
  note_undefined(w, UndefinedBy::Kind::division);
}

void check_undefined(const Where& w, const Lanes& l, const Value& value) {
  if (const std::int64_t lane = first_undefined(w, l, value); lane >= 0)
    report_undefined(w, l, lane, "stores an undefined value", "it goes to");
}

void check_undefined_pointer(const Where& w, const Lanes& l, const Value& pointer) {
  if (const std::int64_t lane = first_undefined(w, l, pointer); lane >= 0)
    report_undefined(w, l, lane, "has an undefined address", "it is here");
}

void check_undefined_mask(const Where& w, const Lanes& l, const Value& mask) {
  const Ref lanes = broadcast(w, *mask.undefined, l.shape.rank, l.dims());
  const std::byte* undefined = flat(*lanes);
  for (std::int64_t lane = 0; lane < l.count; ++lane)
    if (undefined[lane] != std::byte{0})
      return report_undefined(w, l, lane, "stores under an undefined mask", "it decides about");
}

void check_undefined_choice(const Where& w, const Value& condition, const char* what) {
  const std::byte* undefined = flat(*condition.undefined);
  if (std::none_of(undefined, undefined + condition.undefined->count, [](std::byte b) { return b != std::byte{0}; }))
    return;
  Fault f = make_fault(w, FaultKind::undefined_lane, "", "", "");
  f.headline = fmt::format("{} of program {} is undefined", what, text_of(w.state.program, w.state.launch.launch.grid));
  say_origin(w, f, "it");
  report(w.state, std::move(f));
}

}  // namespace tl::cpu
