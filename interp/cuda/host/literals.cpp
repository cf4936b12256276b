#include "interp/cuda/host/literals.h"

#include <algorithm>
#include <cstdint>
#include <map>
#include <regex>

#include "interp/cuda/host/log.h"
#include "interp/cuda/host/reports.h"
#include "interp/lang/dtype.h"
#include "interp/lang/text.h"
#include "interp/text/lexer.h"

namespace tl::cuda {

namespace {

struct Position {
  int file = 0, line = 0, column = 0;
  friend bool operator==(const Position&, const Position&) = default;
};
struct Location {
  Position at, inlined_at;
};
constexpr int deepest = 200;  // inlined calls within each other; ends a list that leads back to itself

// The values that a literal may have; of u64 those alone that a C++ literal without a suffix has.
long long least_of(DType d) { return is_signed(d) ? INT64_MIN >> (64 - 8 * size_in_bytes(d)) : 0; }
long long most_of(DType d) { return INT64_MAX >> std::max(0, (is_signed(d) ? 64 : 63) - 8 * size_in_bytes(d)); }

struct Check {
  std::string file;
  int line = 0;
  DType dtype;
  bool is_of_literal = true;  // else of a number known only at run time
};

// Whether the code that follows runs unconditionally: where a literal does not fit, its check has become a plain call;
// the check of a run-time number stands behind a branch.
class Reach {
 public:
  void pass(const std::string& line) {
    if (line.empty() || line.starts_with(".") || line.starts_with("{") || line.starts_with("}") ||
        line.starts_with("//"))
      return;
    if (line.ends_with(":")) is_behind_label_ = true;
    else {
      last_ = line;
      is_behind_label_ = false;
    }
  }
  bool is_certain() const {
    if (last_.starts_with("@") && last_.find("bra") != std::string::npos) return false;
    const bool jumps =
        last_.starts_with("bra") || last_.starts_with("ret") || last_.starts_with("trap") || last_.starts_with("exit");
    return !is_behind_label_ || !jumps;  // a label after a jump is the target of some branch
  }

 private:
  std::string last_;
  bool is_behind_label_ = false;
};

std::vector<Check> checks_in(const std::string& ptx, const Sources& sources) {
  static const std::regex location(
      R"(^\s*\.loc\s+(\d+) (\d+) (\d+)(?:, function_name \S+, inlined_at (\d+) (\d+) (\d+))?.*)"),
      file(R"re(^\s*\.file\s+(\d+) "([^"]*)".*)re");
  const auto reports = read_reports(ptx, rules::Report::literal);
  if (reports.empty()) return {};
  const auto lines = lines_of(ptx);
  std::map<int, std::string> kernel_files;
  for (const std::string& line : lines)
    if (std::smatch m; line.find(".file") != std::string::npos && std::regex_match(line, m, file))
      for (const auto& [name, text] : sources)
        if (!name.starts_with("interp/") && m[2].str().ends_with("/" + name)) kernel_files[std::stoi(m[1])] = name;
  std::vector<Location> seen;
  std::vector<Check> checks;
  Reach reach;
  auto report = reports.begin();
  for (std::size_t i = 0; i < lines.size() && report != reports.end(); ++i) {
    const std::string& line = lines[i];
    std::smatch m;
    reach.pass(trimmed(line));
    if (line.find(".loc") != std::string::npos && std::regex_match(line, m, location)) {
      const auto number = [&](std::size_t group) { return m[group].matched ? std::stoi(m[group]) : 0; };
      seen.push_back({{number(1), number(2), number(3)}, {number(4), number(5), number(6)}});
    }
    if (i != report->line) continue;
    const auto dtype = static_cast<DType>((report++)->value.value_or(0));
    if (seen.empty()) continue;
    // From the check outwards, to the first line that is the kernel's.
    Location here = seen.back();
    for (int depth = 0; depth < deepest && !kernel_files.contains(here.at.file) && here.inlined_at.line != 0; ++depth) {
      const auto outer =
          std::find_if(seen.rbegin(), seen.rend(), [&](const Location& l) { return l.at == here.inlined_at; });
      here = outer == seen.rend() ? Location{here.inlined_at, {}} : *outer;
    }
    const Position at = here.at;
    if (kernel_files.contains(at.file)) checks.push_back({kernel_files[at.file], at.line, dtype, reach.is_certain()});
  }
  return checks;
}

// Whether the - before a number is its sign, or takes it from what stands before.
bool is_negative(const std::vector<text::Token>& tokens, std::size_t number) {
  if (number < 1 || !tokens[number - 1].is("-")) return false;
  if (number < 2) return true;
  const text::Token& before = tokens[number - 2];
  const bool is_value = before.kind == text::TokenKind::name
                            ? !before.is("return")
                            : before.kind != text::TokenKind::sign || before.is(")") || before.is("]");
  return !is_value;
}

// Throws CompileError for a literal of the line that does not fit.
void check_line(const Check& check, const std::string& source) {
  const std::vector<text::Token> tokens = text::lex(source);
  for (std::size_t i = 0; i < tokens.size(); ++i) {
    const text::Token& number = tokens[i];
    if (number.line != check.line || !text::is_integer(number)) continue;
    const unsigned long long size = text::integer_of(number);
    const bool below = is_negative(tokens, i);
    if (below ? size <= -static_cast<unsigned long long>(least_of(check.dtype))
              : size <= static_cast<unsigned long long>(most_of(check.dtype)))
      continue;
    std::string digits = size == ~0ull ? std::string(number.text) : std::to_string(size);
    throw refusal(check.file, check.line, lines_of(source)[check.line - 1], static_cast<std::size_t>(number.column) - 1,
                  {"the literal " + (below ? "-" + digits : digits) + " does not fit " + name_of(check.dtype),
                   "cast the block to a wider dtype first"});
  }
}

}  // namespace

void check_literals(const std::string& ptx, const Sources& sources, std::vector<std::string>& notes) {
  for (const Check& check : checks_in(ptx, sources)) {
    if (check.is_of_literal) check_line(check, sources.at(check.file));
    notes.push_back(check.file + ":" + std::to_string(check.line) + ": that a C++ number fits " + name_of(check.dtype) +
                    " is checked as the kernel runs");
  }
}

}  // namespace tl::cuda
