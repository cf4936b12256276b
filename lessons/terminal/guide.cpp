#include "lessons/terminal/guide.h"

#include <fmt/format.h>

#include <algorithm>
#include <functional>
#include <optional>

#include "interp/lang/error.h"
#include "interp/lang/output_file.h"
#include "interp/report/line_input.h"
#include "lessons/runner/command_words.h"
#include "lessons/runner/files.h"
#include "lessons/runner/pages.h"
#include "lessons/runner/questions.h"
#include "lessons/runner/readme.h"

namespace tl::lessons {

using report::Paint;

namespace {

constexpr const char* actions =
    "Enter  check your kernel   h  a hint, mildest first    e  open it in your editor\n"
    "w  watch: check each save  d  debug your own kernel    s  the solution, the why\n"
    "n  the next lesson         r  read the lesson again    p  the lesson's picture\n"
    "l  the list of lessons     b  time your kernel         a  answer: break it, vary, quiz\n"
    "q  leave                   reset  the starter again\n"
    "A command of the text (tilescope ...) can be typed here, and a lesson's name.\n";

std::string heading(const Lesson& lesson, Paint paint) {
  return fmt::format("\n{}\n\n", paint.bold(heading_text(lesson)));
}

bool is_prediction(const Section& s) { return s.is("Predict"); }

std::string section_text(const Section& s, Paint paint) {
  return (s.heading.empty() ? "" : paint.bold(s.heading) + "\n") +
         markdown_text(s.text, paint, std::min(100, report::columns_of(stdout)));
}

void print_choices(const Prediction& prediction) {
  if (const auto& choices = prediction.choices; !choices.empty()) fmt::print("one of {}\n", fmt::join(choices, ", "));
}

std::string question_text(const Question& q, Paint paint) {
  return paint.bold(heading_of(q)) + "\n" + markdown_text(q.text, paint, std::min(100, report::columns_of(stdout)));
}

void print_all(const Lesson& lesson) {
  const Paint paint = report::paint_of(stdout);
  fmt::print("{}", heading(lesson, paint));
  for (const Section& s : read_readme(lesson.page("README.md", language())).sections) {
    if (s.heading.empty() && s.text.empty()) continue;
    if (s.is("Mend"))
      for (const Question& q : questions_of(lesson))
        if (q.is_before())
          fmt::print("{}\nWhat the run says:\n{}\n", question_text(q, paint),
                     prediction_text(q.prediction, q.prediction.answer(), "", paint, &lesson));
    fmt::print("{}\n", section_text(s, paint));
    if (!is_prediction(s)) continue;
    print_choices(lesson.prediction);
    fmt::print("What the run says:\n{}\n",
               prediction_text(lesson.prediction, lesson.prediction.answer(), "", paint, &lesson));
  }
  try {
    fmt::print("Your kernel: {}\nEdit it, then: tilescope learn check {}\n", short_path(started_kernel_file(lesson)),
               lesson.name());
  } catch (const Error& e) {  // a full disk, no home: a lesson can be read all the same
    fmt::print("You have no kernel of your own yet: {} ({})\n", e.what(), e.fix);
  }
}

// A command of the text, tilescope debug ..., typed at a prompt.
bool ran_command(const std::string& line) {
  auto words = words_of(line);
  if (words.size() < 2 || words.front() != "tilescope") return false;
  run_self({words.begin() + 1, words.end()});
  return true;
}

// A line that is no command of the text; those are run. Nothing when the reader leaves.
std::optional<std::string> ask(report::LineInput& input, const std::string& prompt) {
  while (true) {
    auto line = input.read(prompt);
    if (!line || input.was_interrupted() || *line == "q" || *line == "quit") return std::nullopt;
    if (!ran_command(*line)) return line;
  }
}

// A guess that may be meant as an answer; "": just show me. Nothing when the reader leaves.
std::optional<std::string> guess_of(report::LineInput& input, const Prediction& prediction) {
  print_choices(prediction);
  auto guess = ask(input, "your prediction (Enter: just show me): ");
  while (guess && !guess->empty() && !is_answer(prediction, *guess))
    guess = ask(input, prediction.choices.empty() ? "a number, please (Enter: just show me): "
                                                  : "one of these, please (Enter: just show me): ");
  return guess;
}

// Asked once, and kept. False when the reader leaves.
bool ask_language(report::LineInput& input) {
  const std::string usual(name_of(language()));
  while (!is_language_chosen()) {
    const auto line = ask(input, fmt::format("Your kernels: python or c++? [{}] ", usual));
    if (!line) return false;
    try {
      choose_language(language_called(line->empty() ? usual : *line));
    } catch (const OutputError& e) {
      fmt::print("Your choice is not kept: {} ({})\n", e.what(), e.fix);
      return true;
    } catch (const Error& e) {
      fmt::print("{}: {}\n", e.what(), e.fix);
    }
  }
  return true;
}

// False when the reader leaves.
bool ask_question(report::LineInput& input, const Lesson& lesson, const Question& asked,
                  const std::function<Answer()>& answer) {
  const Paint paint = report::paint_of(stdout);
  const Question q = asked.whole ? asked.whole() : asked;
  fmt::print("{}", question_text(q, paint));
  const auto guess = guess_of(input, q.prediction);
  if (!guess) return false;
  try {
    fmt::print("{}\n",
               prediction_text(q.prediction, asked.whole ? q.prediction.answer() : answer(), *guess, paint, &lesson));
  } catch (const Error& e) {
    fmt::print("{}\n  {}\n", e.what(), e.fix);
  }
  return true;
}

bool ask_questions(report::LineInput& input, const Lesson& lesson, bool before) {
  for (const Question& q : questions_of(lesson))
    if (q.is_before() == before && !ask_question(input, lesson, q, q.prediction.answer)) return false;
  return true;
}

enum class Turn : unsigned char { page, kernel, away };

// At a page's end. From the page on that tells what to mend the kernel is a key away.
Turn turned(report::LineInput& input, const std::string& next, bool can_mend) {
  while (true) {
    const auto line = ask(input, fmt::format("[Enter: {};{} q: leave] ", next, can_mend ? " k: your kernel;" : ""));
    if (!line) return Turn::away;
    if (line->empty()) return Turn::page;
    if (can_mend && (*line == "k" || *line == "kernel")) return Turn::kernel;
    fmt::print("Enter turns the page. A command of the text, tilescope ..., runs when you type it.\n");
  }
}

// Reads pages; Enter turns. False when the reader leaves.
bool read_pages(const Lesson& lesson, report::LineInput& input) {
  const Paint paint = report::paint_of(stdout);
  fmt::print("{}", heading(lesson, paint));
  const auto sections = read_readme(lesson.page("README.md", language())).sections;
  bool can_mend = lesson.is_puzzle();
  for (std::size_t i = 0; i < sections.size(); ++i) {
    const Section& s = sections[i];
    if (s.heading.empty() && s.text.empty()) continue;
    can_mend |= s.is("Mend");
    if (s.is("Mend") && !ask_questions(input, lesson, true)) return false;
    fmt::print("{}\n", section_text(s, paint));
    if (is_prediction(s)) {
      const auto guess = guess_of(input, lesson.prediction);
      if (!guess) return false;
      try {
        do_predict(lesson, *guess);
      } catch (const Error& e) {
        fmt::print("Your prediction is not kept: {} ({})\n", e.what(), e.fix);
      }
      fmt::print("\n");
    }
    const bool flows_on = i + 1 < sections.size() && (is_prediction(sections[i + 1]));
    if (flows_on || i + 1 == sections.size()) continue;
    const Turn turn = turned(input, sections[i + 1].heading, can_mend);
    if (turn != Turn::page) return turn == Turn::kernel;
    fmt::print("\n");
  }
  return true;
}

// A kernel that passes for the first time is asked about before its score is told.
void check_kernel(const Lesson& lesson, report::LineInput& input) {
  const bool asks = !load_progress().of(lesson).passed;
  const int code = do_check(lesson, {}, Interface::guide, [&](const Report& report) {
    if (!asks) return;
    fmt::print("{} before its score:\n\n", report::paint_of(stdout).good("It passes;"));
    for (const Question& q : questions_of(lesson))
      if (!q.figure.empty()) ask_question(input, lesson, q, [&] { return answer_of(q, report); });
  });
  if (code == 0 && !questions_of(lesson).empty())
    fmt::print("{} a, further questions: break it, vary\n", report::paint_of(stdout).hint("then:"));
}

}  // namespace

int guide(const Lesson& first) {
  report::LineInput input;
  if (!input.is_interactive()) {
    print_all(first);
    return 0;
  }
  const Lesson* lesson = &first;
  try {
    fmt::print("{}", notes_text(change_progress(*lesson, [](LessonProgress&) {}), report::paint_of(stdout)));
  } catch (const Error& e) {
    fmt::print("Your progress will not be kept: {} ({})\n", e.what(), e.fix);
  }
  if (!ask_language(input) || !read_pages(*lesson, input)) return 0;
  while (true) {
    fmt::print("\nYour kernel: {}\n{}", short_path(started_kernel_file(*lesson)), actions);
    bool shows_actions = false;
    while (!shows_actions) {
      const auto line = ask(input, fmt::format("[{}] ", lesson->name()));
      if (!line) return 0;
      try {
        if (line->empty() || *line == "c" || *line == "check") check_kernel(*lesson, input);
        else if (*line == "a" || *line == "answer") ask_questions(input, *lesson, false);
        else if (*line == "h" || *line == "hint") do_hint(*lesson, Interface::guide);
        else if (*line == "s" || *line == "solution") do_solution(*lesson);
        else if (*line == "e" || *line == "edit") do_edit(*lesson);
        else if (*line == "d" || *line == "debug") do_debug(*lesson, 0);
        else if (*line == "p" || *line == "picture") do_picture(*lesson, false);
        else if (*line == "reset") do_reset(*lesson, false);
        else if (*line == "w" || *line == "watch")
          run_self({"learn", "watch", lesson->name()});  // Ctrl-C ends it, and comes back here
        else if (*line == "r" || *line == "read") shows_actions = read_pages(*lesson, input);
        else if (*line == "l" || *line == "list")
          fmt::print("{}", list_text(load_progress(), list_of(*lesson), report::paint_of(stdout)));
        else if (*line == "b" || *line == "bench") do_bench(*lesson);
        else if (*line == "?" || *line == "help") shows_actions = true;
        else {
          const bool is_last = lesson == &list_of(*lesson).back();
          if ((*line == "n" || *line == "next") && is_last) {
            fmt::print("This is the last of them.\n");
            continue;
          }
          lesson = *line == "n" || *line == "next" ? lesson + 1 : &find(*line);
          change_progress(*lesson, [](LessonProgress&) {});
          if (!read_pages(*lesson, input)) return 0;
          shows_actions = true;
        }
      } catch (const Error& e) {
        fmt::print("{}\n  {}\n", e.what(), e.fix);
      }
    }
  }
}

}  // namespace tl::lessons
