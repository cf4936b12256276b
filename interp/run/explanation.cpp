#include "interp/run/explanation.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstring>
#include <nlohmann/json.hpp>
#include <numeric>

#include "interp/lang/poison.h"
#include "interp/lang/text.h"
#include "interp/report/fault_text.h"
#include "interp/report/numbers.h"
#include "interp/report/tensor_text.h"
#include "interp/run/why/causes.h"
#include "interp/run/write_watch.h"
#include "interp/trace/recorded.h"

namespace tl::run {

using namespace report;

namespace {

std::string range_text(const Tensor& t, WriteWatch::Range r) {
  if (t.shape.size() == 1)
    return r.first == r.last ? fmt::format("{}[{}]", t.name, r.first)
                             : fmt::format("{}[{}..{}]", t.name, r.first, r.last);
  return r.first == r.last ? cell_text(t, r.first)
                           : fmt::format("{} .. {}", cell_text(t, r.first), cell_text(t, r.last));
}

int axes_of(const problems::Instance& instance) {
  const Grid& g = instance.launches.back().grid;
  return g.z > 1 ? 3 : g.y > 1 ? 2 : 1;
}

std::string nobody_sentence(const problems::Instance& instance, const Tensor& t, std::int64_t element,
                            const WriteWatch& watch) {
  const auto gap = watch.unwritten_around(element);
  std::string out = "nothing wrote " + range_text(t, gap);
  const std::int64_t elsewhere = watch.unwritten() - (gap.last - gap.first + 1);
  if (elsewhere > 0) out += " (and " + plural(elsewhere, "element") + " elsewhere)";
  if (watch.programs() == 0) return out + ": no program stored to " + t.name;
  const std::int64_t all = programs_of(instance);
  if (watch.programs() < all)
    return out + fmt::format(": only {} of the {} programs stored to {}, {}", watch.programs(), count_text(all), t.name,
                             range_text(t, watch.whole_range()));
  const auto same = watch.common_range();
  if (same && watch.programs() > 1)
    return out +
           fmt::format(": each of the {} stored to {}", plural(watch.programs(), "program"), range_text(t, *same));
  return out + fmt::format(": the {} that stored to {} reached from {} to {}", plural(watch.programs(), "program"),
                           t.name, cell_text(t, watch.whole_range().first), cell_text(t, watch.whole_range().last));
}

// Does an element of the storage still hold what an output begins with?
bool is_unwritten(const Tensor& t, std::int64_t at, const std::vector<std::byte>& before) {
  return std::memcmp(t.data() + at * static_cast<std::int64_t>(before.size()), before.data(), before.size()) == 0;
}
bool is_unwritten(const Tensor& t, std::int64_t at) {
  const std::vector<std::byte> before = poison_of(t.dtype);
  return !before.empty() && is_unwritten(t, at, before);
}

}  // namespace

std::vector<Unwritten> unwritten_of(const problems::Instance& instance) {
  std::vector<Unwritten> all;
  for (std::size_t o = 0; o < instance.outputs.size(); ++o) {
    const Tensor& t = instance.outputs[o];
    const std::vector<std::byte> before = poison_of(t.dtype);
    if (before.empty()) continue;
    Unwritten found;
    const std::int64_t n = t.elems();
    const bool is_dense = n == t.storage_elems;
    for (std::int64_t i = 0; i < n; ++i) {
      const std::int64_t at = is_dense ? i : offset_of(t, i);
      if (!is_unwritten(t, at, before)) continue;
      if (found.count++ == 0) found.first = {o, i, NAN, NAN};
    }
    if (found.count > 0 && !(is_poison_ambiguous(t.dtype) && found.count < n)) all.push_back(found);
  }
  return all;
}

namespace {

// Program after program, every check on.
cpu::RunOptions checked_options(const RunAsIs& as) {
  cpu::RunOptions options = as.cpu;
  if (options.order == cpu::Order::parallel) options.order = cpu::Order::sequential;
  options.checks = parse_checks({"all"});
  return options;
}

// A row whose storage goes on behind it: the element as the tensor's memory counts.
std::int64_t in_storage(const Tensor& t, std::int64_t element) {
  return t.elems() == t.storage_elems ? element : offset_of(t, element);
}

// Runs once more and keeps what the programs compute: all of them, or of many the one that wrote the element.
std::optional<Fault> cause_in(const problems::Instance& instance, const problems::Mismatch& first, std::int64_t element,
                              cpu::RunOptions options, const Arithmetic& arithmetic, const WriteWatch::Writer& writer,
                              bool is_told) {
  constexpr std::int64_t most_programs = 1024;
  constexpr std::size_t budget = std::size_t{400} << 20;
  const bool holds_all = programs_of(instance) <= most_programs;
  Ledger ledger(budget, holds_all ? std::nullopt : std::optional(std::pair(writer.launch, writer.program)));
  options.checks = parse_checks({"none"});
  options.observer = &ledger;
  options.literals = &ledger;
  options.turns = &ledger;
  instance.reset();
  const Execution run = run_on_cpu(instance, options, arithmetic);
  if (!run.ok() || !ledger.is_whole()) return {};
  const Tensor& t = instance.outputs[first.output];
  // One after the other the programs may give another value: of the wrong one nothing is known then.
  if (const double again = trace::decode_element(t.dtype, t.data() + element * size_in_bytes(t.dtype));
      std::abs(again - first.got) > std::abs(again - first.expected))
    return {};
  problems::Tolerance tolerance = instance.tolerances_under(run.tf32)[first.output];
  if (instance.sum_errors_at)
    if (const auto errors = instance.sum_errors_at(first.output, std::span(&first.offset, 1)); !errors.empty())
      tolerance.absolute += errors.front();
  // The middle and the last of the others that are wrong.
  std::vector<WrongElement::Other> others;
  if (holds_all)
    for (const problems::Mismatch& m :
         problems::check(instance, instance.outputs, problems::affordable_samples(instance), run.tf32).all)
      if (m.output == first.output && m.offset != first.offset && std::isfinite(m.expected) &&
          !is_unwritten(t, in_storage(t, m.offset)))
        others.push_back({in_storage(t, m.offset), m.got, m.expected});
  if (others.size() > 2) others = {others[others.size() / 2], others.back()};
  return cause_of(ledger, {.data = t.data(),
                           .element = element,
                           .name = cell_text(t, first.offset),
                           .got = first.got,
                           .expected = first.expected,
                           .tolerance = tolerance,
                           .holds_all = holds_all,
                           .is_told = is_told,
                           .others = std::move(others)});
}

}  // namespace

Explanation explain(const problems::Instance& instance, const problems::Mismatch& first, const RunAsIs& as) {
  instance.reset();
  const Tensor& output = instance.outputs[first.output];
  const std::int64_t element = in_storage(output, first.offset);
  WriteWatch watch(output, element);
  cpu::RunOptions options = checked_options(as);
  options.observer = &watch;
  options.turns = &watch;

  Explanation e;
  e.was_on_gpu = as.was_on_gpu;
  Execution repeat = run_on_cpu(instance, options, as.arithmetic);
  e.ran_to_end = repeat.programs == programs_of(instance);
  e.faults = std::move(repeat.faults);
  if (e.faults.empty() && instance.reference_at)
    e.interpreter_agrees =
        problems::check(instance, instance.outputs, problems::affordable_samples(instance), repeat.tf32).ok;
  if (e.ran_to_end && watch.is_written(element))
    if (const std::int64_t at = watch.first_unwritten();
        at < output.elems() && output.elems() == output.storage_elems && is_unwritten(output, at))
      e.elsewhere = nobody_sentence(instance, output, at, watch);
  if (!watch.last_writer()) {
    e.sentence = nobody_sentence(instance, output, element, watch);
    return e;
  }
  const WriteWatch::Writer& w = *watch.last_writer();
  e.site = w.site;
  e.program = w.program;
  e.lane = w.lane;
  e.sentence = fmt::format("program {}, lane {}, wrote {} at {}", program_text(w.program, axes_of(instance)), w.lane,
                           cell_text(output, first.offset), place_text(w.site));
  const bool is_told = std::ranges::any_of(e.faults, [](const Fault& f) {  // by a check, better than by its values
    return f.kind == FaultKind::undefined_lane || f.kind == FaultKind::uninitialized;
  });
  if (e.ran_to_end && !is_told && !e.interpreter_agrees && instance.reference_at)
    e.cause = cause_in(instance, first, element, options, as.arithmetic, w, !e.faults.empty());
  if (watch.writes() > 1) e.sentence += fmt::format(", the last of {} writes to it", watch.writes());
  if (e.faults.empty() && repeat.ordered_at)
    e.faults = races_in_other_orders(instance, as, e.interpreter_agrees).faults;
  return e;
}

std::optional<Fault> wrap_before(const problems::Instance& instance, const RunAsIs& as, ProgramId program) {
  constexpr std::size_t budget = std::size_t{200} << 20;
  cpu::RunOptions options = as.cpu;
  options.order = cpu::Order::sequential;
  options.checks = parse_checks({"none"});
  for (int launch = 0; launch < static_cast<int>(instance.launches.size()); ++launch) {
    Ledger ledger(budget, std::pair(launch, program));
    options.observer = &ledger;
    options.literals = &ledger;
    options.turns = &ledger;
    options.only_watched = instance.launches.size() == 1;
    instance.reset();
    run_on_cpu(instance, options, as.arithmetic);
    if (std::optional<Fault> f = wrap_in(ledger)) return f;
  }
  return {};
}

std::optional<Fault> suspicion_of(const problems::Instance& instance, const RunAsIs& as) {
  constexpr std::size_t budget = std::size_t{100} << 20;
  cpu::RunOptions options = as.cpu;
  options.order = cpu::Order::sequential;
  options.checks = parse_checks({"none"});
  options.only_watched = instance.launches.size() == 1;
  const int launch = static_cast<int>(instance.launches.size()) - 1;
  const Grid& grid = instance.launches.back().grid;
  for (const ProgramId program : {ProgramId{0, 0, 0}, ProgramId{grid.x - 1, grid.y - 1, grid.z - 1}}) {
    Ledger ledger(budget, std::pair(launch, program));
    options.observer = &ledger;
    options.literals = &ledger;
    options.turns = &ledger;
    instance.reset();
    const Execution run = run_on_cpu(instance, options, as.arithmetic);
    if (!run.ok() || !ledger.is_whole()) return {};
    if (std::optional<Fault> f = suspicion_in(ledger)) return f;
  }
  return {};
}

namespace {

// How far an output's values reach: sums of atomics in another order differ by a part of that.
double reach_of(const Tensor& t) {
  double reach = 0;
  for (std::int64_t i = 0; i < t.storage_elems; ++i)
    if (const double v = std::abs(trace::decode_element(t.dtype, t.data() + i * size_in_bytes(t.dtype)));
        std::isfinite(v))
      reach = std::max(reach, v);
  return reach;
}

}  // namespace

OtherOrders races_in_other_orders(const problems::Instance& instance, const RunAsIs& as, bool is_right) {
  cpu::RunOptions options = as.cpu;
  options.checks = parse_checks({"race", "uninit"});
  OtherOrders found;
  for (std::uint64_t seed = 0; found.left > 0; ++seed, --found.left) {
    options.order = seed == 0 ? cpu::Order::reversed : cpu::Order::shuffled;
    options.seed = seed;
    instance.reset();
    const Execution run = run_on_cpu(instance, options, as.arithmetic);
    std::vector<Fault>& faults = found.faults = run.faults;
    std::erase_if(faults,
                  [](const Fault& f) { return f.kind != FaultKind::race && f.kind != FaultKind::uninitialized; });
    const std::string by = seed == 0 ? "with --order reversed" : fmt::format("with --order shuffled --seed {}", seed);
    for (Fault& f : faults) {
      f.detail += ", " + by;
      if (f.kind == FaultKind::uninitialized)  // in order it was written
        f.fix = "let this program wait, in a loop around an atomic, until the one that stores it says that it is done";
    }
    if (!faults.empty() || run.was_stopped()) return found;
    if (!run.ok() || !run.ordered_at || !instance.reference_at || !is_right) continue;
    const problems::Verdict verdict =
        problems::check(instance, instance.outputs, problems::affordable_samples(instance), run.tf32);
    if (verdict.ok || std::abs(verdict.first->got - verdict.first->expected) <=
                          1e-3 * reach_of(instance.outputs[verdict.first->output]))
      continue;
    Fault f;
    f.kind = FaultKind::race;
    f.site = *run.ordered_at;
    f.headline = "the result depends on which program comes first";
    f.detail = by + " " + mismatch_text(instance, verdict, instance.outputs);
    f.fix = "let a program wait, in a loop around its atomic, until the value says that those it needs are done";
    faults = {f};
    return found;
  }
  return found;
}

std::string explanation_text(const Explanation& e, Paint paint) {
  constexpr std::size_t shown = 3;
  std::string out;
  if (e.interpreter_agrees)
    out += paint.bold("why:") +
           (e.was_on_gpu ? " the interpreter agrees with the reference; only the GPU differs\n"
                         : " run one after the other, the programs give what the reference says: the result depends on "
                           "which of them comes first\n");
  if (e.cause) out += paint.bold("why:") + " " + fault_text(*e.cause, paint);
  // After a fault that ended the run, who wrote which element explains nothing more.
  if (e.ran_to_end && !e.sentence.empty()) {
    out += paint.bold(e.interpreter_agrees || e.cause ? "who:" : "why:") + " " + e.sentence + "\n";
    if (e.site && !e.cause) out += caret_text(*e.site, "", paint);
    if (!e.elsewhere.empty()) out += paint.bold("and:") + " " + e.elsewhere + "\n";
  }
  for (std::size_t i = 0; i < std::min(shown, e.faults.size()); ++i) out += fault_text(e.faults[i], paint);
  if (e.faults.size() > shown) out += fmt::format("    and {} more\n", e.faults.size() - shown);
  return out;
}

nlohmann::ordered_json explanation_json(const Explanation& e) {
  nlohmann::ordered_json out;
  out["faults"] = nlohmann::ordered_json::array();
  for (const Fault& f : e.faults) out["faults"].push_back(fault_json(f));
  out["interpreter_agrees"] = e.interpreter_agrees;
  out["sentence"] = e.sentence;
  if (e.cause) out["cause"] = fault_json(*e.cause);
  if (!e.elsewhere.empty()) out["elsewhere"] = e.elsewhere;
  if (e.site) {
    out["program"] = {e.program.x, e.program.y, e.program.z};
    out["lane"] = e.lane;
    out["file"] = place_text({e.site->file, 0, 0});
    out["line"] = e.site->line;
  }
  return out;
}

std::string mismatch_text(const problems::Instance& instance, const problems::Verdict& verdict,
                          const std::vector<Tensor>& outputs) {
  (void)instance;
  const problems::Mismatch& first = *verdict.first;
  const Tensor& t = outputs[first.output];
  // As many digits as tell the two apart, and one more.
  const auto number = [&](double v, int digits) {
    return is_integer(t.dtype) && v == std::round(v) ? fmt::format("{:.0f}", v)
           : std::isnan(v)                           ? "nan"
                                                     : fmt::format("{:.{}g}", v, digits);
  };
  int digits = 6;
  while (digits < 17 && first.got != first.expected && number(first.got, digits) == number(first.expected, digits))
    ++digits;
  if (digits > 6 && digits < 17) ++digits;
  return fmt::format("{} is {}, the reference says {} ({} of {}{} differ)", cell_text(t, first.offset),
                     number(first.got, digits), number(first.expected, digits), count_text(verdict.wrong),
                     plural(verdict.checked, "element"), verdict.checked < t.elems() ? " checked" : "");
}

}  // namespace tl::run
