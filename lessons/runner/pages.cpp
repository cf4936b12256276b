#include "lessons/runner/pages.h"

#include <fmt/format.h>

#include <algorithm>
#include <cctype>
#include <regex>

#include "interp/lang/text.h"
#include "interp/report/numbers.h"
#include "interp/report/table.h"
#include "lessons/runner/files.h"
#include "lessons/runner/readme.h"
#include "lessons/runner/score.h"
#include "lessons/runner/texts.h"
#include "lessons/runner/translation.h"

namespace tl::lessons {

using report::Paint;

namespace {

std::string indented(const std::string& text, const std::string& by) {
  std::string out;
  for (const std::string& line : lines_of(text)) out += line.empty() ? "\n" : by + line + "\n";
  return out;
}

// [text](path) as text, and the path where that says more: as it lies in the project.
std::string without_links(std::string line) {
  line = std::regex_replace(line, std::regex(R"(\]\((?:\.\./)+)"), "](");
  line = std::regex_replace(line, std::regex(R"(\[([^\]]+)\]\((?:\1|README\.md)\))"), "$1");
  return std::regex_replace(line, std::regex(R"(\[([^\]]+)\]\(([^)]+)\))"), "$1 ($2)");
}

// The mark of an emphasis that begins at `at`: `code`, **strong**, *so*; "" for a product's *.
std::string mark_at(const std::string& line, std::size_t at) {
  if (line[at] == '`') return "`";
  if (line.compare(at, 2, "**") == 0) return "**";
  const bool begins = line[at] == '*' && at + 1 < line.size() &&
                      std::isalnum(static_cast<unsigned char>(line[at + 1])) &&
                      (at == 0 || line[at - 1] == ' ' || line[at - 1] == '\n' || line[at - 1] == '(');
  return begins ? "*" : "";
}

// `code` in colour, *emphasis* and **strong** bold.
std::string inline_text(const std::string& line, Paint paint) {
  std::string out;
  for (std::size_t i = 0; i < line.size();) {
    const std::string mark = mark_at(line, i);
    const std::size_t end = mark.empty() ? std::string::npos : line.find(mark, i + mark.size());
    if (end == std::string::npos) {
      out += line[i++];
      continue;
    }
    const std::string inside = line.substr(i + mark.size(), end - i - mark.size());
    out += mark == "`" ? (paint.on ? paint.hint(inside) : "`" + inside + "`") : paint.bold(inside);
    i = end + mark.size();
  }
  return out;
}

std::string table_text(const std::vector<std::string>& lines) {
  report::Table table;
  for (std::size_t i = 0; i < lines.size(); ++i) {
    if (i == 1) continue;  // | --- | --- |
    (i == 0 ? table.header : table.rows.emplace_back()) = table_cells(lines[i]);
  }
  // Words to the left, numbers to the right.
  table.left.clear();
  for (std::size_t c = 0; c < table.header.size(); ++c)
    for (const auto& row : table.rows)
      if (c < row.size() && row[c].find_first_of("abcdefghijklmnopqrstuvwxyz") != std::string::npos)
        table.left.push_back(c);
  return table.text(2);
}

// Lines of at most so many columns, `code` in one piece: a command is there to be copied. What follows the first line
// of an item stands under its text.
std::string wrapped(const std::string& text, int columns) {
  const auto most = static_cast<std::size_t>(columns);
  if (columns <= 0 || text.size() <= most) return text;
  const std::string indent(text.starts_with("- ") ? 2 : 0, ' ');
  std::string out, line;
  for (std::size_t at = 0; at < text.size();) {
    std::size_t end = std::min(text.find(' ', at), text.size());
    if (const auto open = text.find('`', at); open < end)
      if (const auto close = text.find('`', open + 1); close != std::string::npos && close - at < most - indent.size())
        end = std::min(text.find(' ', close), text.size());
    if (!line.empty() && line.size() + 1 + (end - at) > most) {
      out += line + "\n";
      line = indent + text.substr(at, end - at);
    } else line += (line.empty() ? "" : " ") + text.substr(at, end - at);
    at = end + 1;
  }
  return out + line;
}

// A comment that is moved to stand below another one changes nothing.
bool same(std::string a, std::string b) {
  for (std::string* s : {&a, &b}) std::erase(*s, ' ');
  return a == b;
}

// The lines that `longer` has beyond `shorter`, by the longest common subsequence; of two } the one at the same indent.
std::vector<bool> added_lines(const std::vector<std::string>& shorter, const std::vector<std::string>& longer) {
  const std::size_t n = shorter.size(), m = longer.size();
  std::vector<std::vector<int>> common(n + 1, std::vector<int>(m + 1));
  const auto weight = [&](std::size_t i, std::size_t j) {
    return shorter[i] == longer[j] ? 2 : same(shorter[i], longer[j]) ? 1 : 0;
  };
  const auto with = [&](std::size_t i, std::size_t j) { return common[i + 1][j + 1] + weight(i, j); };
  for (std::size_t i = n; i-- > 0;)
    for (std::size_t j = m; j-- > 0;) common[i][j] = std::max({common[i + 1][j], common[i][j + 1], with(i, j)});
  std::vector<bool> added(m, true);
  for (std::size_t i = 0, j = 0; i < n && j < m;) {
    if (weight(i, j) > 0 && common[i][j] == with(i, j)) {
      added[j] = false;
      ++i;
      ++j;
    } else if (common[i + 1][j] >= common[i][j + 1]) ++i;
    else ++j;
  }
  return added;
}

std::string finding_text(const Lesson& lesson, const Finding& f, const std::string& file, Paint paint) {
  std::string out = f.line > 0 ? paint.bold(fmt::format("{}:{}:", file, f.line)) + " " : "";
  out += paint.bad(f.headline) + "\n";
  if (!f.source.empty()) {
    const std::size_t cut = std::min(f.source.find_first_not_of(" \t"), f.source.size());
    std::size_t column = f.column > static_cast<int>(cut) ? static_cast<std::size_t>(f.column) - 1 : cut;
    // Compilers name a call by its parenthesis; the caret stands under the start of its name: tl.load.
    if (column < f.source.size() && f.source[column] == '(')
      while (column > cut && (std::isalnum(static_cast<unsigned char>(f.source[column - 1])) ||
                              f.source[column - 1] == '_' || f.source[column - 1] == '.'))
        --column;
    out += fmt::format("    {}\n    {:{}}{}\n", f.source.substr(cut), "", column - cut, paint.bad("^"));
  }
  if (!f.detail.empty()) out += indented(f.detail, "    ");
  if (!f.fix.empty()) out += "    " + paint.hint(translate(lesson, "think:")) + " " + f.fix + "\n";
  return out;
}

std::string gpu_text(const Report& r) {
  if (r.gpu.state == GpuReport::State::agrees)
    return fmt::format("on the {} as well ({})", r.gpu.device, report::plural(r.gpu.trials, "trial"));
  return "not run on a GPU: " + (r.gpu.text.empty() ? "not asked to" : r.gpu.text) +
         (r.cuda.state == CudaReport::State::accepts ? fmt::format("; CUDA {} compiles it", r.cuda.version) : "");
}

}  // namespace

std::string state_text(const LessonProgress& l) { return l.passed ? "passed" : l.checks > 0 ? "begun" : "-"; }

std::string markdown_text(const std::string& markdown, Paint paint, int columns) {
  std::string out, paragraph;
  std::vector<std::string> table;
  bool in_code = false, in_comment = false;
  const auto end_block = [&] {
    if (!table.empty()) out += table_text(table);
    if (!paragraph.empty()) out += inline_text(wrapped(without_links(paragraph), columns), paint) + "\n";
    table.clear();
    paragraph.clear();
  };
  for (const std::string& line : lines_of(markdown)) {
    const bool is_prose =
        !line.empty() && !line.starts_with("    ") && !line.starts_with("- ") && line.find_first_of("`|#<!") != 0;
    if (!in_code && !in_comment && !paragraph.empty() &&
        (is_prose || (line.starts_with("`") && !line.starts_with("```")))) {
      paragraph += " " + line.substr(std::min(line.find_first_not_of(' '), line.size()));
      continue;
    }
    if (!line.starts_with("|") || !paragraph.empty()) end_block();
    if (line.starts_with("```")) {
      in_code = !in_code;
      continue;
    }
    if (in_code) {
      out += "    " + line + "\n";
      continue;
    }
    if (line.starts_with("<!--")) in_comment = true;
    if (in_comment) {
      in_comment = line.find("-->") == std::string::npos;
      continue;
    }
    if (line.starts_with("|")) {
      table.push_back(line);
      continue;
    }
    if (line.starts_with("![")) continue;
    if (line.starts_with("#")) out += paint.bold(line.substr(line.find_first_not_of("# "))) + "\n";
    else if (line.empty() || line.starts_with("    ")) out += line + "\n";
    else paragraph = line;
  }
  end_block();
  return out;
}

std::string report_text(const Lesson& lesson, const Report& r, const std::filesystem::path& file, Paint paint) {
  const std::string name = file.filename().string();
  const auto local = [&lesson](const std::string& message) { return translate(lesson, message); };
  std::string out;
  if (!r.printed.empty())
    out += paint.dim(local("your kernel printed:")) + "\n" + indented(r.printed.substr(0, 2000), "    ");
  const std::string time =
      fmt::format("compiled in {}, ran in {}",
                  r.compile_ms > 0 && r.compile_ms > 20 ? report::time_text(r.compile_ms) : "no time (unchanged)",
                  report::time_text(r.run_ms));
  if (r.ok()) {
    const std::string sizes = fmt::format("{}", fmt::join(r.passed, ", "));
    out += paint.good(local("passed:")) + " " +
           local(fmt::format("{}, {}", report::plural(r.trials, "trial"),
                             sizes.size() < 110 ? sizes : "first " + r.passed.front() + ", last " + r.passed.back())) +
           "\n";
    out += paint.dim(local(time + "; " + gpu_text(r))) + "\n";
    if (const std::string score = score_text(r.score); !score.empty()) out += local(score) + "\n";
    for (const std::string& note : r.notes) out += paint.hint(local("note:")) + " " + local(note) + "\n";
    out += local(lesson.note_when_passed) + "\n";
    return out;
  }
  if (r.compiler_errors > 0)
    out += paint.bad(local("does not compile:")) +
           (r.compiler_errors > 1 ? " " + local(fmt::format("the first of {} errors", r.compiler_errors)) : "") + "\n";
  else if (!r.during.empty())
    out += paint.bad(local("not yet:")) + " " + r.during +
           (r.passed.empty() ? "" : " " + local(fmt::format("({} of {} trials passed)", r.passed.size(), r.trials))) +
           "\n";
  else out += paint.bad(local("not yet:")) + "\n";
  out += finding_text(lesson, *r.finding, name, paint) + paint.dim(local("your kernel: " + short_path(file))) + "\n";
  return r.is_starter
             ? out +
                   paint.hint(local(
                       lesson.is_puzzle()
                           ? "The file is the starter: the kernel is yours to write."
                           : "This failure is meant to be: the file is the starter, and mending it is the lesson.")) +
                   "\n"
             : out;
}

std::string hint_text(const Lesson& lesson, int number, Paint paint, int columns) {
  const auto hints = read_hints(lesson.page("hints.md", language())).hints;
  const std::string mark = translate(lesson, fmt::format("hint {} of {}:", number, hints.size()));
  return paint.hint(mark) +
         markdown_text(mark + " " + hints.at(static_cast<std::size_t>(number) - 1), paint, columns).substr(mark.size());
}

std::string heading_text(const Lesson& lesson) {
  std::string place = lesson.place();
  place.front() = static_cast<char>(std::toupper(static_cast<unsigned char>(place.front())));
  return place + ". " + lesson.title;
}

// The picture in the lessons' README that follows these words.
static std::string map_of_lessons() {
  const std::string_view text = text_of("lessons/README.md"), head = "What builds on what:\n\n";
  const std::size_t from = text.find(head) + head.size(), to = text.find("\n\n", from);
  return std::string(text.substr(from, to - from)) + "\n";
}

std::string list_text(const Progress& progress, const std::vector<Lesson>& list, Paint paint) {
  const bool are_puzzles = &list == &puzzles();
  report::Table table{.left = {0, 1, 2, 3}};
  for (const Lesson& lesson : list)
    table.rows.push_back({(are_puzzles ? "p" : "") + std::to_string(lesson.number()), lesson.name(),
                          state_text(progress.of(lesson)), lesson.title});
  return paint.bold(are_puzzles ? "The puzzles: a loop, to be written as a kernel" : "The lessons") + "\n" +
         table.text() +
         (are_puzzles ? "None is locked: `tilescope learn NAME` opens any.\n"
                      : "\nWhat builds on what, puzzles by a p:\n\n" + map_of_lessons() +
                            "\nNone is locked: `tilescope learn NAME` opens any, `tilescope learn` the next one; "
                            "`tilescope learn puzzles` lists the puzzles.\n");
}

std::string progress_text(const Progress& progress) {
  report::Table table{.header = {"lesson", "state", "checks", "hints", "solution", "prediction"}, .left = {0, 1, 4, 5}};
  std::string passed;
  for (const auto* list : {&all(), &puzzles()}) {
    const auto done = std::ranges::count_if(*list, [&](const Lesson& l) { return progress.of(l).passed; });
    passed += passed.empty() ? fmt::format("{} of {} passed", done, list->size())
                             : fmt::format(", and {} of {} puzzles", done, list->size());
  }
  const auto add = [&](const Lesson& lesson) {
    const LessonProgress& l = progress.of(lesson);
    table.rows.push_back(
        {fmt::format("{}{} {}", lesson.is_puzzle() ? "p" : "", lesson.number(), lesson.name()), state_text(l),
         std::to_string(l.checks), std::to_string(l.hints), l.saw_solution ? "seen" : "-",
         l.prediction.empty() ? "-" : fmt::format("{} ({})", l.prediction, l.predicted_right ? "right" : "not right")});
  };
  for (const Lesson& lesson : all()) add(lesson);
  for (const Lesson& puzzle : puzzles())  // those that somebody began
    if (progress.of(puzzle).checks + progress.of(puzzle).hints > 0) add(puzzle);
  return table.text() + passed + fmt::format(". Kept as plain text in {}\n", short_path(progress_file()));
}

std::string notes_text(const Progress& progress, Paint paint) {
  std::string out;
  for (const std::string& note : progress.notes) out += paint.hint("note:") + " " + note + "\n";
  return out;
}

std::string solution_text(const Lesson& lesson, Paint paint, int columns) {
  const auto solution = lines_of(lesson.solution(language()));
  const auto added = added_lines(lines_of(lesson.starter(language())), solution);
  std::string out = paint.bold(translate(lesson, lesson.changes_starter.empty()
                                                     ? "A solution; + marks what it adds to the starter"
                                                     : "A solution; + marks what differs from the starter")) +
                    "\n\n";
  for (std::size_t i = 0; i < solution.size(); ++i)
    out += added[i] ? paint.good("  + " + solution[i]) + "\n" : "    " + solution[i] + "\n";
  return out + "\n" + paint.bold(translate(lesson, "Why")) + "\n" +
         markdown_text(read_hints(lesson.page("hints.md", language())).why, paint, columns);
}

}  // namespace tl::lessons
