#include "interp/cuda/host/print_texts.h"

#include <optional>

#include "interp/cuda/host/log.h"
#include "interp/lang/pid_condition.h"
#include "interp/text/habits.h"
#include "interp/text/model.h"

namespace tl::cuda {

namespace {

// The text of a literal, which may have several pieces; empty: not a literal.
std::optional<std::string> literal(const text::Model& model, const text::TokenRange& argument) {
  std::string said;
  for (int i = argument.first; i <= argument.last; ++i) {
    if (model.token(i).kind != text::TokenKind::literal || !model.token(i).text.ends_with('"')) return std::nullopt;
    said += text::content_of(model.token(i));
  }
  return said;
}

void check(const text::Model& model, int call) {
  const text::Token& op = model.token(call);
  const auto refuse = [&](const std::string& fact, const std::string& fix) {
    throw refusal(model.file(), op.line, std::string(model.line(op.line)), static_cast<std::size_t>(op.column) - 1,
                  {fact, fix});
  };
  const auto arguments = model.arguments(call);
  const bool has_condition = !op.is("static_print");
  const std::size_t condition = op.is("print_if") ? 1 : 0;
  if (arguments.size() <= condition) return;  // the compiler says so
  const auto pids = literal(model, arguments[condition]), said = literal(model, arguments[0]);
  if (pids && has_condition) try {
      PidCondition::parse(*pids);
    } catch (const Error& e) {
      refuse("tl." + std::string(op.text) + ": " + e.what(), e.fix);
    }
  if (op.is("breakpoint_if") || !said || !pids) return;
  const std::size_t values = arguments.size() - condition - 1;
  std::size_t braces = 0;
  for (std::size_t at = said->find("{}"); at != std::string::npos; at = said->find("{}", at + 2)) ++braces;
  const std::string name = "tl." + std::string(op.text);
  if (braces > values) refuse(name + ": more {} than values", "pass one value for each {}");
  if (braces < values) refuse(name + ": more values than {}", "write one {} for each value");
}

// {.eviction_policy = "evict_last"}: for an unknown word NVRTC generates invalid code.
void check_words(const text::Model& model, const text::TokenRange& range) {
  for (int i = range.first + 1; i + 2 < range.last; ++i) {
    const bool is_option = model.is(i, ".") && (model.is(i - 1, "{") || model.is(i - 1, ",")) && model.is(i + 2, "=");
    if (!is_option) continue;
    const text::Token& word = model.token(i + 3);
    const std::string option(model.token(i + 1).text);
    if (word.kind == text::TokenKind::name &&
        is_option_of_words(option))  // its value may be known too late to be checked
      throw refusal(model.file(), word.line, std::string(model.line(word.line)),
                    static_cast<std::size_t>(word.column) - 1,
                    {"the word of ." + option + " stands between quotes",
                     "write it where it is passed: ." + option + " = \"...\""});
    if (word.kind != text::TokenKind::literal) continue;
    if (const auto wrong = wrong_word(option, std::string(text::content_of(word))))
      throw refusal(model.file(), word.line, std::string(model.line(word.line)),
                    static_cast<std::size_t>(word.column) - 1, {wrong->headline, wrong->fix});
  }
}

}  // namespace

void check_print_texts(const Sources& sources, const std::string& kernel) {
  const std::string path = kernel.substr(0, kernel.find('<')), functor = path.substr(path.rfind(':') + 1);
  for (const auto& [file, source] : sources) {
    if (file.starts_with("interp/")) continue;
    const text::Model model(file, source);
    for (const text::Definition& d : text::definitions_of(model.tokens())) {
      if (d.is_struct && d.name != functor) continue;  // other kernels of the file are not checked
      check_words(model, d.tokens);
      for (const int call : model.calls(d.tokens)) {
        const auto is = [&](const char* name) { return model.is(call - 1, ".") && model.is(call, name); };
        if (is("print_if") || is("breakpoint_if") || is("static_print")) check(model, call);
      }
    }
  }
}

}  // namespace tl::cuda
