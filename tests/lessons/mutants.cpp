// Tries the lessons' checks on mutants of their solutions: a name, an operator or a constant exchanged, a mask dropped,
// a line left out or moved. Each must be refused, or do what the solution does, access by access; the others are
// listed. lesson_mutants [MOST] [LESSON ...]: MOST mutants of each, 60 without a number; of all lessons and puzzles
// without names.
#include <fmt/format.h>
#include <cstring>

#include <map>
#include <set>

#include "interp/lang/error.h"
#include "interp/text/lexer.h"
#include "interp/trace/file.h"
#include "lessons/runner/check.h"
#include "tests/lessons/workshop.h"

using namespace tl;
using namespace tl::lessons;

namespace {

struct Mutant {
  int line = 0;
  std::string what, text;
};

// A solution's body, token by token.
class Mutations {
 public:
  explicit Mutations(const std::string& text) : text_(text), tokens_(text::lex(text_)) {
    std::size_t head = 0;
    while (head < tokens_.size() && !tokens_[head].is("operator")) ++head;
    for (std::size_t i = head; i < tokens_.size(); ++i)
      if (tokens_[i].is("auto") && i + 1 < tokens_.size() && tokens_[i + 1].kind == text::TokenKind::name) {
        names_.push_back(std::string(tokens_[i + 1].text));
        if (tokens_[i - 1].is("constexpr_")) constants_.push_back(names_.back());
      }
    while (head < tokens_.size() && !tokens_[head].is("const")) ++head;
    begin_ = head + 2;
    end_ = head + 1 < tokens_.size() ? static_cast<std::size_t>(std::max(0, tokens_[head + 1].partner)) : 0;
  }

  std::vector<Mutant> all() {
    for (std::size_t i = begin_; i < end_; ++i) {
      exchange_operator(i);
      exchange_number(i);
      exchange_name(i);
      drop_mask(i);
    }
    move_lines();
    return std::move(mutants_);
  }

 private:
  std::size_t at(const text::Token& t) const { return static_cast<std::size_t>(t.text.data() - text_.data()); }
  void add(const text::Token& t, std::size_t length, const std::string& by) {
    std::string mutant = text_;
    mutant.replace(at(t), length, by);
    if (seen_.insert(mutant).second)
      mutants_.push_back({t.line, fmt::format("{} for {}", by, text_.substr(at(t), length)), std::move(mutant)});
  }
  void exchange_operator(std::size_t i) {
    static const std::map<std::string_view, std::string> other{{"+", "-"},  {"-", "+"},  {"*", "+"},   {"/", "*"},
                                                               {"%", "/"},  {"<", "<="}, {">", ">="},  {"&", "|"},
                                                               {"+=", "="}, {"<=", "<"}, {">>", "<<"}, {"-=", "+="}};
    if (const auto by = other.find(tokens_[i].text); by != other.end())
      add(tokens_[i], tokens_[i].text.size(), by->second);
  }
  void exchange_number(std::size_t i) {
    const text::Token& t = tokens_[i];
    if (t.kind != text::TokenKind::number) return;
    if (text::is_integer(t))
      add(t, t.text.size(), fmt::format("{}{}", text::integer_of(t) + 1, t.text.ends_with("_c") ? "_c" : ""));
    else add(t, t.text.size(), fmt::format("({} + 0.001)", t.text));
  }
  void exchange_name(std::size_t i) {
    const text::Token& t = tokens_[i];
    const auto it = std::ranges::find(names_, t.text);
    if (t.kind != text::TokenKind::name || it == names_.end() || tokens_[i - 1].is("auto") || tokens_[i - 1].is("."))
      return;
    for (const std::size_t step : {std::size_t{1}, names_.size() - 1})  // its neighbours among the names
      if (const std::string& by = names_[(static_cast<std::size_t>(it - names_.begin()) + step) % names_.size()];
          by != t.text && by != "tl")
        add(t, t.text.size(), by);
    if (std::ranges::find(constants_, t.text) == constants_.end()) return;
    for (const std::string& by : constants_)  // sizes that are equal in all trials hide such an exchange
      if (by != t.text) add(t, t.text.size(), by);
  }
  void drop_mask(std::size_t i) {
    if (!tokens_[i].is("{") || !tokens_[i + 1].is(".") || tokens_[i].partner < 0) return;
    const text::Token& closing = tokens_[static_cast<std::size_t>(tokens_[i].partner)];
    add(tokens_[i], at(closing) + 1 - at(tokens_[i]), "{}");
  }
  void move_lines() {
    std::vector<std::pair<std::size_t, std::size_t>> lines;  // begin and end, of statements on one line
    for (std::size_t begin = at(tokens_[begin_]); begin < at(tokens_[end_]);) {
      begin = text_.rfind('\n', begin) + 1;
      const std::size_t end = text_.find('\n', begin);
      if (text_[end - 1] == ';') lines.emplace_back(begin, end);
      begin = end + 1;
    }
    const auto number_of = [&](std::size_t begin) {
      return static_cast<int>(std::count(text_.begin(), text_.begin() + static_cast<std::ptrdiff_t>(begin), '\n')) + 1;
    };
    for (std::size_t i = 0; i < lines.size(); ++i) {
      const auto [begin, end] = lines[i];
      std::string without = text_;
      without.erase(begin, end - begin);
      mutants_.push_back({number_of(begin), "left out", without});
      if (i + 1 == lines.size() || lines[i + 1].first != end + 1) continue;
      const std::size_t next_end = lines[i + 1].second;
      std::string swapped = text_;
      swapped.replace(begin, next_end - begin,
                      text_.substr(end + 1, next_end - end - 1) + "\n" + text_.substr(begin, end - begin));
      mutants_.push_back({number_of(begin), "after the line below", swapped});
    }
  }

