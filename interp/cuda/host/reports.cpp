#include "interp/cuda/host/reports.h"

#include <algorithm>
#include <charconv>
#include <map>
#include <string_view>

#include "interp/lang/text.h"

namespace tl::cuda {

namespace {

std::optional<int> number_in(std::string_view text) {
  int value = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  return error == std::errc() && end == text.data() + text.size() ? std::optional(value) : std::nullopt;
}

std::string_view word_of(std::string_view& code) {
  code.remove_prefix(std::min(code.find_first_not_of(" \t,;"), code.size()));
  const std::string_view word = code.substr(0, code.find_first_of(" \t,;"));
  code.remove_prefix(word.size());
  return word;
}

// What registers of one function hold, where each instruction that writes to one writes the same constant. A branch
// that decides a value writes two.
class Registers {
 public:
  void pass(std::string_view code) {
    const std::string_view op = word_of(code), to = word_of(code);
    if (!to.starts_with('%')) return;  // "st.global [%rd1], ..." writes to none
    const auto value = op.starts_with("mov.") ? number_in(word_of(code)) : std::nullopt;
    const auto [at, is_new] = held_.try_emplace(std::string(to), value);
    if (!is_new && at->second != value) at->second = std::nullopt;
  }
  std::optional<int> value_of(const std::string& reported) const {
    if (!reported.starts_with('%')) return number_in(reported);
    const auto at = held_.find(reported);
    return at == held_.end() ? std::nullopt : at->second;
  }

 private:
  std::map<std::string, std::optional<int>> held_;
};

}  // namespace

std::vector<ReportedValue> read_reports(const std::string& ptx, rules::Report kind) {
  const std::string head = "// tilescope " + std::to_string(static_cast<int>(kind)) + " ";
  std::vector<ReportedValue> reports;
  if (ptx.find(head) == std::string::npos) return reports;
  Registers registers;
  std::vector<std::string> values;  // of the reports, those of this function last
  const auto end_function = [&] {
    for (std::size_t i = 0; i < values.size(); ++i)
      reports[reports.size() - values.size() + i].value = registers.value_of(values[i]);
    registers = {}, values.clear();
  };
  const auto lines = lines_of(ptx);
  for (std::size_t i = 0; i < lines.size(); ++i) {
    if (lines[i].starts_with(")") || lines[i].starts_with("{")) end_function();
    const std::string code = trimmed(lines[i]);
    if (code.starts_with(head)) {
      reports.push_back({{}, i});
      values.push_back(code.substr(head.size()));
    } else if (!code.starts_with("//")) registers.pass(code);
  }
  end_function();
  return reports;
}

Rings read_rings(const std::string& ptx) {
  Rings rings;
  for (const auto& [stages, line] : read_reports(ptx, rules::Report::stages))
    rings.stages_wanted = std::max(rings.stages_wanted, stages.value_or(0));
  for (const auto& [word, line] : read_reports(ptx, rules::Report::ring)) {
    if (!word || *word < 0) {
      rings.is_regular = false;
      continue;
    }
    const rules::RingUse use = rules::unpacked(*word);
    rules::RingUse& most = rings.levels[static_cast<std::size_t>(use.level)];
    most = {use.level, use.slots, std::max(most.tiles, use.tiles), std::max(most.bytes, use.bytes)};
  }
  return rings;
}

}  // namespace tl::cuda
