#include "viz/scene/code_lines.h"

#include <algorithm>
#include <array>
#include <cctype>
#include <cstdio>
#include <map>
#include <sstream>

namespace tl::viz {

namespace {

using Place = std::array<int, 3>;  // file, line, column

bool is_name(char c) { return std::isalnum(static_cast<unsigned char>(c)) || c == '_' || c == '$'; }

// Where an instruction comes from: through calls that were inlined, the innermost first.
class Places {
 public:
  Places(const std::string& ptx, const std::string& source) {
    std::istringstream in(ptx);
    for (std::string line; std::getline(in, line);) {
      int number = 0;
      if (std::sscanf(line.c_str(), " .file %d", &number) != 1) continue;
      const auto from = line.find('"'), to = line.rfind('"');
      if (from < to && line.substr(from + 1, to - from - 1).ends_with(source)) file_ = number;
    }
  }
  void read(const std::string& directive) {
    Place at{}, caller{};
    if (std::sscanf(directive.c_str(), ".loc %d %d %d", &at[0], &at[1], &at[2]) != 3) return;
    const auto inlined = directive.find("inlined_at ");
    if (inlined != std::string::npos &&
        std::sscanf(directive.c_str() + inlined, "inlined_at %d %d %d", &caller[0], &caller[1], &caller[2]) == 3)
      callers_[at] = caller;
    else callers_.erase(at);
    line_ = line_of(at);
  }
  int line() const { return line_; }

 private:
  // The outermost in the kernel's file: a helper's line is its caller's.
  int line_of(Place at) const {
    int line = at[0] == file_ ? at[1] : 0;
    for (int depth = 0; depth < 64; ++depth) {
      const auto caller = callers_.find(at);
      if (caller == callers_.end()) break;
      at = caller->second;
      if (at[0] == file_) line = at[1];
    }
    return line;
  }

  int file_ = -1, line_ = 0;
  std::map<Place, Place> callers_;
};

struct Statement {
  std::string text, label, target;  // label: it is one
  int line = 0;
  bool is_conditional = false, ends = false;  // ends: control does not go on to the next
  std::vector<int> reads, writes;             // registers
};

class PtxReader {
 public:
  PtxReader(const std::string& ptx, const std::string& source) : places_(ptx, source) {}

  std::vector<Statement> read(const std::string& body) {
    std::string now;
    for (std::size_t i = 0; i < body.size(); ++i) {
      const char c = body[i];
      if (body.compare(i, 2, "//") == 0) {
        i = std::min(body.find('\n', i), body.size()) - 1;
      } else if (now.empty() && body.compare(i, 5, ".loc\t") == 0) {
        const std::size_t end = std::min(body.find('\n', i), body.size());
        std::string directive = body.substr(i, end - i);
        std::ranges::replace(directive, '\t', ' ');
        places_.read(directive);
        i = end;
      } else if (c == ';') {
        add(std::move(now));
        now.clear();
      } else if (c == ':' && std::ranges::all_of(now, is_name) && body.compare(i, 2, "::") != 0) {
        Statement label;
        label.label = std::move(now);
        now.clear();
        statements_.push_back(std::move(label));
      } else if (std::isspace(static_cast<unsigned char>(c))) {
        if (!now.empty() && now.back() != ' ') now += ' ';
      } else if (!now.empty() || (c != '{' && c != '}')) {  // a scope's bracket
        now += c;
      }
    }
    return std::move(statements_);
  }
  const std::vector<int>& widths() const { return widths_; }  // of registers, in words

 private:
  void declare(const std::string& text) {
    const auto name = text.find('%');
    if (name == std::string::npos) return;  // of inline assembly
    std::size_t end = name + 1;
    while (end < text.size() && std::isalpha(static_cast<unsigned char>(text[end]))) ++end;
    const bool is_wide = text.find("64") < name, is_flag = text.find(".pred") < name;
    width_of_[text.substr(name + 1, end - name - 1)] = is_flag ? 0 : is_wide ? 2 : 1;
  }

