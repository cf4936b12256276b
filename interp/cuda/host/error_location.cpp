// Read by hand: types of blocks have names of many thousand characters, and std::regex takes a frame of the stack for
// each.
#include "interp/cuda/host/error_location.h"

#include <algorithm>
#include <cctype>
#include <cstdlib>

#include "interp/lang/text.h"
#include "interp/text/lexer.h"

namespace tl::cuda {

namespace {

struct Frame {
  std::string file;
  int line = 0;
  std::string called, text;
};

// `instantiation of "auto tl::cuda::Context<...>::arange(...) const [with N=100]" at line 4 of kernels/bad.h` gives the
// op `arange`.
std::string op_name(const std::string& line) {
  const auto arguments =
      line.find(")", line.find('"')) == std::string::npos ? std::string::npos : line.find('(', line.find('"'));
  if (arguments == std::string::npos) return "";
  auto end = arguments;
  if (const auto op = line.rfind("operator", end); op != std::string::npos && op > line.find('"'))
    return line.substr(op, end - op);
  if (line[end - 1] == '>') end = line.rfind('<', end);
  const auto begin = line.find_last_of(":* ", end - 1);
  return line.substr(begin + 1, end - begin - 1);
}

// A frame without a file is in the error's own.
std::optional<Frame> frame_of(const std::string& line, const std::string& error_file) {
  constexpr std::string_view before = " at line ";
  const auto at = line.rfind(before);
  if (at == std::string::npos || line.find("instantiation of ") == std::string::npos) return std::nullopt;
  char* end = nullptr;
  const auto number = static_cast<int>(std::strtol(line.c_str() + at + before.size(), &end, 10));
  const std::string rest = trimmed(end);
  return Frame{rest.starts_with("of ") ? trimmed(rest.substr(3)) : error_file, number, op_name(line), line};
}

// Where a lambda's body begins that ends in this line, with `})` or `},`; 0 where none does.
int lambda_begins(const std::string& source, int line) {
  const std::vector<text::Token> tokens = text::lex(source);
  const auto first = std::ranges::find_if(tokens, [&](const text::Token& t) { return t.line >= line; });
  if (tokens.end() - first < 2 || first->line != line || !first->is("}") || first->partner < 0) return 0;
  return first[1].is(")") || first[1].is(",") ? tokens[first->partner].line : 0;
}

bool calls(const std::string& text, const std::string& op) {
  if (!op.starts_with("operator")) return text.find(op + "(") != std::string::npos;
  const std::string symbol = op.substr(8);
  if (symbol.empty() || (symbol == "=" && trimmed(text).starts_with("auto ")))
    return false;  // a declaration assigns nothing
  return text.find(" " + symbol + " ") != std::string::npos;
}

// A generic lambda's body has no frame: the compiler tells the line where the lambda ends. Whatever was called in the
// body is looked for there, from the outermost frame on.
void locate_in_lambda(ErrorLocation& location, const std::vector<Frame>& inner, const Sources& sources) {
  const auto source = sources.find(location.file);
  const int begin = source == sources.end() ? 0 : lambda_begins(source->second, location.line);
  if (begin == 0) return;
  const std::vector<std::string> code = lines_of(text::code_of(source->second));
  for (auto frame = inner.rbegin(); frame != inner.rend(); ++frame) {
    if (frame->called.empty()) continue;
    std::vector<int> lines;
    for (int line = begin + 1; line < location.line; ++line)
      if (calls(code[line - 1], frame->called)) lines.push_back(line);
    if (lines.empty()) continue;
    location.line = lines.front();
    location.called = frame->called;
    location.frame = frame->text;
    for (std::size_t i = 0; i < lines.size() && lines.size() > 1; ++i)
      location.one_of += (i == 0                 ? " (in line "
                          : i + 1 < lines.size() ? ", "
                                                 : " or ") +
                         std::to_string(lines[i]) + (i + 1 == lines.size() ? ")" : "");
    return;
  }
}

}  // namespace

bool is_learners(const std::string& file, const Sources& sources) {
  return !file.starts_with("interp/") && sources.contains(file);
}

std::string source_line(const Sources& sources, const std::string& file, int line) {
  const auto it = sources.find(file);
  const auto lines = it == sources.end() ? std::vector<std::string>{} : lines_of(it->second);
  return line >= 1 && line <= static_cast<int>(lines.size()) ? lines[line - 1] : "";
}

std::optional<ErrorHead> error_head(const std::string& line) {
  const auto close = line.find("): ");
  const auto open = close == std::string::npos ? close : line.rfind('(', close);
  if (open == std::string::npos || open + 1 == close ||
      !std::all_of(line.begin() + static_cast<std::ptrdiff_t>(open) + 1,
                   line.begin() + static_cast<std::ptrdiff_t>(close), [](unsigned char c) { return std::isdigit(c); }))
    return std::nullopt;
  std::string rest = line.substr(close + 3);
  if (rest.starts_with("catastrophic ")) rest = rest.substr(13);
  const auto colon = rest.find(": ");
  if (!rest.starts_with("error") || colon == std::string::npos || (colon != 5 && !rest.starts_with("error #")))
    return std::nullopt;
  return ErrorHead{line.substr(0, open), std::atoi(line.c_str() + open + 1), rest.substr(colon + 2)};
}

ErrorLocation learners_location(const std::vector<std::string>& block, const std::string& error_file,
                                const Sources& sources) {
  std::vector<Frame> inner;  // of the executor, the innermost first
  for (const std::string& line : block) {
    const auto frame = frame_of(line, error_file);
    if (!frame) continue;
    if (!is_learners(frame->file, sources)) {
      inner.push_back(*frame);
      continue;
    }
    ErrorLocation location{frame->file, frame->line, frame->called, frame->text, ""};
    if (!inner.empty()) locate_in_lambda(location, inner, sources);
    return location;
  }
  return {};
}

}  // namespace tl::cuda
