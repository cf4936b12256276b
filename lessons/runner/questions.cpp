#include "lessons/runner/questions.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "interp/lang/error.h"
#include "interp/lang/text.h"
#include "interp/lang/unfinished.h"
#include "interp/report/fault_text.h"
#include "interp/report/table.h"
#include "interp/run/schedule_case.h"
#include "lessons/runner/best.h"
#include "lessons/runner/command_words.h"
#include "lessons/runner/demo.h"
#include "lessons/runner/files.h"
#include "lessons/runner/gantt.h"
#include "lessons/runner/readme.h"
#include "lessons/runner/reasons.h"
#include "lessons/runner/score.h"
#include "lessons/runner/variants.h"

namespace tl::lessons {

namespace {

[[noreturn]] void cannot_ask(const Lesson& lesson, const std::string& what) {
  throw Error(fmt::format("questions.md of {}: {}", lesson.folder, what),
              "runner/questions.h says what a question may ask");
}

Demo demo_of(const std::string& words) {
  auto all = words_of(words);
  const std::string kernel = all.front();
  all.erase(all.begin());
  return Demo(kernel, all);
}

// stores to z[1], loads from x[3]: how often that cell is touched, and by which programs.
std::optional<Answer> touches_of_cell(const Demo& demo, const std::string& figure) {
  const bool stored = figure.starts_with("stores to ");
  const auto open = figure.find('[');
  if ((!stored && !figure.starts_with("loads from ")) || open == std::string::npos) return std::nullopt;
  const std::string tensor = trimmed(figure.substr(stored ? 10 : 11, open - (stored ? 10 : 11)));
  const auto cell = static_cast<std::size_t>(std::stoi(figure.substr(open + 1)));
  const auto counts = stored ? demo.observed().stores(tensor) : demo.observed().loads(tensor);
  return Answer{std::to_string(counts.at(cell)), demo.programs_text()};
}

// What else of a run a guess may be.
std::map<std::string, std::string> others_of(const std::vector<NamedCount>& figures, const std::string& asked) {
  std::map<std::string, std::string> others;
  const auto of = [&](const std::string& name) {
    const auto it = std::ranges::find(figures, name, &NamedCount::first);
    return it == figures.end() ? 0 : it->second;
  };
  const auto say = [&](std::int64_t many, const std::string& text) {
    if (many != of(asked)) others.emplace(std::to_string(many), text);
  };
  for (const auto& [name, many] : figures)
    say(many, fmt::format("That is the number of {}; asked for are {}.", name, asked));
  say(of("loads") + of("masked loads"), "Those are all lanes of the loads, masked ones too.");
  say(of("stores") + of("masked stores"), "Those are all lanes of the stores, masked ones too.");
  say(of("loads") + of("stores"), "Those are loads and stores together.");
  return others;
}

Answer figure_of(const std::vector<NamedCount>& figures, const std::string& figure, const std::string& run) {
  const auto it = std::ranges::find(figures, figure, &NamedCount::first);
  if (it == figures.end()) throw Error("a run has no " + figure, "a figure of runner/questions.h");
  report::Table table;
  for (const auto& [name, many] : figures) table.rows.push_back({name, std::to_string(many)});
  return {std::to_string(it->second), fmt::format("{}:\n{}", run, table.text(0)), others_of(figures, figure)};
}

Answer count(const std::string& figure, const std::string& words) {
  const Demo demo = demo_of(words);
  if (auto touches = touches_of_cell(demo, figure)) return *touches;
  return figure_of(figures_of(demo.instance(), demo.observed()), figure, "tilescope run " + words);
}

// Of the solution's run: a question about the lesson's own kernel, before there is one.
Answer count_at_trial(const Lesson& lesson, const std::string& figure, const std::string& number) {
  const auto solution = solution_of(lesson);
  const auto trials = solution ? lesson.trials(*solution) : std::vector<Trial>();
  const auto i = static_cast<std::size_t>(std::stoi(number)) - 1;
  if (i >= trials.size()) cannot_ask(lesson, "there is no trial " + number);
  const problems::Instance& instance = trials[i].instance;
  instance.reset();
  std::vector<Fault> faults;
  return figure_of(figures_of(instance, observe(instance, faults)), figure,
                   fmt::format("the solution at {}", trials[i].text()));
}

// By the model alone, so that every machine has the same answer.
Answer modelled(const std::string& figure, const std::string& words) {
  auto settings = words_of(words);
  const std::string kernel = settings.front();
  settings.erase(settings.begin());
  const auto scheduled =
      run::schedule_case({.kernel = {.kernel = kernel, .settings = settings}, .why_not_compiled = "a question"});
  const run::ScheduledLaunch& l = scheduled.launches.front();
  const auto programs = static_cast<std::int64_t>(l.schedule.programs.size());
  const std::vector<std::pair<std::string, std::string>> figures{
      {"limit", l.cause.limit},
      {"busiest", fmt::format("{}, {:.0f} % of the time", l.cause.busiest, 100 * l.cause.share)},
      {"programs", std::to_string(programs)},
      {"programs an SM", std::to_string(l.schedule.resident_programs_per_sm)},
      {"waves", fmt::format("{:.0f}", std::ceil(l.schedule.waves))},
      {"idle SMs", std::to_string(std::max<std::int64_t>(0, l.schedule.sms - programs))}};
  const auto it = std::ranges::find(figures, figure, &std::pair<std::string, std::string>::first);
  if (it == figures.end()) throw Error("the model has no " + figure, "a figure of runner/questions.h");
  report::Table table{.left = {1}};
  for (const auto& [name, value] : figures) table.rows.push_back({name, value});
  return {it->second, fmt::format("tilescope schedule {}, by the model of an H200:\n{}", words, table.text(0))};
}

// figure: "units", or "waiting dots with 2 slots".
Answer timed(const std::string& figure, const std::string& words) {
  const Demo demo = demo_of(words);
  const auto with = figure.find(" with ");
  Clock clock;
  if (with != std::string::npos) clock.slots = std::stoi(figure.substr(with + 6));
  const trace::RecordedTrace& trace = demo.observed().trace();
  const std::vector<Bar> bars = bars_of(trace, trace.programs.front(), clock);
  const std::string asked = figure.substr(0, with);
  if (asked != "units" && asked != "waiting dots")
    throw Error("the clock has no " + asked, "a figure of runner/questions.h");
  const std::int64_t waiting = std::ranges::count_if(bars, [](const Bar& b) { return b.is_dot && b.waited > 0; });
  return {std::to_string(asked == "units" ? end_of(bars) : waiting),
          fmt::format("program 0 of {}:\n{}", words, gantt_text(bars, 24))};
}

Report checked(const Lesson& lesson, CheckOptions options, const std::string& text) {
  const TemporaryFolder folder;
  options.file = folder.path() / file_in(language(), "kernel");
  options.gpu = false;
  write_file(options.file, text);
  return check(lesson, options);
}

// A question about a kernel of wrong.txt: its lines, and the trials by number.
void ask_first_to_fail(Question& q, const Lesson& lesson, const std::string& name, const CheckOptions& options) {
  const auto all = variants(lesson, "wrong", language());
  const auto it = std::ranges::find(all, name, &Variant::name);
  const auto solution = solution_of(lesson);
  if (it == all.end() || !solution) cannot_ask(lesson, name + " is not in wrong.txt");
  const std::string text = lesson.text(language() == Language::python ? "wrong.py.txt" : "wrong.txt"),
                    head = "# " + name + "\n";
  const auto begin = text.find(head);
  if (begin == std::string::npos) cannot_ask(lesson, name + " is a file, and has no lines to show");
  q.text += "\n";
  for (const std::string& line :
       lines_of(text.substr(begin + head.size(), text.find("\n# ", begin) - begin - head.size())))
    if (line.starts_with("- ") || line.starts_with("+ ")) q.text += "    " + line + "\n";
  q.text += "\nThe trials of the check:\n\n";
  int number = 0;
  for (const Trial& trial : lesson.trials(*solution)) {
    q.text += fmt::format("    {}  {}\n", ++number, trial.text());
    q.prediction.choices.push_back(std::to_string(number));
  }
  q.prediction.answer = [&lesson, options, kernel = it->text] {
    const Report r = checked(lesson, options, kernel);
    if (!r.finding) throw Error("the kernel passes", "it should not: please report this");
    const int first = static_cast<int>(r.passed.size()) + 1;
    Answer answer{std::to_string(first), fmt::format("trial {}, {}:\n{}", first, r.during, r.finding->headline)};
    for (int other = 1; other <= r.trials; ++other)
      if (other != first)
        answer.others[std::to_string(other)] = other < first ? "That one passes: these lines make no difference there."
                                                             : "The check does not come so far: an earlier one fails.";
    return answer;
  };
}

// A program's variables as they stood at its end, of a kernel that fails: which is the first that went wrong?
Question with_reasons(Question q, const Lesson& lesson, const std::string& kernel, const CheckOptions& options) {
  const Reason reason = reason_of(lesson, kernel, options);
  q.text += "\n" + reason.shown;
  q.prediction.choices = reason.variables;
  q.prediction.answer = [reason] { return reason.answer; };
  q.whole = nullptr;
  return q;
}

void ask_reason(Question& q, const Lesson& lesson, const std::string& name, const CheckOptions& options) {
  const auto all = variants(lesson, "wrong", language());
  const auto it = std::ranges::find(all, name, &Variant::name);
  if (name != "starter" && it == all.end()) cannot_ask(lesson, name + " is not in wrong.txt");
  q.whole = [q, &lesson, options, kernel = name == "starter" ? lesson.starter(language()) : it->text] {
    return with_reasons(q, lesson, kernel, options);
  };
  q.prediction.answer = [whole = q.whole] { return whole().prediction.answer(); };
}

// What the first programs load and store, without a word of the kernel's own.
std::string accesses_text(const Observed& o, std::int64_t most = 4) {
  std::string text;
  std::int64_t shown = -1, in_line = 0;
  o.for_each_access("", [&](std::int64_t number, const trace::RecordedAccess& a, const Site&) {
    if (number >= most) return;
    const auto& program = o.trace().programs[static_cast<std::size_t>(number)];
    if (number != shown) {
      text += fmt::format("{}program {}:", shown < 0 ? "" : "\n", report::program_text(program.id));
      in_line = 0;
    }
    shown = number;
    if (++in_line > 6) return;
    const std::string& tensor =
        o.trace().launches[static_cast<std::size_t>(program.launch)].tensors[static_cast<std::size_t>(a.tensor)].name;
    text += fmt::format("{} {} {}[{}..{}] with {} of {} lanes", in_line > 1 ? "," : "", a.writes() ? "stores" : "loads",
                        tensor, a.first, a.last, a.active, a.lanes());
  });
  return text + (o.programs() > most ? fmt::format("\n... {} programs\n", o.programs()) : "\n");
}

void ask_for(Question& q, const Lesson& lesson, const std::string& line, const CheckOptions& options) {
  const auto colon = line.find(": ");
  const std::string what = line.substr(0, colon), rest = trimmed(line.substr(colon + 2));
  if (what == "First to fail") return ask_first_to_fail(q, lesson, rest, options);
  if (what == "Reason") return ask_reason(q, lesson, rest, options);
  if (what == "Kernel") {
    q.text += "\n";
    for (const std::string& shown : lines_of(accesses_text(demo_of(rest).observed()))) q.text += "    " + shown + "\n";
    q.prediction.answer = [kernel = words_of(rest).front(), rest] { return Answer{kernel, "tilescope view " + rest}; };
    return;
  }
  const auto of = rest.rfind(" of ");
  if (of == std::string::npos) cannot_ask(lesson, "of which kernel? " + line);
  const std::string figure = rest.substr(0, of), of_what = trimmed(rest.substr(of + 4));
  if (of_what.starts_with("trial ")) {
    q.prediction.answer = [&lesson, figure, number = of_what.substr(6)] {
      return count_at_trial(lesson, figure, number);
    };
    return;
  }
  if (of_what != "mine") {
    const auto answer = what == "Model" ? modelled : what == "Clock" ? timed : count;
    q.prediction.answer = [=] { return answer(figure, of_what); };
    return;
  }
  q.figure = figure;
  q.prediction.answer = [&lesson, options, asked = q] {
    CheckOptions own = options;
    own.gpu = false;
    const Report r = check(lesson, own);
    if (!r.ok())
      throw Error("your kernel does not pass yet, and this asks how much it moves",
                  "tilescope learn check " + lesson.name());
    return answer_of(asked, r);
  };
}

bool is_asking(const std::string& line) {
  return line.starts_with("Count: ") || line.starts_with("First to fail: ") || line.starts_with("Kernel: ") ||
         line.starts_with("Reason: ") || line.starts_with("Model: ") || line.starts_with("Clock: ");
}

}  // namespace

std::string heading_of(const Question& q) {
  return q.is_before() ? "First a small one" : q.section == "After" ? "Your kernel" : q.section;
}

std::function<std::string(const std::string&)> on_wrong(Replies replies) {
  return [replies = std::move(replies)](const std::string& guess) {
    const auto it = std::ranges::find(replies, guess, &std::pair<std::string, std::string>::first);
    return it == replies.end() ? std::string() : it->second;
  };
}

Answer answer_of(const Question& q, const Report& r) {
  const auto it = std::ranges::find(r.score.figures, q.figure, &Score::Figure::name);
  if (it == r.score.figures.end())
    throw Error("the score has no " + q.figure, "`tilescope learn check` shows what it has");
  std::vector<NamedCount> figures;
  for (const Score::Figure& f : r.score.figures) figures.emplace_back(f.name, f.mine);
  return {std::to_string(it->mine), score_text(r.score), others_of(figures, q.figure)};
}

std::vector<Question> questions_in(const std::string& markdown, const Lesson& lesson, const CheckOptions& options) {
  std::vector<Question> all;
  for (const Section& s : read_readme(markdown).sections) {
    if (s.heading.empty()) continue;
    Question q{.section = s.heading, .text = {}, .figure = {}, .prediction = {}};
    std::string asks;
    for (const std::string& line : lines_of(s.text)) {
      const auto colon = line.find(": ");
      if (is_asking(line)) asks = line;
      else if (line.starts_with("- ") && colon != std::string::npos)
        q.replies.emplace_back(line.substr(2, colon - 2), line.substr(colon + 2));
      else if (line.starts_with("  ") && !q.replies.empty()) q.replies.back().second += " " + trimmed(line);
      else q.text += line + "\n";
    }
    while (q.text.ends_with("\n")) q.text.pop_back();
    q.text += "\n";
    if (asks.empty()) cannot_ask(lesson, "nothing answers " + q.text);
    q.prediction.on_wrong = on_wrong(q.replies);
    ask_for(q, lesson, asks, options);
    const bool is_kernel = asks.starts_with("Kernel: ");
    if (is_kernel || asks.starts_with("Model: limit of ")) {
      q.prediction.choices.push_back(is_kernel ? words_of(asks.substr(8)).front() : q.prediction.answer().value);
      for (const auto& [guess, reply] : q.replies) q.prediction.choices.push_back(guess);
      std::ranges::sort(q.prediction.choices);
    }
    all.push_back(std::move(q));
  }
  return all;
}

std::vector<Question> questions_of(const Lesson& lesson, const CheckOptions& options) {
  return questions_in(lesson.page("questions.md", language()), lesson, options);
}

}  // namespace tl::lessons