  void registers_in(const std::string& text, std::vector<int>& found) {
    for (std::size_t i = text.find('%'); i != std::string::npos; i = text.find('%', i + 1)) {
      std::size_t letters = i + 1, end;
      while (letters < text.size() && std::isalpha(static_cast<unsigned char>(text[letters]))) ++letters;
      for (end = letters; end < text.size() && std::isdigit(static_cast<unsigned char>(text[end]));) ++end;
      const auto width = width_of_.find(text.substr(i + 1, letters - i - 1));
      if (width == width_of_.end() || end == letters) continue;  // %tid.x
      const auto [number, is_new] = numbers_.try_emplace(text.substr(i, end - i), static_cast<int>(widths_.size()));
      if (is_new) widths_.push_back(width->second);
      found.push_back(number->second);
    }
  }

  void add(std::string text) {
    while (!text.empty() && text.back() == ' ') text.pop_back();
    if (text.empty()) return;
    if (text.front() == '.') {
      if (text.starts_with(".reg")) declare(text);
      return;
    }
    Statement s;
    s.text = text;
    s.line = places_.line();
    std::string rest = text;
    if (rest.front() == '@') {
      s.is_conditional = true;
      const auto space = rest.find(' ');
      registers_in(rest.substr(0, space), s.reads);
      rest = space == std::string::npos ? "" : rest.substr(space + 1);
    }
    const auto space = std::min(rest.find(' '), rest.size());
    const std::string op = rest.substr(0, space), operands = rest.substr(space);
    if (op.starts_with("bra")) s.target = operands.substr(std::min<std::size_t>(1, operands.size()));
    s.ends = !s.is_conditional && (op.starts_with("bra") || op == "exit" || op == "ret" || op == "trap");
    split(op, operands, s);
    statements_.push_back(std::move(s));
  }

  // The first operand is written, unless it is an address or the instruction has no result; wgmma adds to it.
  void split(const std::string& op, const std::string& operands, Statement& s) {
    std::size_t end = 0;
    for (int depth = 0; end < operands.size() && (operands[end] != ',' || depth > 0); ++end)
      depth += operands[end] == '{' || operands[end] == '[' ? 1 : operands[end] == '}' || operands[end] == ']' ? -1 : 0;
    const std::string first = operands.substr(0, end);
    static const std::array<const char*, 12> without_result = {"st.",       "red.",     "bra",      "bar.",
                                                               "barrier.",  "cp.",      "prefetch", "setmaxnreg",
                                                               "nanosleep", "stmatrix", "call",     "brx"};
    const bool has_result = first.find('[') == std::string::npos &&
                            std::ranges::none_of(without_result, [&](const char* o) { return op.starts_with(o); });
    registers_in(first, has_result ? s.writes : s.reads);
    if (has_result && op.starts_with("wgmma.mma")) registers_in(first, s.reads);
    if (end < operands.size()) registers_in(operands.substr(end), s.reads);
  }

