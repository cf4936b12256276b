#include "interp/case/signature.h"

#include <fmt/format.h>

#include <algorithm>

#include "interp/lang/text.h"

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

// tl::kernels of what stands in namespace tl::kernels { ... }, or in one within the other.
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

// x_ptr is named in the first argument of tl.store(x_ptr + offs, x), or x_desc.store({i, j}, x) is called on it; also
// by way of a variable that was made of it.
void find_stores(const text::Model& model, const text::TokenRange& body, std::vector<Parameter>& parameters) {
  std::vector<std::pair<std::string, std::string>> made_of;  // a variable, the parameter
  const auto parameter_in = [&](const text::TokenRange& range) -> std::string {
    for (int i = range.first; i <= range.last; ++i) {
      for (const Parameter& p : parameters)
        if ((p.kind == 't' || p.kind == 'd') && model.is(i, p.name)) return p.name;
      for (const auto& [variable, parameter] : made_of)
        if (model.is(i, variable)) return parameter;
    }
    return "";
  };
  for (const text::Statement& s : model.statements()) {
    if (!body.contains(s.tokens)) continue;
    const auto names = [&](const text::TokenRange& value) {
      for (int call : model.calls(value))
        if (model.token(call).is("load")) return std::string();  // a value, no pointer
      return parameter_in(value);
    };
    if (s.names.size() == 1 && !s.value.is_empty())
      if (const std::string of = names(s.value); !of.empty()) made_of.emplace_back(s.names[0], of);
  }
  for (int call : model.calls(body)) {
    const std::string_view op = model.token(call).text;
    if (op != "store" && !op.starts_with("atomic_")) continue;
    const auto arguments = model.arguments(call);
    const bool is_on_tl = model.is(call - 2, "tl");
    const text::TokenRange where = is_on_tl && !arguments.empty() ? arguments[0] : text::TokenRange{call - 2, call - 2};
    for (Parameter& p : parameters)
      if (p.name == parameter_in(where)) p.is_stored = true;
  }
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
    find_stores(model, f.body, functor.parameters);
    for (int call : model.calls({f.body.first, f.body.last}))
      if (model.token(call).is("dot") && model.is(call - 2, "tl")) {
        functor.multiplies = true;
        for (const text::TokenRange& argument : model.arguments(call))
          functor.is_ieee |= model.is(argument.last, "ieee");
      }
    found.push_back(std::move(functor));
  }
  return found;
}

std::vector<Word> case_in(const std::string& file, const std::string& text, const std::string& functor) {
  std::vector<Word> words;
  for (const text::Token& token : text::lex_with_comments(text)) {
    if (token.kind != text::TokenKind::comment || !token.text.starts_with("//")) continue;
    const std::string line = trimmed(token.text.substr(2));
    const std::size_t colon = line.find(':');
    const std::string head = colon == std::string::npos ? "" : trimmed(line.substr(0, colon));
    if (head != "case" && head != "case " + functor) continue;
    const auto here = words_of(line.substr(colon + 1), fmt::format("{}:{}: ", file, token.line));
    words.insert(words.end(), here.begin(), here.end());
  }
  return words;
}

const char* kind_name(char kind) {
  switch (kind) {
    case 't': return "ptr";
    case 'd': return "descriptor";
    case 'i': return "int_";
    case 'f': return "float_";
    case 'c': return "constexpr_";
    default: return "auto";
  }
}

}  // namespace tl::cases
