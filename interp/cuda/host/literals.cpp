#include "interp/cuda/host/literals.h"

#include <algorithm>
#include <cctype>
#include <cstdint>
#include <cstdlib>
#include <map>
#include <regex>

#include "interp/cuda/host/log.h"
#include "interp/lang/text.h"

namespace tl::cuda {

namespace {

struct Position {
  int file = 0, line = 0, column = 0;
  friend bool operator==(const Position&, const Position&) = default;
};
struct Location {
  Position at, inlined_at;
};
constexpr int deepest = 200;  // calls within calls: what repeats itself ends

// What a check is compiled for: its function's name ends with the storage's.
struct Integer {
  char mangled;
  const char* name;
  long long least, most;
};
constexpr Integer integers[] = {{'i', "i32", INT32_MIN, INT32_MAX}, {'j', "u32", 0, UINT32_MAX}, {'h', "u8", 0, 255}};

struct Check {
  std::string file;
  int line = 0;
  Integer integer;
  bool is_of_literal = true;  // else of a number that is known at run time alone
};

// Whether the code that follows is reached whatever the registers hold: a literal's check has become a plain call, that
// of a number stands behind a branch.
class Reach {
 public:
  void pass(const std::string& line) {
    if (line.empty() || line.starts_with(".") || line.starts_with("{") || line.starts_with("}") ||
        line.starts_with("//"))
      return;
    if (line.ends_with(":")) is_behind_label_ = true;
    else last_ = line, is_behind_label_ = false;
  }
  bool is_certain() const {
    if (last_.starts_with("@") && last_.find("bra") != std::string::npos) return false;
    const bool jumps =
        last_.starts_with("bra") || last_.starts_with("ret") || last_.starts_with("trap") || last_.starts_with("exit");
    return !is_behind_label_ || !jumps;  // a label behind a jump is some branch's
  }

 private:
  std::string last_;
  bool is_behind_label_ = false;
};

std::vector<Check> checks_in(const std::string& ptx, const Sources& sources) {
  static const std::regex location(
      R"(^\s*\.loc\s+(\d+) (\d+) (\d+)(?:, function_name \S+, inlined_at (\d+) (\d+) (\d+))?.*)"),
      file(R"re(^\s*\.file\s+(\d+) "([^"]*)".*)re"), call(R"(^\s*_ZN2tl6detail12fail_literalI([a-z])EEvv\b.*)");
  if (ptx.find("fail_literal") == std::string::npos) return {};
  const auto lines = lines_of(ptx);
  std::map<int, std::string> kernel_files;
  for (const std::string& line : lines)
    if (std::smatch m; line.find(".file") != std::string::npos && std::regex_match(line, m, file))
      for (const auto& [name, text] : sources)
        if (!name.starts_with("interp/") && m[2].str().ends_with("/" + name)) kernel_files[std::stoi(m[1])] = name;
  std::vector<Location> seen;
  std::vector<Check> checks;
  Reach reach;
  for (const std::string& line : lines) {
    std::smatch m;
    if (const std::string code = trimmed(line);
        !code.starts_with("call") && code.find("fail_literal") == std::string::npos)
      reach.pass(code);
    if (line.find(".loc") != std::string::npos && std::regex_match(line, m, location)) {
      const auto number = [&](std::size_t i) { return m[i].matched ? std::stoi(m[i]) : 0; };
      seen.push_back({{number(1), number(2), number(3)}, {number(4), number(5), number(6)}});
    }
    if (line.find("fail_literal") == std::string::npos || !std::regex_match(line, m, call) || seen.empty()) continue;
    // From the check outwards, to the first line that is the kernel's.
    Location here = seen.back();
    for (int depth = 0; depth < deepest && !kernel_files.contains(here.at.file) && here.inlined_at.line != 0; ++depth) {
      const auto outer =
          std::find_if(seen.rbegin(), seen.rend(), [&](const Location& l) { return l.at == here.inlined_at; });
      here = outer == seen.rend() ? Location{here.inlined_at, {}} : *outer;
    }
    const Position at = here.at;
    for (const Integer& integer : integers)
      if (m[1].str()[0] == integer.mangled && kernel_files.contains(at.file))
        checks.push_back({kernel_files[at.file], at.line, integer, reach.is_certain()});
  }
  return checks;
}

struct Number {
  std::size_t at = 0;
  std::string text;
  bool is_negative = false;
};

// The integer literals of a line of C++.
std::vector<Number> numbers_in(const std::string& line) {
  std::vector<Number> numbers;
  char last = '(', before = '(';  // the last two characters of code
  for (std::size_t i = 0; i < line.size();) {
    if (line.compare(i, 2, "//") == 0) break;
    const std::size_t begin = i;
    const auto is_part = [&](char c) {
      return std::isalnum(static_cast<unsigned char>(c)) || c == '_' || c == '.' || c == '\'';
    };
    if (line[i] == '"') {
      for (++i; i < line.size() && line[i] != '"'; ++i) i += line[i] == '\\';
      ++i;
    } else if (std::isalnum(static_cast<unsigned char>(line[i])) || line[i] == '_') {
      while (i < line.size() && is_part(line[i])) ++i;
      if (std::isdigit(static_cast<unsigned char>(line[begin]))) {
        const bool is_sign = last == '-' && !std::isalnum(static_cast<unsigned char>(before)) && before != ')' &&
                             before != ']' && before != '_';
        std::string text = line.substr(begin, i - begin);
        std::erase(text, '\'');
        numbers.push_back({begin, text, is_sign});
      }
    } else {
      ++i;
    }
    if (!std::isspace(static_cast<unsigned char>(line[begin]))) before = last, last = line[i - 1];
  }
  return numbers;
}

}  // namespace

void check_literals(const std::string& ptx, const Sources& sources, std::vector<std::string>& notes) {
  for (const Check& check : checks_in(ptx, sources)) {
    const auto lines = lines_of(sources.at(check.file));
    const std::string text =
        check.line <= static_cast<int>(lines.size()) ? lines[static_cast<std::size_t>(check.line) - 1] : "";
    for (const Number& number : check.is_of_literal ? numbers_in(text) : std::vector<Number>{}) {
      if (number.text.find('.') != std::string::npos) continue;
      const auto value =
          static_cast<long long>(std::strtoull(number.text.c_str(), nullptr, 0)) * (number.is_negative ? -1 : 1);
      if (value < check.integer.least || value > check.integer.most)
        throw refusal(check.file, check.line, text, number.at,
                      {"the literal " + std::to_string(value) + " does not fit " + check.integer.name,
                       "cast the block to a wider dtype first"});
    }
    notes.push_back(check.file + ":" + std::to_string(check.line) + ": that a C++ number fits " + check.integer.name +
                    " is checked as the kernel runs");
  }
}

}  // namespace tl::cuda