  Places places_;
  std::vector<Statement> statements_;
  std::map<std::string, int> width_of_, numbers_;
  std::vector<int> widths_;
};

// Which statement each branch goes to: the nearest of that name, since inline assembly's labels repeat. -1: none.
std::vector<int> targets_of(const std::vector<Statement>& statements) {
  std::map<std::string, std::vector<int>> labels;
  for (std::size_t i = 0; i < statements.size(); ++i)
    if (!statements[i].label.empty()) labels[statements[i].label].push_back(static_cast<int>(i));
  std::vector<int> targets(statements.size(), -1);
  for (std::size_t i = 0; i < statements.size(); ++i)
    for (const int at : labels[statements[i].target])
      if (targets[i] < 0 || std::abs(at - static_cast<int>(i)) < std::abs(targets[i] - static_cast<int>(i)))
        targets[i] = at;
  return targets;
}

// Backwards, until the sets at labels grow no more: what is live at a branch's target is live at the branch, too.
std::vector<int> live_words(const std::vector<Statement>& statements, const std::vector<int>& widths) {
  const std::vector<int> targets = targets_of(statements);
  std::map<int, std::vector<char>> at_label;
  for (const int t : targets)
    if (t >= 0) at_label[t].assign(widths.size(), 0);
  std::vector<int> words(statements.size(), 0);
  for (bool grows = true; grows;) {
    grows = false;
    std::vector<char> live(widths.size(), 0);
    int sum = 0;
    const auto set = [&](std::size_t r, char is_live) {
      sum += (is_live - live[r]) * widths[r];
      live[r] = is_live;
    };
    for (std::size_t i = statements.size(); i-- > 0;) {
      const Statement& s = statements[i];
      for (std::size_t r = 0; r < widths.size() && s.ends; ++r) set(r, 0);
      if (targets[i] >= 0)
        for (std::size_t r = 0; r < widths.size(); ++r)
          if (at_label[targets[i]][r]) set(r, 1);
      for (const int r : s.writes)
        if (!s.is_conditional) set(static_cast<std::size_t>(r), 0);
      for (const int r : s.reads) set(static_cast<std::size_t>(r), 1);
      words[i] = sum;
      const auto label = at_label.find(static_cast<int>(i));
      if (label == at_label.end()) continue;
      for (std::size_t r = 0; r < widths.size(); ++r)
        if (live[r] && !label->second[r]) {
          label->second[r] = 1;
          grows = true;
        }
    }
  }
  return words;
}

// A parameter's name begins with the entry's, which hides which one it is: [param_3].
std::string with_short_parameters(std::string text, const std::string& entry) {
  for (std::size_t at; (at = text.find(entry + "_param_")) != std::string::npos;) text.erase(at, entry.size() + 1);
  return text;
}

}  // namespace

std::vector<Instruction> instructions_of_ptx(const std::string& ptx, const std::string& entry,
                                             const std::string& source) {
  const auto head = ptx.find(".entry " + entry + "("), open = std::min(ptx.find("\n{", head), ptx.size());
  if (head == std::string::npos) return {};
  std::size_t close = open;
  for (int depth = 0; close < ptx.size(); ++close) {
    depth += ptx[close] == '{' ? 1 : ptx[close] == '}' ? -1 : 0;
    if (ptx[close] == '}' && depth == 0) break;
  }
  PtxReader reader(ptx, source);
  const auto statements = reader.read(ptx.substr(std::min(open + 2, close), close - std::min(open + 2, close)));
  const auto words = live_words(statements, reader.widths());
  std::vector<Instruction> result;
  for (std::size_t i = 0; i < statements.size(); ++i) {
    const Statement& s = statements[i];
    if (s.label.empty()) result.push_back({with_short_parameters(s.text, entry), s.line, words[i]});
  }
  return result;
}

std::vector<Instruction> instructions_of_sass(const std::string& sass, const std::string& entry,
                                              const std::string& source) {
  std::istringstream in(sass);
  std::vector<Instruction> result;
  bool is_entry = false, follows_code = true;
  int line = 0;
  for (std::string row; std::getline(in, row);) {
    if (row.starts_with(".text.")) is_entry = row == ".text." + entry + ":";
    if (!is_entry) continue;
    const auto file = row.find("//## File \"");
    if (file != std::string::npos) {  // innermost first
      if (follows_code) line = 0;
      follows_code = false;
      const auto name = file + 11, end = row.find('"', name);
      int number = 0;
      if (end != std::string::npos && row.substr(name, end - name).ends_with(source) &&
          std::sscanf(row.c_str() + end, "\", line %d", &number) == 1)
        line = number;
      continue;
    }
    const auto code = row.find("*/"), stop = row.rfind(';');
    if (row.find("/*") == std::string::npos || code == std::string::npos || stop == std::string::npos || stop < code)
      continue;
    follows_code = true;
    const auto from = row.find_first_not_of(' ', code + 2);
    std::string text = row.substr(from, stop - from);
    while (!text.empty() && text.back() == ' ') text.pop_back();
    result.push_back({std::move(text), line, -1});
  }
  return result;
}

}  // namespace tl::viz