  std::string text_;
  std::vector<text::Token> tokens_;
  std::vector<std::string> names_, constants_;
  std::size_t begin_ = 0, end_ = 0;
  std::vector<Mutant> mutants_;
  std::set<std::string> seen_;
};

// What a program does: its accesses lane by lane, and what it stored. In which order it loads between two stores makes
// no difference.
std::string doings(const trace::RecordedTrace& trace, const trace::RecordedProgram& p) {
  std::string all;
  std::vector<std::string> loads;
  const auto end_of_loads = [&] {
    std::ranges::sort(loads);
    for (const std::string& load : loads) all += load;
    loads.clear();
  };
  for (const trace::RecordedAccess& a : p.accesses) {
    std::string access = fmt::format("\n{} {}:", a.writes() ? "store" : "load", a.tensor);
    trace::for_each_active_lane(a, [&](std::int64_t, std::int64_t e) { access += fmt::format(" {}", e); });
    if (!a.writes()) {
      loads.push_back(std::move(access));
      continue;
    }
    end_of_loads();
    all += access;
    const DType dtype =
        trace.launches[static_cast<std::size_t>(p.launch)].tensors[static_cast<std::size_t>(a.tensor)].dtype;
    if (a.effect)
      all.append(reinterpret_cast<const char*>(a.effect), static_cast<std::size_t>(a.active * size_in_bytes(dtype)));
  }
  end_of_loads();
  return all;
}

// The same of all programs in all trials.
std::string doings(const Lesson& lesson, const Workshop& here, const std::filesystem::path& file) {
  std::string all;
  for (int trial = 0;; ++trial) {
    const auto out = here.folder / (file.parent_path().filename().string() + ".tltrace");
    try {
      record_kernel(lesson, {.file = file, .program = TILESCOPE_PROGRAM, .seconds = 60, .seed = 1, .gpu = false}, trial,
                    out);
    } catch (const Error& e) {
      return all + (trial > 0 ? "" : e.what());  // there are no more trials
    }
    const trace::RecordedTrace trace = trace::load(out.string());
    for (const trace::RecordedProgram& p : trace.programs) all += doings(trace, p);
  }
}

enum class Fate { refused, does_not_compile, does_the_same, survives };

void try_lesson(const Lesson& lesson, std::size_t most) {
  const Workshop here;
  const std::vector<Mutant> all = Mutations(lesson.text("solution.h")).all();
  std::vector<Mutant> mutants;
  for (std::size_t i = 0; i < std::min(most, all.size()); ++i)
    mutants.push_back(all[i * all.size() / std::min(most, all.size())]);
  const std::string solutions = doings(lesson, here, here.file("solution/kernel.h", lesson.text("solution.h")));
  const auto fates = side_by_side<Fate>(mutants.size(), [&](std::size_t i) {
    const auto file = here.file(std::to_string(i) + "/kernel.h", mutants[i].text);
    const Report r =
        check(lesson, {.file = file, .program = TILESCOPE_PROGRAM, .seconds = 60, .seed = 1, .gpu = false});
    if (!r.ok()) return r.compiler_errors > 0 ? Fate::does_not_compile : Fate::refused;
    return doings(lesson, here, file) == solutions ? Fate::does_the_same : Fate::survives;
  });
  const auto count = [&](Fate fate) { return std::ranges::count(fates, fate); };
  fmt::print("{}: {} of {} mutants: {} refused, {} do not compile, {} do the same, {} survive\n", lesson.folder,
             mutants.size(), all.size(), count(Fate::refused), count(Fate::does_not_compile),
             count(Fate::does_the_same), count(Fate::survives));
  for (std::size_t i = 0; i < mutants.size(); ++i)
    if (fates[i] == Fate::survives) fmt::print("  line {}: {}\n", mutants[i].line, mutants[i].what);
  std::fflush(stdout);
}

}  // namespace

int main(int argc, char** argv) try {
  std::size_t most = 60;
  std::vector<const Lesson*> asked;
  for (int i = 1; i < argc; ++i)
    if (std::isdigit(static_cast<unsigned char>(argv[i][0]))) most = std::stoul(argv[i]);
    else asked.push_back(&find(argv[i]));
  if (asked.empty())
    for (const auto* list : {&all(), &puzzles()})
      for (const Lesson& lesson : *list) asked.push_back(&lesson);
  for (const Lesson* lesson : asked) try_lesson(*lesson, most);
  return 0;
} catch (const Error& e) {
  fmt::print(stderr, "{}\n  fix: {}\n", e.what(), e.fix);
  return 2;
}
