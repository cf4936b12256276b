#include "interp/text/model_reader.h"

#include <algorithm>
#include <array>

namespace tl::text {
namespace {

constexpr int deepest = 200;

template <std::size_t N>
bool is_one_of(std::string_view word, const std::array<std::string_view, N>& words) {
  return std::find(words.begin(), words.end(), word) != words.end();
}

constexpr std::array<std::string_view, 8> specifiers = {"const",    "constexpr", "static", "volatile",
                                                        "unsigned", "signed",    "inline", "mutable"};
constexpr std::array<std::string_view, 10> simple_types = {"auto", "int",  "bool",  "float",    "double",
                                                           "long", "char", "short", "unsigned", "signed"};
// Names before another name that declare nothing, or are no type.
constexpr std::array<std::string_view, 17> other_words = {
    "return", "throw",    "goto",     "case",  "new",    "delete", "using", "typedef", "namespace",
    "else",   "template", "typename", "break", "struct", "class",  "enum",  "operator"};

// Names before ( and ) that may begin a declaration.
constexpr std::array<std::string_view, 5> before_a_type = {"decltype", "alignas", "typeof", "__typeof__",
                                                           "__attribute__"};

}  // namespace

void ModelReader::run() {
  end_ = static_cast<int>(m_.all_.tokens.size());
  find_functions(0, end_ - 1, "");
  for (std::size_t f = 0, declared = m_.all_.functions.size(); f < declared; ++f)  // lambdas join them on the way
    find_statements(m_.all_.functions[f].body, {static_cast<int>(f)});
}

// ---- functions

// The { of the function whose parameters begin at `open`; -1: that is no function definition.
int ModelReader::body_of(int open, int last) const {
  int i = token(open).partner + 1;
  while (i <= last && !is(i, "{") && !is(i, ";") && !is(i, "=") && !is(i, ",")) {
    const bool is_clause = is(i - 1, "noexcept") || is(i - 1, "requires") || is(i - 1, "decltype");
    if (is(i, "(") && !is_clause) return -1;  // the parameters are to come
    i = after(i);
  }
  return i <= last && is(i, "{") && token(i).partner > i ? i : -1;
}

// `name ( parameters ) ... {` at namespace or struct level is a function; namespaces and structs are entered.
void ModelReader::find_functions(int first, int last, const std::string& owner) {
  if (depth_ >= deepest) return;
  ++depth_;
  bool is_constexpr = false;
  for (int i = first; i <= last; ++i) {
    if (is(i, ";") || is(i, "}")) is_constexpr = false;
    is_constexpr |= is(i, "constexpr") || is(i, "consteval");
    if (is(i, "namespace") || is(i, "struct") || is(i, "class")) {
      const bool is_namespace = is(i, "namespace");
      const std::string name(i + 1 <= last ? token(i + 1).text : "");
      while (i <= last && !is(i, "{") && !is(i, ";") && !is(i, "(") && !is(i, ">")) ++i;
      if (i > last || !is(i, "{") || token(i).partner < 0) continue;
      find_functions(i + 1, token(i).partner - 1, is_namespace ? "" : name);
    } else if (is(i, "(") && token(i).partner > i && !is(i - 1, "operator")) {  // operator() : the parameters come next
      if (const int brace = body_of(i, last); brace >= 0) {
        Function f;
        f.is_functor = i >= 3 && is(i - 3, "operator");
        f.name = f.is_functor ? owner : std::string(i >= 1 ? token(i - 1).text : "");
        f.parameters = parameters_in(i, f.is_functor);
        f.begin = brace;
        f.end = token(brace).partner;
        f.body = {f.begin + 1, f.end - 1};
        f.opens = i;
        f.is_constexpr = is_constexpr;
        m_.all_.functions.push_back(std::move(f));
        is_constexpr = false;
        i = token(brace).partner;
        continue;
      }
    }
    if (token(i).partner > i) i = token(i).partner;
  }
  --depth_;
}

std::vector<Parameter> ModelReader::parameters_in(int open, bool is_functor) const {
  std::vector<Parameter> result;
  bool is_first = true;
  for (const TokenRange& piece : m_.split(open)) {
    Parameter p;
    bool has_type = false;
    for (int i = piece.first; i <= piece.last && !is(i, "="); i = after(i)) {
      if (is(i, "&") || is(i, "&&")) p.is_reference = true;
      p.is_pack |= is(i, "...");
      if (!is_name(i) || is(i, "const")) continue;
      const bool is_type = is_one_of(token(i).text, simple_types) || is(i - 1, "::") || is(i + 1, "::");
      if (!is_type && has_type) p.name = token(i).text;
      has_type = true;
    }
    const bool is_tl = p.name == "tl" || (is_first && (is_functor || (p.name.empty() && p.is_reference)));
    is_first = false;
    if (!is_tl) result.push_back(std::move(p));
  }
  return result;
}

// ---- statements

void ModelReader::find_statements(TokenRange range, const Around& around) {
  int i = range.first;
  while (i <= range.last) i = parse_statement(i, range.last, around);
}

// Reads one statement at `first`; returns the token after it.
int ModelReader::parse_statement(int first, int last, const Around& around) {
  if (is(first, ";") || is(first, "else") || is(first, "do") || is(first, "try")) return first + 1;
  if (is(first, "{")) {
    const int close = token(first).partner;
    if (close < 0 || depth_ >= deepest) return after(first);
    ++depth_;
    find_statements({first + 1, close - 1}, around);
    --depth_;
    return close + 1;
  }
  if (is(first, "case") || is(first, "default")) {
    while (first <= last && !is(first, ":") && !is(first, ";")) first = after(first);
    return first + 1;
  }
  if (is(first, "for") || is(first, "while") || is(first, "if") || is(first, "switch") || is(first, "catch"))
    return parse_flow(first, last, around);
  int end = first;
  if (is_macro_head(first, last)) end = token(first + 1).partner;
  else
    while (end <= last && !is(end, ";")) end = after(end);
  Statement s;
  s.kind = is(first, "return") ? StatementKind::returns : StatementKind::plain;
  s.tokens = {first, std::min(end, last)};
  const int value_end = is(s.tokens.last, ";") ? s.tokens.last - 1 : s.tokens.last;
  if (s.kind == StatementKind::returns) s.value = {first + 1, value_end};
  else find_names(s, first, value_end);
  add_statement(std::move(s), around);
  return end + 1;
}

// `EACH(i, 4) { ... }`, `SWAP(a, b)` and no semicolon.
bool ModelReader::is_macro_head(int first, int last) const {
  if (!is_name(first) || is_one_of(token(first).text, before_a_type) || !is(first + 1, "(")) return false;
  const int next = token(first + 1).partner + 1;
  return next > first + 1 && next <= last && (is(next, "{") || is_name(next));
}

int ModelReader::parse_flow(int first, int last, const Around& around) {
  int open = first + 1;
  while (open <= last && !is(open, "(") && !is(open, "{") && !is(open, ";")) ++open;  // if constexpr
  const int close = open <= last && is(open, "(") ? token(open).partner : -1;
  if (close < 0 || depth_ >= deepest) return open + 1;
  ++depth_;
  Statement s;
  s.kind = is(first, "for") || is(first, "while") ? StatementKind::loop : StatementKind::condition;
  s.tokens = {first, close};
  const bool is_loop = s.kind == StatementKind::loop, is_if = is(first, "if");
  find_names(s, open + 1, close - 1);
  const int me = add_statement(std::move(s), around);
  Around inner = around;
  if (is_loop) inner.loop = me;
  int end = close + 1 <= last ? parse_statement(close + 1, last, inner) : close + 1;
  statement(me).body = {close + 1, end - 1};
  if (is_if && end + 1 <= last && is(end, "else")) {
    const int otherwise = end + 1;
    end = parse_statement(otherwise, last, inner);
    statement(me).otherwise = {otherwise, end - 1};
  }
  --depth_;
  return end;
}

int ModelReader::add_statement(Statement s, const Around& around) {
  s.function = around.function;
  s.lambda = around.lambda;
  s.parent = around.parent;
  s.loop = around.loop;
  m_.all_.statements.push_back(std::move(s));
  const int me = static_cast<int>(m_.all_.statements.size()) - 1;
  find_lambdas(me);
  return me;
}

// Where a declaration's type at `i` ends and its first declarator begins; -1: it is no declaration.
int ModelReader::end_of_type(int i, int last) const {
  if (is(i, "[") && is(i + 1, "[")) i = after(i);  // an attribute
  bool has_type = false, is_certain = false;
  for (; i <= last; ++i) {
    const std::string_view word = token(i).text;
    if (is_one_of(word, simple_types)) has_type = is_certain = true;
    else if (is(i, "decltype") && is(i + 1, "(")) {
      i = after(i + 1) - 1;
      has_type = true;
    } else if (is_one_of(word, specifiers) || word == "&" || word == "&&" || word == "*") is_certain |= word == "const";
    else if (is_name(i) && !has_type && !is_one_of(word, other_words)) {
      while (is(i + 1, "::") && is_name(i + 2)) i += 2;
      if (is(i + 1, "<")) {
        int angle = i + 2;
        while (angle <= last && !is(angle, ">") && !is(angle, ">>") && !is(angle, "&&") && !is(angle, "||"))
          angle = after(angle);
        i = angle;
      }
      has_type = true;
    } else break;
  }
  if (!has_type || i > last) return -1;
  if (is(i, "[")) return is_certain ? i : -1;  // a structured binding
  const bool goes_on = i == last || is(i + 1, "=") || is(i + 1, ",") || is(i + 1, ":") || is(i + 1, ";") ||
                       is(i + 1, "{") || is(i + 1, "[") || is(i + 1, "(");
  return is_name(i) && !is_one_of(token(i).text, other_words) && goes_on ? i : -1;
}

// `auto x = value, y = value`, `auto [a, b] = value`, `int n = 3`, `for (auto i : value)`, `if (auto x = value; ...)`.
void ModelReader::find_names(Statement& s, int first, int last) const {
  int i = end_of_type(first, last);
  if (i < 0) return;
  const auto add = [&](int name, bool is_initialized) {
    s.names.emplace_back(token(name).text);
    s.is_initialized.push_back(is_initialized);
  };
  bool is_first = true;
  while (i <= last) {
    int next = i + 1;
    if (is(i, "[")) {
      next = after(i);
      for (const TokenRange& piece : m_.split(i))
        if (is_name(piece.first)) add(piece.first, true);
    } else if (is_name(i)) {
      const bool has_value = is(next, "=") || is(next, ":") || is(next, "{") || is(next, "(");
      add(i, has_value);
    }
    if (is(next, "=") || is(next, ":")) ++next;
    const int value = next;
    while (next <= last && !is(next, ",") && !is(next, ";")) {
      if (is(next, "<") && is_name(next - 1))  // f<1, 2>(x), T<1, 2>{x}: where a > comes before the declarator's end
        for (int close = next + 1; close <= std::min(last, next + 32) && !is(close, ";") && !is(close, "="); ++close)
          if (is(close, ">") && (is(close + 1, "(") || is(close + 1, "{") || is(close + 1, "::"))) next = close;
      next = after(next);
    }
    if (is_first) s.value = {value, next - 1};
    is_first = false;
    if (!is(next, ",")) break;
    for (i = next + 1; is(i, "&") || is(i, "&&") || is(i, "*");) ++i;
  }
}

// ---- lambdas

// `[captures](parameters) { body }` where no subscript can stand.
void ModelReader::find_lambdas(int s) {
  if (depth_ >= deepest) return;
  ++depth_;
  const TokenRange range = statement(s).tokens;
  for (int i = range.first; i <= range.last; ++i) {
    if (!is(i, "[") || token(i).partner < i) continue;
    const Token& before = token(std::max(0, i - 1));
    const bool is_subscript = i > 0 && ((before.kind == TokenKind::name && !before.is("return")) || before.is(")") ||
                                        before.is("]") || before.is("["));
    if ((is_subscript && i > range.first) || is(i + 1, "[")) continue;
    int at = token(i).partner + 1, open = -1;
    std::vector<Parameter> parameters;
    if (is(at, "<"))
      while (at <= range.last && !is(at, "(") && !is(at, "{")) ++at;
    if (is(at, "(") && token(at).partner > at) {
      open = at;
      parameters = parameters_in(at, false);
      at = token(at).partner + 1;
    }
    int angles = 0;  // of -> T<A, B>
    while (at <= range.last && !is(at, "{") && (angles > 0 || !is(at, ",")) && !is(at, ")") && !is(at, ";")) {
      angles += is(at, "<") - is(at, ">");
      at = after(at);
    }
    if (!is(at, "{") || token(at).partner < at) continue;
    const TokenRange body{at + 1, token(at).partner - 1};
    const Statement around = statement(s);
    Around inner{around.function, -1, -1, -1};
    if (is_function(around, body, i)) {
      const bool is_named = around.value.first == i && !around.names.empty();
      m_.all_.functions.push_back({is_named ? around.names[0] : "lambda", false, parameters, body, body.first - 1,
                                   body.last + 1, around.function, open, i, false});
      inner.function = static_cast<int>(m_.all_.functions.size()) - 1;
    } else {
      m_.all_.lambdas.push_back({parameters, body, s, i});
      inner.lambda = static_cast<int>(m_.all_.lambdas.size()) - 1;
      inner.parent = s;
    }
    find_statements(body, inner);
    i = body.last + 1;
  }
  --depth_;
}

// `auto name = [...] ... { ... };`, or an argument of a function outside tl.
bool ModelReader::is_function(const Statement& around, const TokenRange& body, int captures) const {
  if (around.names.size() == 1 && around.value.first == captures && around.value.last == body.last + 1) return true;
  int call = captures - 1;
  while (call > around.tokens.first && !(is(call, "(") && token(call).partner > captures)) --call;
  const bool is_call = call > around.tokens.first && is_name(call - 1) && !m_.is_member(call - 1);
  return is_call && (is(captures - 1, "(") || is(captures - 1, ","));
}

}  // namespace tl::text
