#include "interp/cuda/host/log.h"

#include <algorithm>
#include <cctype>
#include <optional>
#include <regex>
#include <set>
#include <span>
#include <utility>
#include <vector>

#include "interp/cuda/host/error_location.h"
#include "interp/cuda/host/reports.h"
#include "interp/cuda/host/words.h"
#include "interp/lang/text.h"
#include "interp/text/habits.h"
#include "interp/text/lexer.h"

namespace tl::cuda {

namespace {

// The number before `words`, as in "16 bytes stack frame"; 0 where the line lacks it.
int number_before(const std::string& line, const std::string& words) {
  const auto end = line.find(' ' + words);
  if (end == std::string::npos) return 0;
  const auto begin = line.find_last_not_of("0123456789", end - 1);
  return std::atoi(line.c_str() + (begin == std::string::npos ? 0 : begin + 1));
}

int number_after(const std::string& line, const std::string& words) {
  const auto at = line.find(words);
  return at == std::string::npos ? 0 : std::atoi(line.c_str() + at + words.size());
}

// "static assertion failed with "text"" says no more than its text.
std::string plain_message(std::string message) {
  const std::string assertion = "static assertion failed with \"";
  if (message.starts_with(assertion)) message = message.substr(assertion.size(), message.rfind('"') - assertion.size());
  return message;
}

std::string caret_line(const std::string& text, std::size_t column) {
  const auto indent = std::min(text.find_first_not_of(' '), text.size());
  return "\n    " + text.substr(indent) + "\n    " + std::string(column > indent ? column - indent : 0, ' ') + "^";
}

// What the compiler adds between an error and its caret: "; argument types are: (...)".
std::string details_of(const std::vector<std::string>& block) {
  std::string details;
  for (std::size_t i = 1; i < block.size() && block[i].starts_with("            ") && trimmed(block[i]) != "^"; ++i)
    details += "; " + trimmed(block[i]);
  return details;
}

// Under the op that was called, the one that the message names, or the operator where the line has one of its kind.
std::size_t column_of(const ErrorLocation& location, const std::string& message, const std::string& line) {
  const std::string text = text::code_of(line);
  const auto named = message.starts_with("tl.") ? message.substr(0, message.find_first_of(" :")) : "";
  if (const auto at = named.empty() ? std::string::npos : text.find(named + "("); at != std::string::npos)
    return at + 3;
  if (location.called.starts_with("operator")) {
    const std::string infix = " " + location.called.substr(8) + " ";
    const auto at = text.find(infix);
    return at != std::string::npos && text.rfind(infix) == at ? at + 1 : 0;
  }
  const auto at = location.called.empty() ? std::string::npos : text.find(location.called);
  return at == std::string::npos ? 0 : at;
}

// What the message leaves out: the values that do not fit, or the types that the line passes.
std::string figures_in(const std::vector<std::string>& block, const ErrorLocation& location, const std::string& text) {
  static const std::regex bytes(R"re(Wanted=(\d+), Available=(\d+))re"), elements(R"re(Elements=(\d+), Most=(\d+))re");
  std::smatch m;
  for (const auto& line : block) {
    if (std::regex_search(line, m, bytes))
      return ": they take " + m[1].str() + " bytes, and the chip has " + m[2].str() + " for a program";
    if (std::regex_search(line, m, elements))
      return ": " + m[1].str() + " elements each, and " + m[2].str() + " are the most that compile in reasonable time";
    constexpr std::string_view dtype = "[with T=", value = ", A=tl::constant<";
    const auto literal = line.find("check_literal<"),
               with = literal == std::string::npos ? literal : line.find(dtype, literal),
               number = with == std::string::npos ? with : line.find(value, with);
    if (number != std::string::npos)
      return ": " + std::to_string(std::atoll(line.c_str() + number + value.size())) + " beside " +
             plain_words("tl::Scalar<" + line.substr(with + dtype.size(), number - with - dtype.size()) + ">");
  }
  const std::string call = call_in_words(location.frame);
  const bool is_written =
      !call.starts_with("tl.") || text.find(call.substr(0, call.find('(') + 1)) != std::string::npos;
  return call.empty() || !is_written ? "" : ", in " + call;
}

CompileError assembler_error(const std::string& line) {
  return CompileError("the kernel does not fit the chip: " + line,
                      "choose smaller blocks, fewer num_stages or more num_warps");
}

// What the compiler says of one line of the kernel's own text.
struct Mistake {
  std::string file;
  int line;
  std::string text;
  std::size_t column;
  Advice advice;
};

// At the line itself.
Mistake mistake_at(const std::vector<std::string>& block, const ErrorHead& head, const Sources& sources) {
  const std::string message = plain_message(head.message), text = source_line(sources, head.file, head.line),
                    before = source_line(sources, head.file, head.line - 1);
  if (const auto divides = floor_division_in(before);
      divides != std::string::npos && message.find("expected") != std::string::npos)
    return {head.file, head.line - 1, before, divides, {floor_division().headline, floor_division().fix}};
  const auto caret =
      std::find_if(block.begin() + 1, block.end(), [](const auto& line) { return trimmed(line) == "^"; });
  // The compiler indents the line that it repeats by two.
  const auto column = caret == block.end() ? 0 : caret->find('^') - 2;
  const bool is_assertion = message != head.message;
  return {head.file, head.line, text, column,
          is_assertion ? stated(message, "") : advice_on(plain_words(message + details_of(block)), text)};
}

// At the line, or at the one that led to where the error is; none where no line of the kernel's did.
std::optional<Mistake> mistake_in(const std::vector<std::string>& block, const ErrorHead& head,
                                  const Sources& sources) {
  if (is_learners(head.file, sources)) return mistake_at(block, head, sources);
  const ErrorLocation location = learners_location(block, head.file, sources);
  if (!location.line) return std::nullopt;
  const std::string message = plain_message(head.message), text = source_line(sources, location.file, location.line);
  const bool is_assertion = message != head.message;
  return Mistake{location.file, location.line, text, column_of(location, message, text),
                 is_assertion ? stated(message, figures_in(block, location, text) + location.one_of)
                              : advice_on(plain_words(message + details_of(block)) + location.one_of, text)};
}

CompileError error_without_a_line(const std::vector<std::string>& block, const ErrorHead& head,
                                  const std::string& kernel_file) {
  const std::string message = plain_message(head.message);
  if (message.find("operator()\" matches the argument list") != std::string::npos)
    return CompileError(
        kernel_file + ": the kernel's parameters do not take what it is launched with" + plain_words(details_of(block)),
        "compare the parameters with the problem's arguments, in kernels/problems/");
  return CompileError(
      kernel_file + " does not compile: " + head.file + ":" + std::to_string(head.line) + ": " + plain_words(message),
      "no line of the kernel leads there: compare its parameters with its problem in kernels/problems/");
}

}  // namespace

std::vector<rules::StoredTile> tiles_to_turn(const std::string& log) {
  static const std::regex tile(R"re(incomplete type "tl::cuda::TileToTurn<(\d+), (\d+)>")re");
  std::set<std::pair<int, int>> sizes;
  for (std::sregex_iterator it(log.begin(), log.end(), tile); it != std::sregex_iterator(); ++it)
    sizes.emplace(std::stoi((*it)[1]), std::stoi((*it)[2]));
  std::vector<rules::StoredTile> tiles;
  for (const auto& [rows, columns] : sizes) tiles.push_back({rows, columns});
  return tiles;
}

CompileError refusal(const std::string& file, int line, const std::string& text, std::size_t column,
                     const Advice& advice) {
  return CompileError(file + ":" + std::to_string(line) + ": " + advice.fact + caret_line(text, column), advice.fix);
}

Resources read_resources(const std::string& log, const std::string& ptx) {
  Resources r;
  for (const auto& line : lines_of(log)) {
    r.stack_bytes = std::max(r.stack_bytes, number_before(line, "bytes stack frame"));
    r.spill_store_bytes = std::max(r.spill_store_bytes, number_before(line, "bytes spill stores"));
    r.spill_load_bytes = std::max(r.spill_load_bytes, number_before(line, "bytes spill loads"));
    r.registers = std::max(r.registers, number_after(line, "Used "));
    r.static_shared_bytes = std::max(r.static_shared_bytes, number_before(line, "bytes smem"));
    if (line.find("(C7") != std::string::npos || line.starts_with("ptxas warning")) r.warnings.push_back(trimmed(line));
  }
  for (const auto& line : lines_of(ptx))
    if (line.starts_with(".maxntid") || line.starts_with(".reqntid")) r.threads = number_after(line, "ntid ");
  int scratch_bytes = 0;
  for (const auto& [bytes, line] : read_reports(ptx, rules::Report::scratch_bytes))
    scratch_bytes = std::max(scratch_bytes, bytes.value_or(0));
  r.dynamic_shared_bytes = scratch_bytes + read_rings(ptx).bytes();
  return r;
}

CompileError compile_error(const std::string& log, const std::string& kernel_file, const Sources& sources) {
  const auto lines = lines_of(log);
  if (log.find("At end of source: error") != std::string::npos)
    return CompileError(kernel_file + ": a } is missing at the end",
                        "every { needs its }: the functor, its operator() and the namespace");
  std::vector<Mistake> mistakes;  // of the kernel's lines, one each
  for (std::size_t i = 0; i < lines.size(); ++i) {
    if (mistakes.empty() && (lines[i].starts_with("ptxas error") || lines[i].starts_with("ptxas fatal")))
      return assembler_error(trimmed(lines[i]));
    const auto head = error_head(lines[i]);
    if (!head) continue;
    const auto end = std::find(lines.begin() + static_cast<std::ptrdiff_t>(i), lines.end(), "");
    const std::vector<std::string> block(lines.begin() + static_cast<std::ptrdiff_t>(i), end);
    const auto mistake = mistake_in(block, *head, sources);
    if (!mistake && mistakes.empty()) return error_without_a_line(block, *head, kernel_file);
    if (mistake && std::ranges::none_of(mistakes, [&](const Mistake& m) { return m.line == mistake->line; }))
      mistakes.push_back(*mistake);
  }
  if (mistakes.empty())
    return CompileError(kernel_file + " does not compile:\n" + log, "look at the compiler's words above");
  const Mistake& first = mistakes.front();
  const CompileError error = refusal(first.file, first.line, first.text, first.column, first.advice);
  std::string others;
  for (const Mistake& m : std::span(mistakes).subspan(1))
    others += "\n  and in line " + std::to_string(m.line) + ": " + m.advice.fact;
  return CompileError(error.what() + others, error.fix);
}

}  // namespace tl::cuda
