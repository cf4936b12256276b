#include "interp/lang/pid_condition.h"

#include <charconv>

namespace tl {
namespace {

using Comparison = PidCondition::Comparison;

constexpr const char* spellings[] = {"", "=", "!=", "<", "<=", ">", ">="};

bool is_space(char c) { return c == ' ' || c == '\t'; }
bool is_digit(char c) { return c >= '0' && c <= '9'; }

// One left-to-right pass; `at` is what an error points to, counted from 1 as people do.
class Parser {
 public:
  explicit Parser(std::string_view text) : text_(text) {}

  std::array<PidCondition::Term, 3> terms() {
    std::array<PidCondition::Term, 3> result;
    for (std::size_t axis = 0;; ++axis) {
      skip_spaces();
      if (axis == result.size()) fail("a fourth axis; a grid has three");
      if (at_ < text_.size() && text_[at_] != ',') result[axis] = term();
      skip_spaces();
      if (at_ == text_.size()) return result;
      if (text_[at_] != ',') fail("expected a comma or the end here");
      ++at_;
    }
  }

 private:
  PidCondition::Term term() {
    PidCondition::Term result;
    result.comparison = comparison();
    skip_spaces();
    const char* const begin = text_.data() + at_;
    const char* const end = text_.data() + text_.size();
    if (begin == end || !is_digit(*begin)) fail("expected a number, 0 or above, after the operator");
    const auto [stop, error] = std::from_chars(begin, end, result.number);
    if (error != std::errc{}) fail("this number does not fit in 64 bits");
    at_ += static_cast<std::size_t>(stop - begin);
    return result;
  }

  Comparison comparison() {
    if (take("==") || take("=")) return Comparison::equal;
    if (take("!=")) return Comparison::not_equal;
    if (take("<=")) return Comparison::less_equal;
    if (take("<")) return Comparison::less;
    if (take(">=")) return Comparison::greater_equal;
    if (take(">")) return Comparison::greater;
    fail("expected an operator here");
  }

  bool take(std::string_view token) {
    if (text_.substr(at_, token.size()) != token) return false;
    at_ += token.size();
    return true;
  }

  void skip_spaces() {
    while (at_ < text_.size() && is_space(text_[at_])) ++at_;
  }

  [[noreturn]] void fail(const std::string& fact) const {
    throw Error("condition '" + std::string(text_) + "', position " + std::to_string(at_ + 1) + ": " + fact,
                "one term an axis, separated by commas, each empty or one of = == != < <= > >= and a number, as in "
                "'=0' or ',>1' or '>1,=0'");
  }

  std::string_view text_;
  std::size_t at_ = 0;
};

bool holds(const PidCondition::Term& term, std::int64_t id) {
  switch (term.comparison) {
    case Comparison::any: return true;
    case Comparison::equal: return id == term.number;
    case Comparison::not_equal: return id != term.number;
    case Comparison::less: return id < term.number;
    case Comparison::less_equal: return id <= term.number;
    case Comparison::greater: return id > term.number;
    case Comparison::greater_equal: return id >= term.number;
  }
  return false;
}

}  // namespace

PidCondition PidCondition::parse(std::string_view text) {
  PidCondition result;
  result.terms_ = Parser(text).terms();
  return result;
}

bool PidCondition::matches(ProgramId pid) const {
  return holds(terms_[0], pid.x) && holds(terms_[1], pid.y) && holds(terms_[2], pid.z);
}

bool PidCondition::always() const {
  for (const Term& term : terms_)
    if (term.comparison != Comparison::any) return false;
  return true;
}

std::string PidCondition::text() const {
  std::string result, commas;
  for (const Term& term : terms_) {
    if (term.comparison != Comparison::any) {
      result += commas + spellings[static_cast<int>(term.comparison)] + std::to_string(term.number);
      commas.clear();
    }
    commas += ',';
  }
  return result;
}

}  // namespace tl
