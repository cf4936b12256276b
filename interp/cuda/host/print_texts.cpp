#include "interp/cuda/host/print_texts.h"

#include <algorithm>
#include <cctype>
#include <optional>
#include <vector>

#include "interp/cuda/host/log.h"
#include "interp/lang/pid_condition.h"
#include "interp/lang/text.h"

namespace tl::cuda {

namespace {

bool is_word(char c) { return std::isalnum(static_cast<unsigned char>(c)) || c == '_'; }

// The text of a C++ file, passed word by word; comments and literals are no code.
class Reader {
 public:
  Reader(const std::string& file, const std::string& text, const std::string& functor)
      : file_(file), text_(text), functor_(functor) {}

  void read() {
    while (at_ < text_.size()) {
      if (skip_space_or_literal()) continue;
      const std::size_t begin = at_;
      const std::string word = take_word();
      if (word == "struct") skip_other_functor();
      else if (begin > 0 && text_[begin - 1] == '.' && (word == "print_if" || word == "breakpoint_if"))
        check(word, begin);
      else if (word.empty()) ++at_;
    }
  }

 private:
  // Whether there was a space, a comment or a literal.
  bool skip_space_or_literal() {
    const char c = text_[at_];
    if (c == '/' && text_.compare(at_, 2, "//") == 0) at_ = std::min(text_.find('\n', at_), text_.size());
    else if (c == '/' && text_.compare(at_, 2, "/*") == 0)
      at_ = std::min(text_.find("*/", at_ + 2), text_.size() - 2) + 2;
    else if (c == '"' || (c == '\'' && (at_ == 0 || !is_word(text_[at_ - 1])))) skip_literal(c);
    else if (std::isspace(static_cast<unsigned char>(c))) ++at_;
    else return false;
    return true;
  }
  void skip_literal(char quote) {
    for (++at_; at_ < text_.size() && text_[at_] != quote && text_[at_] != '\n'; ++at_)
      if (text_[at_] == '\\') ++at_;
    at_ = std::min(at_ + 1, text_.size());
  }
  std::string take_word() {
    const std::size_t begin = at_;
    while (at_ < text_.size() && is_word(text_[at_])) ++at_;
    return text_.substr(begin, at_ - begin);
  }
  void skip_spaces() {
    while (at_ < text_.size() && skip_space_or_literal()) {
    }
  }

  // Another kernel of the file may be as wrong as it likes.
  void skip_other_functor() {
    skip_spaces();
    if (take_word() == functor_) return;
    int depth = 0;
    while (at_ < text_.size()) {
      if (skip_space_or_literal()) continue;
      const char c = text_[at_++];
      depth += c == '{' ? 1 : c == '}' ? -1 : 0;
      if ((c == ';' && depth == 0) || (c == '}' && depth == 0)) return;
    }
  }

  // The arguments of a call, as written.
  std::vector<std::string> take_arguments() {
    std::vector<std::string> arguments(1);
    int depth = 0;
    while (at_ < text_.size()) {
      const std::size_t begin = at_;
      if (!skip_space_or_literal()) {
        const char c = text_[at_++];
        depth += c == '(' || c == '[' || c == '{' ? 1 : c == ')' || c == ']' || c == '}' ? -1 : 0;
        if (depth == 0) break;
        if (depth == 1 && c == '(' && begin == at_ - 1 && arguments.size() == 1 && arguments[0].empty()) continue;
        if (depth == 1 && c == ',') {
          arguments.emplace_back();
          continue;
        }
      }
      arguments.back() += text_.substr(begin, at_ - begin);
    }
    for (auto& argument : arguments) argument = trimmed(argument);
    return arguments;
  }
  // What a literal says; nothing of what is no literal.
  static std::optional<std::string> literal(const std::string& argument) {
    if (argument.size() < 2 || argument.front() != '"' || argument.find('"', 1) != argument.size() - 1)
      return std::nullopt;
    return argument.substr(1, argument.size() - 2);
  }

  void check(const std::string& op, std::size_t begin) {
    skip_spaces();
    if (at_ == text_.size() || text_[at_] != '(') return;
    const auto arguments = take_arguments();
    const std::size_t condition = op == "print_if" ? 1 : 0;
    if (arguments.size() <= condition) return;  // the compiler says so
    if (const auto text = literal(arguments[condition])) try {
        PidCondition::parse(*text);
      } catch (const Error& e) {
        refuse(begin, "tl." + op + ": " + e.what(), e.fix);
      }
    const auto text = literal(arguments[0]);
    if (op != "print_if" || !text || !literal(arguments[condition])) return;
    std::size_t braces = 0;
    for (std::size_t at = text->find("{}"); at != std::string::npos; at = text->find("{}", at + 2)) ++braces;
    if (braces > arguments.size() - 2) refuse(begin, "tl.print_if: more {} than values", "pass one value for each {}");
    if (braces < arguments.size() - 2) refuse(begin, "tl.print_if: more values than {}", "write one {} for each value");
  }
  [[noreturn]] void refuse(std::size_t at, const std::string& fact, const std::string& fix) const {
    const auto line_begin = text_.rfind('\n', at) + 1;
    const auto line = std::count(text_.begin(), text_.begin() + static_cast<std::ptrdiff_t>(at), '\n') + 1;
    throw refusal(file_, static_cast<int>(line), text_.substr(line_begin, text_.find('\n', at) - line_begin),
                  at - line_begin, {fact, fix});
  }

  const std::string &file_, &text_;
  const std::string functor_;
  std::size_t at_ = 0;
};

}  // namespace

void check_print_texts(const Sources& sources, const std::string& kernel) {
  const std::string functor = kernel.substr(kernel.rfind(':') + 1);
  for (const auto& [file, text] : sources)
    if (!file.starts_with("interp/")) Reader(file, text, functor.substr(0, functor.find('<'))).read();
}

}  // namespace tl::cuda
