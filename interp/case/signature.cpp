#include "interp/case/signature.h"

#include <fmt/format.h>

#include <algorithm>

#include "interp/lang/file_name.h"
#include "interp/lang/text.h"
#include "interp/text/stored_parameters.h"

namespace tl::cases {
namespace {

char kind_of(const text::Model& model, const text::TokenRange& parameter) {
  for (int i = parameter.first; i < parameter.last; ++i) {  // the last one is its name
    const auto is = [&](const char* concept_name) { return model.token(i).is(concept_name); };
    if (is("ptr")) return 't';
    if (is("descriptor")) return 'd';
    if (is("int_")) return 'i';
    if (is("float_")) return 'f';
    if (is("constexpr_")) return 'c';
  }
  return '?';
}

// tl::kernels within namespace tl::kernels { ... }, or within two nested ones.
std::string namespaces_around(const text::Model& model, int token) {
  std::string all;
  for (int i = 0; i < token; ++i) {
    if (!model.token(i).is("namespace")) continue;
    std::string name;
    int open = i + 1;
    while (open < token && !model.is(open, "{") && !model.is(open, ";")) name += model.token(open++).text;
    if (model.is(open, "{") && model.token(open).partner > token && !name.empty()) all += name + "::";
  }
  return all;
}

}  // namespace

std::string Parameter::short_name() const {
  for (const std::string_view end : {"_ptr", "_desc"})
    if (name.size() > end.size() && name.ends_with(end)) return name.substr(0, name.size() - end.size());
  return name;
}

std::vector<Functor> functors_of(const text::Model& model) {
  std::vector<Functor> found;
  for (const text::Function& f : model.functions()) {
    if (!f.is_functor || f.opens < 0 || f.name.empty()) continue;
    const auto pieces = model.split(f.opens);
    if (pieces.empty() || !model.is(pieces.front().last, "tl")) continue;
    Functor functor{f.name, namespaces_around(model, f.opens) + f.name, {}};
    for (std::size_t i = 1; i < pieces.size(); ++i)
      functor.parameters.push_back({std::string(model.token(pieces[i].last).text), kind_of(model, pieces[i])});
    std::set<int> pointers;
    for (std::size_t i = 0; i < functor.parameters.size(); ++i)
      if (functor.parameters[i].kind == 't' || functor.parameters[i].kind == 'd') pointers.insert(static_cast<int>(i));
    for (const int i : text::stored_parameters(model, f, pointers))
      functor.parameters[static_cast<std::size_t>(i)].is_stored = true;
    for (int call : model.calls({f.body.first, f.body.last}))
      if (model.token(call).is("dot") && model.is(call - 2, "tl")) {
        functor.multiplies = true;
        for (const text::TokenRange& argument : model.arguments(call))
          for (const char* parts : {"tf32x3", "bf16x3", "bf16x6"}) functor.splits_f32 |= model.is(argument.last, parts);
        for (const text::TokenRange& argument : model.arguments(call))
          functor.is_ieee |= model.is(argument.last, "ieee");
      }
    found.push_back(std::move(functor));
  }
  return found;
}

std::string_view comment_mark(const std::string& file) { return is_python(file) ? "#" : "//"; }

std::vector<Word> case_in(const std::string& file, const std::string& text, const std::string& functor) {
  std::vector<Word> words;
  const auto read = [&](std::string_view comment, int line_number) {
    const std::string_view mark = comment_mark(file);
    if (!comment.starts_with(mark)) return;
    const std::string line = trimmed(comment.substr(mark.size()));
    const std::size_t colon = line.find(':');
    const std::string head = colon == std::string::npos ? "" : trimmed(line.substr(0, colon));
    if (head != "case" && head != "case " + functor) return;
    const auto here = words_of(line.substr(colon + 1), fmt::format("{}:{}: ", file, line_number));
    words.insert(words.end(), here.begin(), here.end());
  };
  if (is_python(file)) {
    int number = 0;
    const bool has_mark = text.starts_with("\xEF\xBB\xBF");  // some editors' sign of UTF-8
    for (const std::string& line : lines_of(text.substr(has_mark ? 3 : 0))) read(trimmed(line), ++number);
  } else {
    for (const text::Token& token : text::lex_with_comments(text))
      if (token.kind == text::TokenKind::comment) read(token.text, token.line);
  }
  return words;
}

const char* kind_name(char kind) {
  switch (kind) {
    case 't': return "ptr";
    case 'd': return "descriptor";
    case 'i': return "int_";
    case 'f': return "float_";
    case 'c':
    case 'r':
    case 's':
    case 'y': return "constexpr_";
    default: return "auto";
  }
}

std::string a_kind(char kind) {
  const std::string name = kind_name(kind);
  return (name[0] == 'i' || name[0] == 'a' ? "an " : "a ") + name;
}

}  // namespace tl::cases
