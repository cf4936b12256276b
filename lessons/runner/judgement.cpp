#include "lessons/runner/judgement.h"

#include <fmt/format.h>

#include <algorithm>

#include "interp/run/execute.h"
#include "lessons/runner/blocks.h"
#include "lessons/runner/findings.h"
#include "lessons/runner/parting.h"
#include "lessons/runner/score.h"
#include "lessons/runner/tensors.h"
#include "lessons/runner/traffic.h"

namespace tl::lessons {

Observed observed_run(const Trial& trial, const PidCondition& values) {
  std::vector<Fault> faults;
  trial.instance.reset();
  return observe(trial.instance, faults, 200'000, values);
}

namespace {

// Whether the solution's outputs depend on elements of an input that this kernel never loads: what does not count need
// not be loaded.
bool misses_what_counts(const Observed& mine, const Trial& best, const std::string& input) {
  const auto outputs = [&best] {
    best.instance.reset();
    cpu::RunOptions options;
    options.op_limit = 200'000;
    options.order = cpu::Order::sequential;
    run::run_on_cpu(best.instance, options);
    std::vector<Bytes> all;
    for (const Tensor& t : best.instance.outputs) all.push_back(bytes_of(t));
    return all;
  };
  const std::vector<Bytes> before = outputs();
  bool counts = false;
  for (const Tensor& t : best.instance.inputs)
    for (const double other : {-1000.0, 1000.0}) {
      if (t.name != input) continue;
      const Bytes kept = bytes_of(t);
      const auto loads = mine.loads(t.name);
      for (std::int64_t i = 0; i < t.elems(); ++i)
        if (loads[offset_of(t, i)] == 0) set(t, offset_of(t, i), other);
      counts |= outputs() != before;
      std::ranges::copy(kept, t.data());
    }
  return counts;
}

void add_note(Judgement& all, const std::string& note) {
  if (std::ranges::find(all.notes, note) == all.notes.end()) all.notes.push_back(note);
}

std::optional<Finding> too_much(const Lesson& lesson, const Score& score, const Trial& trial,
                                const Observed& observed) {
  for (const Score::Figure& f : score.figures)
    if (lesson.most_work > 0 && static_cast<double>(f.mine) > lesson.most_work * static_cast<double>(f.best))
      return at(Finding{fmt::format("the numbers are right, but the kernel takes {} {}, where {} would do", f.mine,
                                    f.name, f.best),
                        "this line takes the most sectors, the 32 bytes that memory hands out at least",
                        "do neighbouring lanes take neighbouring elements, and is each loaded once, by a block?"},
                busiest_place(trial.instance, observed).value_or(Site{}));
  return std::nullopt;
}

// Against the solution's run of the same trial.
std::optional<Finding> wasted(const Lesson& lesson, const Trial& trial, const Trial* best_trial,
                              const Observed& observed, Judgement& all) {
  all.accesses.add(observed);
  if (!best_trial) return trial.every_access_counts ? empty_accesses(observed, nullptr) : std::nullopt;
  const Observed best = observed_run(*best_trial);
  if (auto finding = needless_work(observed, best)) return finding;
  if (trial.every_access_counts)
    if (auto finding = empty_accesses(observed, &best)) return finding;
  if (trial.on_gpu) {
    all.score = score_of(trial, observed, *best_trial, best);
    if (const auto place = busiest_place(trial.instance, observed)) all.score.busiest_line = place->line;
    if (auto finding = too_much(lesson, all.score, trial, observed)) return finding;
    if (const auto note = needless_lanes(observed, best)) add_note(all, *note);
  }
  if (const auto note = needless_f64(observed, best)) add_note(all, *note);
  return std::nullopt;
}

// What inputs and outputs held before a run.
struct Before {
  std::vector<Bytes> inputs, outputs;
};

// A race is reported after its consequences: wrong numbers explain more.
std::optional<Finding> judged(const Lesson& lesson, const Trial& trial, const Trial* best_trial, const Before& before,
                              const Observed& observed, const std::vector<Fault>& faults, Judgement& all) {
  const problems::Instance& instance = trial.instance;
  all.has_right_numbers = false;
  all.wrong = {};
  const bool has_ended = std::ranges::all_of(faults, [](const Fault& f) { return f.kind == FaultKind::race; });

  problems::Verdict verdict;
  std::vector<Tensor> outputs;
  if (has_ended && instance.reference) {
    outputs = packed(instance.outputs);
    verdict = problems::check(instance, outputs);
    if (verdict.first)
      all.wrong = Cell{outputs[verdict.first->output].name,
                       offset_of(instance.outputs[verdict.first->output], verdict.first->offset)};
  }
  if (auto finding = stored_to_input(trial, before.inputs, observed))
    return finding;  // explains what is wrong with the outputs
  auto touched = has_ended ? foreign_stores(trial, before.outputs, observed) : std::nullopt;
  if (has_ended && !touched) touched = foreign_loads(trial, observed);
  if (!has_ended || !faults.empty())  // that it may not see its own store is a consequence
    if (auto finding = reads_output(trial, observed)) return finding;
  if (const auto stopped = std::ranges::find(faults, FaultKind::stopped, &Fault::kind); stopped != faults.end())
    return from_fault(*stopped);
  if (!faults.empty() || !verdict.ok || touched) {
    if (lesson.diagnose)
      if (auto finding = lesson.diagnose({trial, observed, faults, verdict.first})) return finding;
    if (!has_ended)
      return from_fault(trial, *std::ranges::find_if(faults, [](const Fault& f) { return f.kind != FaultKind::race; }));
    if (touched) return touched;
    if (verdict.ok) return from_fault(faults.front());
    const auto best = best_trial ? std::optional(observed_run(*best_trial)) : std::nullopt;
    return from_mismatch(trial, observed, best, verdict, outputs);
  }
  all.has_right_numbers = true;
  if (auto finding = too_large_share(trial, observed)) return finding;
  const auto counts = [&](const std::string& input) {
    return !best_trial || misses_what_counts(observed, *best_trial, input);
  };
  if (auto finding = never_loaded(trial, observed, counts)) {
    const auto diagnosis = lesson.diagnose ? lesson.diagnose({trial, observed, faults, {}}) : std::nullopt;
    return diagnosis ? diagnosis : finding;
  }
  if (trial.expect)
    if (auto finding = trial.expect(observed)) return finding;
  if (auto finding = reads_output(trial, observed)) return finding;
  if (auto finding = idle_rounds(observed)) return finding;  // before what they load once more
  if (auto finding = repeated_traffic(trial, observed)) return finding;
  if (auto finding = wasted(lesson, trial, best_trial, observed, all)) return finding;
  if (trial.note)
    if (const auto note = trial.note(observed)) add_note(all, *note);

  all.has_right_numbers = false;
  if (!instance.reference) return std::nullopt;
  // A GPU starts programs in no promised order.
  for (const cpu::Order order : {cpu::Order::reversed, cpu::Order::shuffled}) {
    instance.reset();
    cpu::RunOptions options;
    options.order = order;
    options.seed = 7;
    options.op_limit = 200'000;
    if (const auto r = run::run_on_cpu(instance, options); !r.ok()) return from_fault(r.faults.front());
    if (!problems::check(instance, packed(instance.outputs)).ok)
      return Finding{
          "the result depends on the order in which programs run",
          fmt::format("right one after the other, wrong {}", order == cpu::Order::reversed ? "in reverse" : "shuffled"),
          trial.when_order_matters};
  }
  return std::nullopt;
}

}  // namespace

void note_waste(const Score& score, std::vector<std::string>& notes) {
  for (const Score::Figure& f : score.figures)
    if (2 * f.mine > 3 * f.best && f.best > 0)
      notes.push_back(fmt::format(
          "Right; but at {} it takes {} {}, where {} would do{}.", score.sizes, f.mine, f.name, f.best,
          score.busiest_line > 0 ? fmt::format("; line {} takes the most sectors", score.busiest_line) : ""));
}

std::optional<Finding> judge(const Lesson& lesson, const Trial& trial, const Trial* best_trial, Judgement& all) {
  trial.instance.reset();
  Before before;
  for (const Tensor& t : trial.instance.inputs) before.inputs.push_back(bytes_of(t));
  for (const Tensor& t : trial.instance.outputs) before.outputs.push_back(bytes_of(t));
  std::vector<Fault> faults;
  const Observed observed = observe(trial.instance, faults);
  auto finding = judged(lesson, trial, best_trial, before, observed, faults, all);
  if (!finding || !best_trial || lesson.tells_symptoms) return finding;
  return with_parting(std::move(*finding), trial, *best_trial, observed, all.wrong);
}

}  // namespace tl::lessons
