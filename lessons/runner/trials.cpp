// Runs a lesson's trials: poisoned outputs, sentinels around them, every check on, several orders; and names what
// went wrong.
#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <cmath>
#include <cstring>

#include "interp/report/fault_text.h"
#include "interp/report/tensor_text.h"
#include "interp/run/execute.h"
#include "interp/run/explanation.h"
#include "lessons/runner/best.h"
#include "lessons/runner/check.h"
#include "lessons/runner/random_trials.h"
#include "lessons/runner/score.h"
#include "lessons/runner/tensors.h"
#include "lessons/runner/traffic.h"
#include "lessons/runner/unlike.h"
#include "lessons/runner/waste.h"

namespace tl::lessons {

namespace {

using Bytes = std::vector<std::byte>;

Bytes bytes_of(const Tensor& t) { return {t.data(), t.data() + t.storage_bytes()}; }

// Where in the learner's file: a fault's file name is the one the compiler was given.
Finding at(Finding finding, const Site& site) {
  finding.line = site.line;
  finding.column = site.column;
  return finding;
}

Finding from_fault(const Fault& f) {
  if (f.kind == FaultKind::stopped)
    return at({fmt::format("the kernel does not come to an end: program {} took more ops than any right one needs",
                           report::program_text(f.program)),
               "", "what changes from one round of its loop to the next, and does that ever end it?"},
              f.site);
  return at({f.headline, f.detail, f.fix}, f.site);
}

// An atomic on an output that begins with no numbers.
Finding from_fault(const Trial& trial, const Fault& f) {
  const bool adds = f.kind == FaultKind::uninitialized &&
                    std::ranges::any_of(trial.instance.outputs, [&f](const Tensor& t) { return t.name == f.tensor; });
  if (!adds) return from_fault(f);
  return at({fmt::format("the kernel adds to what {} holds, and nobody has stored there", f.tensor), f.headline,
             "tl.store sets an element; an atomic is for one that begins at 0 and that several programs add to"},
            f.site);
}

std::string number_text(const Tensor& t, double v, int digits) {
  if (is_integer(t.dtype)) return fmt::format("{:.0f}", v);
  return std::isnan(v) ? "nan" : fmt::format("{:.{}g}", v, digits);
}

// With as many digits as it takes to tell the two apart.
std::string is_and_should_be(const Tensor& t, const std::string& cell, const problems::Mismatch& m) {
  int digits = 6;
  while (digits < 17 && number_text(t, m.got, digits) == number_text(t, m.expected, digits)) ++digits;
  return fmt::format("{} is {}, and should be {}", cell, number_text(t, m.got, digits),
                     number_text(t, m.expected, digits));
}

std::string first_lines(const std::string& text, int most) {
  std::size_t end = 0;
  for (int i = 0; i < most && end != std::string::npos; ++i) end = text.find('\n', end + (i > 0));
  return end == std::string::npos ? text : text.substr(0, end) + "\n...";
}

// Where the result is exact, a cast that changes an element is the reason for the difference, or one of them; where it
// is nearly right, one that the solution does not make.
std::optional<Observed::LossyCast> cast_to_blame(const Trial& trial, const Observed& observed,
                                                 const std::optional<Observed>& best, const problems::Mismatch& m,
                                                 ProgramId program) {
  const problems::Tolerance& tolerance = trial.instance.tolerances[m.output];
  if (tolerance.absolute == 0 && tolerance.relative == 0) return observed.lossy_cast(program);
  const bool is_near = std::abs(m.got - m.expected) < std::abs(m.expected) / 200;
  return is_near && best ? unlike_cast(observed, *best, program) : std::nullopt;
}

// What in the kernel, done otherwise, would give what is expected; no guess that does not.
std::optional<Fault> cause_of(const Trial& trial, const problems::Mismatch& first) {
  try {
    auto cause = run::explain(trial.instance, first, {.was_on_gpu = false}).cause;
    return cause && cause->detail.find("as the reference says") != std::string::npos ? cause : std::nullopt;
  } catch (const Error&) {  // a run that cannot be repeated so
    return std::nullopt;
  }
}

// z[2] is 0, expected 3 ...; who wrote it, or that nobody did; both tensors where they are small.
Finding from_mismatch(const Trial& trial, const Observed& observed, const std::optional<Observed>& best,
                      const problems::Verdict& verdict, const std::vector<Tensor>& outputs) {
  const problems::Mismatch& first = *verdict.first;
  const Tensor& t = outputs[first.output];
  const std::string cell = report::cell_text(t, first.offset);
  const auto writer = observed.last_writer(t.name, offset_of(trial.instance.outputs[first.output], first.offset));
  Finding f;
  if (!writer) f.headline = fmt::format("nothing was stored to {}", cell);
  else f.headline = is_and_should_be(t, cell, first);
  if (verdict.wrong > 1) f.headline += fmt::format(" ({} of {} elements are wrong)", verdict.wrong, verdict.checked);
  const Tensor expected = trial.instance.reference()[first.output];
  if (t.elems() <= 64)
    f.detail = fmt::format("yours:    {}\nexpected: {}", first_lines(report::tensor_text(t), 8),
                           first_lines(report::tensor_text(expected), 8));
  if (writer) {
    f.fix = "step through this run: which statement makes that value?";
    f.detail += fmt::format("{}written by program {}, lane {}", f.detail.empty() ? "" : "\n",
                            report::program_text(writer->program), writer->lane);
    f.detail += odd_traffic(trial, observed);
    const auto cast = cast_to_blame(trial, observed, best, first, writer->program);
    if (!cast) {
      if (const auto cause = cause_of(trial, first)) {
        f.detail = cause->headline + "\n" + (cause->detail.empty() ? "" : cause->detail + "\n") + f.detail;
        f.fix = cause->fix;
        return at(f, cause->site);
      }
      const auto unlike = best ? first_unlike(observed, *best, writer->program) : std::nullopt;
      if (unlike && std::string_view(unlike->site.file) == writer->site.file)  // no helper of the project's own
        f.detail = fmt::format("the first numbers that the solution's run has nowhere are {}, made in line {}\n",
                               unlike->numbers, unlike->site.line) +
                   f.detail,
        f.fix = fmt::format("step through this run to line {}: are these the numbers that you want there?",
                            unlike->site.line);
      return at(f, writer->site);
    }
    f.detail =
        fmt::format("this cast to {} makes {:.9g} of {:.9g}\n", name_of(cast->to), cast->became, cast->from) + f.detail;
    f.fix = fmt::format("must these values be cast at all? {} holds {}", t.name, name_of(t.dtype));
    return at(f, cast->site);
  }
  f.fix = observed.has_op(trace::Op::store) ? "which programs, which lanes should have stored there?"
                                            : "the kernel has no tl.store yet";
  if (observed.has_op(trace::Op::store))
    f.detail += shares_text(trial.instance.outputs[first.output], observed) + odd_traffic(trial, observed);
  if (f.detail.starts_with('\n')) f.detail.erase(0, 1);
  return f;
}

// Elements of outputs beyond their shape, and all of the inputs, must be as they were.
std::vector<bool> inside_of(const Tensor& t) {
  std::vector<bool> inside(static_cast<std::size_t>(t.storage_elems));
  for (std::int64_t i = 0; i < t.elems(); ++i) inside[offset_of(t, i)] = true;
  return inside;
}

// Sentinels that were loaded: on a GPU they would be whatever lies there, or a crash.
std::optional<Finding> foreign_loads(const Trial& trial, const Observed& observed) {
  for (const Tensor& t : trial.instance.inputs) {
    const auto inside = inside_of(t);
    const auto loads = observed.loads(t.name);
    for (std::size_t e = 0; e < loads.size(); ++e)
      if (loads[e] > 0 && !inside[e]) {
        const auto reader = observed.first_reader(t.name, static_cast<std::int64_t>(e));
        return at(
            {fmt::format("the kernel reads element {} of {}, which is not part of {}", e, t.name, report::type_text(t)),
             fmt::format("it was lane {} of program {}", reader->lane, report::program_text(reader->program)),
             observed.has_mask(t.name, false)
                 ? fmt::format("which offsets does {} have, and which lanes must not load?", t.name)
                 : "which lanes must not load?"},
            reader->site);
      }
  }
  return std::nullopt;
}

// Also where the stored value is equal to the old one.
std::optional<Finding> stored_to_input(const Trial& trial, const std::vector<Bytes>& inputs, const Observed& observed) {
  for (std::size_t i = 0; i < inputs.size(); ++i) {
    const Tensor& t = trial.instance.inputs[i];
    const auto site = observed.first_site(t.name, true);
    if (!site && bytes_of(t) == inputs[i]) continue;
    Finding f{"the kernel stores to its input " + t.name, "", "the output is " + trial.instance.outputs.front().name};
    return site ? at(f, *site) : f;
  }
  return std::nullopt;
}

std::optional<Finding> foreign_stores(const Trial& trial, const std::vector<Bytes>& outputs, const Observed& observed) {
  for (std::size_t o = 0; o < outputs.size(); ++o) {
    const Tensor& t = trial.instance.outputs[o];
    const std::vector<bool> inside = inside_of(t);
    const std::size_t size = static_cast<std::size_t>(size_in_bytes(t.dtype));
    for (std::size_t e = 0; e < inside.size(); ++e) {
      if (inside[e] || std::memcmp(t.data() + e * size, outputs[o].data() + e * size, size) == 0) continue;
      const auto writer = observed.last_writer(t.name, static_cast<std::int64_t>(e));
      Finding f{fmt::format("the kernel wrote to element {} behind {}, which is not part of {}", e, t.name,
                            report::type_text(t)),
                "", "which lanes must not store?"};
      if (writer) {
        f.detail = fmt::format("it was lane {} of program {}", writer->lane, writer->program.x);
        f = at(f, writer->site);
      }
      return f;
    }
  }
  return std::nullopt;
}

// What a kernel's trials come to.
struct Judgement {
  bool has_right_numbers = false;  // in the trial at hand
  Accesses accesses = {};
  Score score = {};
  std::vector<std::string> notes = {};
};

Observed observed_run(const Trial& trial) {
  std::vector<Fault> faults;
  trial.instance.reset();
  return observe(trial.instance, faults);
}

// Whether the solution's outputs depend on elements that this kernel never loads: what does not count need not be
// loaded.
bool misses_what_counts(const Observed& mine, const Trial& best) {
  const auto outputs = [&best] {
    observed_run(best);
    std::vector<Bytes> all;
    for (const Tensor& t : best.instance.outputs) all.push_back(bytes_of(t));
    return all;
  };
  const std::vector<Bytes> before = outputs();
  bool counts = false;
  for (const Tensor& t : best.instance.inputs)
    for (const double other : {-1000.0, 1000.0}) {
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

// Of a kernel that is right, what takes more than half as much again as the best known, and where.
void note_waste(const Score& score, std::vector<std::string>& notes) {
  for (const Score::Figure& f : score.figures)
    if (2 * f.mine > 3 * f.best && f.best > 0)
      notes.push_back(fmt::format(
          "Right; but at {} it takes {} {}, where {} would do{}.", score.sizes, f.mine, f.name, f.best,
          score.busiest_line > 0 ? fmt::format("; line {} takes the most sectors", score.busiest_line) : ""));
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
  }
  if (const auto note = needless_f64(observed, best)) add_note(all, *note);
  return std::nullopt;
}

// A race is reported after its consequences: wrong numbers explain more.
// `best_trial`: the same of the solution; null: there is nothing to measure by.
std::optional<Finding> judge(const Lesson& lesson, const Trial& trial, const Trial* best_trial, Judgement& all) {
  const problems::Instance& instance = trial.instance;
  all.has_right_numbers = false;
  instance.reset();
  std::vector<Bytes> inputs, before;
  for (const Tensor& t : instance.inputs) inputs.push_back(bytes_of(t));
  for (const Tensor& t : instance.outputs) before.push_back(bytes_of(t));
  std::vector<Fault> faults;
  const Observed observed = observe(instance, faults);
  const bool has_ended = std::ranges::all_of(faults, [](const Fault& f) { return f.kind == FaultKind::race; });

  problems::Verdict verdict;
  std::vector<Tensor> outputs;
  if (has_ended) {
    outputs = packed(instance.outputs);
    verdict = problems::check(instance, outputs);
  }
  if (auto finding = stored_to_input(trial, inputs, observed))
    return finding;  // explains what is wrong with the outputs
  auto touched = has_ended ? foreign_stores(trial, before, observed) : std::nullopt;
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
  if (auto finding = never_loaded(trial, observed);
      finding && (!best_trial || misses_what_counts(observed, *best_trial))) {
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
          "a program may not rely on what another one wrote"};
  }
  return std::nullopt;
}

// Where, on the values that a finding is about, the first numbers are made that the solution's run has nowhere.
Finding at_unlike_line(Finding f, const Trial& mine, const Trial& best) {
  for (std::size_t i = 0; i < mine.instance.inputs.size(); ++i)
    std::ranges::copy(bytes_of(mine.instance.inputs[i]), best.instance.inputs[i].data());
  const Observed is = observed_run(mine), should = observed_run(best);
  for (const trace::RecordedProgram& p : is.trace().programs)
    if (const auto unlike = first_unlike(is, should, p.id); unlike && f.line == 0) {
      f.detail = fmt::format("the first numbers that the solution's run has nowhere are {}, made in line {}\n",
                             unlike->numbers, unlike->site.line) +
                 f.detail;
      f = at(f, unlike->site);
    }
  return f;
}

constexpr int judged_by_chance = 3;  // trials of any sizes whose traffic and work are judged as well

// What passes the chosen trials, on sizes, strides, scalars and values that nobody chose.
void try_by_chance(const Lesson& lesson, const Kernel& kernel, const Kernel& solution,
                   const std::function<void(const std::string&)>& begins, std::uint64_t seed, Judgement& all,
                   Report& report) {
  for (int round = 0; round < rounds_by_chance && !report.finding; ++round) {
    const std::uint64_t number = seed * rounds_by_chance + static_cast<std::uint64_t>(round);
    Chance mine(number), its(number);
    Trial trial = lesson.by_chance(kernel, mine);
    const Trial best = lesson.by_chance(solution, its);
    begins(trial.text());
    trial.note = {};  // of chosen sizes
    if (round < judged_by_chance) report.finding = judge(lesson, trial, &best, all);
    report.has_right_numbers = report.finding && all.has_right_numbers;
    if (!report.finding)
      if (auto found = random_failure(lesson, trial, best, round, mine))
        report.finding = at_unlike_line(std::move(*found), trial, best);
    if (report.finding) report.during = fmt::format("{}, by chance (--seed {})", trial.text(), seed);
  }
}

}  // namespace

Report run_trials(const Lesson& lesson, const Kernel& kernel, const std::function<void(const std::string&)>& begins,
                  std::uint64_t seed) {
  Report report;
  const auto start = std::chrono::steady_clock::now();
  const std::vector<Trial> trials = lesson.trials(kernel);
  report.trials = static_cast<int>(trials.size());
  const auto solution = solution_of(lesson);
  const std::vector<Trial> best = solution ? lesson.trials(*solution) : std::vector<Trial>();
  Judgement all;
  for (std::size_t i = 0; i < trials.size(); ++i) {
    begins(trials[i].text());
    report.finding = judge(lesson, trials[i], i < best.size() ? &best[i] : nullptr, all);
    if (report.finding) {
      report.during = trials[i].text();
      break;
    }
    report.passed.push_back(trials[i].text());
  }
  report.has_right_numbers = report.finding && all.has_right_numbers;
  if (!report.finding) report.finding = all.accesses.idle(), report.has_right_numbers = report.finding.has_value();
  if (!report.finding && solution) try_by_chance(lesson, kernel, *solution, begins, seed, all, report);
  if (!report.finding) {
    report.score = std::move(all.score), report.notes = std::move(all.notes);
    note_waste(report.score, report.notes);
  }
  report.run_ms = std::chrono::duration<double, std::milli>(std::chrono::steady_clock::now() - start).count();
  return report;
}

}  // namespace tl::lessons
