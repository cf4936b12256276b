#include "interp/debug/source_model.h"

#include <algorithm>

namespace tl::debug {

SourceModel::SourceModel(std::string file, std::string text) : file_(std::move(file)), text_(std::move(text)) {
  std::string_view rest = text_;
  while (!rest.empty()) {
    const std::size_t end = std::min(rest.find('\n'), rest.size());
    lines_.push_back(rest.substr(0, end));
    rest.remove_prefix(std::min(end + 1, rest.size()));
  }
  tokens_ = lex(text_);
  find_functions(0, static_cast<int>(tokens_.size()) - 1, "");
  for (std::size_t f = 0, declared = functions_.size(); f < declared; ++f)  // lambdas join them on the way
    find_statements(functions_[f].body.first, functions_[f].body.last, static_cast<int>(f), -1, -1, -1);
}

std::string_view SourceModel::line(int number) const {
  return number >= 1 && number <= lines() ? lines_[static_cast<std::size_t>(number - 1)] : std::string_view();
}

// ---- functions
// -------------------------------------------------------------------------------------------------------------

// `name ( parameters ) ... {` at namespace or struct level is a function; namespaces and structs are entered.
void SourceModel::find_functions(int first, int last, const std::string& owner) {
  for (int i = first; i <= last; ++i) {
    if (is(i, "namespace") || is(i, "struct")) {
      const std::string name(i + 1 <= last ? token(i + 1).text : "");
      const bool is_struct = is(i, "struct");
      while (i <= last && !is(i, "{") && !is(i, ";")) ++i;
      if (!is(i, "{") || token(i).partner < 0) continue;
      find_functions(i + 1, token(i).partner - 1, is_struct ? name : "");
      i = token(i).partner;
      continue;
    }
    if (is(i, "{") && token(i).partner > i) {
      i = token(i).partner;
      continue;
    }
    if (!is(i, "(") || token(i).partner < i) continue;
    const bool is_call_operator = i >= 3 && is(i - 3, "operator");
    int open = i;
    if (i >= 1 && is(i - 1, "operator")) continue;  // operator() : the parameters come next
    int after = token(open).partner + 1;
    while (after <= last && !is(after, "{") && !is(after, ";") && !is(after, "(") && !is(after, "=")) ++after;
    if (!is(after, "{") || token(after).partner < 0) {
      i = token(open).partner;
      continue;
    }
    Function f;
    f.is_functor = is_call_operator;
    f.name = is_call_operator ? owner : std::string(i >= 1 ? token(i - 1).text : "");
    f.parameters = parameters_in(open);
    f.body = {after + 1, token(after).partner - 1};
    functions_.push_back(std::move(f));
    i = token(after).partner;
  }
}

// The pieces between an opening bracket and its partner, cut at commas.
std::vector<TokenRange> SourceModel::split(int open) const {
  std::vector<TokenRange> result;
  const int close = token(open).partner;
  if (close <= open + 1) return result;
  TokenRange piece{open + 1, open};
  for (int i = open + 1; i < close; ++i) {
    if (token(i).partner > i) {
      i = token(i).partner;
    } else if (is(i, ",")) {
      piece.last = i - 1;
      result.push_back(piece);
      piece.first = i + 1;
    }
  }
  piece.last = close - 1;
  result.push_back(piece);
  return result;
}

std::vector<Parameter> SourceModel::parameters_in(int open) const {
  std::vector<Parameter> result;
  for (const TokenRange& piece : split(open)) {
    Parameter p;
    for (int i = piece.first; i <= piece.last && !is(i, "="); ++i) {
      if (is(i, "&") || is(i, "&&")) p.is_reference = true;
      if (token(i).kind == TokenKind::name) p.name = token(i).text;
    }
    const bool is_tl = p.name == "tl" || (p.name == "auto" && p.is_reference &&
                                          result.empty());  // which a helper may leave without a name
    if (!is_tl) result.push_back(std::move(p));
  }
  return result;
}

// ---- statements
// ------------------------------------------------------------------------------------------------------------

int SourceModel::find_statements(int first, int last, int function, int lambda, int parent, int loop) {
  int i = first;
  while (i <= last) i = parse_statement(i, last, function, lambda, parent, loop);
  return i;
}

// Reads one statement at `first`; returns the token after it.
int SourceModel::parse_statement(int first, int last, int function, int lambda, int parent, int loop) {
  if (is(first, ";") || is(first, "else")) return first + 1;
  if (is(first, "{") && token(first).partner > first) {
    find_statements(first + 1, token(first).partner - 1, function, lambda, parent, loop);
    return token(first).partner + 1;
  }
  Statement s;
  s.function = function;
  s.lambda = lambda;
  s.parent = parent;
  s.loop = loop;
  const bool is_loop = is(first, "for") || is(first, "while");
  if (is_loop || is(first, "if")) {
    int open = first + 1;
    while (open <= last && !is(open, "(")) ++open;  // if constexpr
    const int close = open <= last ? token(open).partner : -1;
    if (close < 0) return last + 1;
    s.kind = is_loop ? StatementKind::loop : StatementKind::condition;
    s.tokens = {first, close};
    const int me = add_statement(s);
    const int end =
        close + 1 <= last ? parse_statement(close + 1, last, function, lambda, parent, is_loop ? me : loop) : close + 1;
    statements_[static_cast<std::size_t>(me)].body = {close + 1, end - 1};
    return end;
  }
  int end = first;
  while (end <= last && !is(end, ";")) end = token(end).partner > end ? token(end).partner + 1 : end + 1;
  s.kind = is(first, "return") ? StatementKind::returns : StatementKind::plain;
  s.tokens = {first, std::min(end, last)};
  add_statement(s);
  return end + 1;
}

int SourceModel::add_statement(Statement s) {
  find_names(s);
  statements_.push_back(std::move(s));
  const int me = static_cast<int>(statements_.size()) - 1;
  find_lambdas(me);
  return me;
}

// `auto x = value`, `auto [a, b] = value`, `for (auto i : value)`.
void SourceModel::find_names(Statement& s) const {
  int i = s.tokens.first;
  if (s.kind == StatementKind::returns) {
    s.value = {i + 1, is(s.tokens.last, ";") ? s.tokens.last - 1 : s.tokens.last};
    return;
  }
  if (s.kind == StatementKind::loop) i += 2;
  if (is(i, "[") && is(i + 1, "[")) i = token(i).partner + 1;  // an attribute
  bool is_declaration = false;
  for (; i <= s.tokens.last && (is(i, "auto") || is(i, "const") || is(i, "&") || is(i, "&&")); ++i)
    is_declaration |= is(i, "auto");
  if (!is_declaration || i > s.tokens.last) return;
  if (is(i, "[") && token(i).partner > i) {
    for (const TokenRange& piece : split(i)) s.names.emplace_back(token(piece.first).text);
    i = token(i).partner + 1;
  } else {
    s.names.emplace_back(token(i).text);
    ++i;
  }
  const int end = s.kind == StatementKind::loop ? s.tokens.last - 1 : s.tokens.last - (is(s.tokens.last, ";") ? 1 : 0);
  if (is(i, "=") || is(i, ":")) s.value = {i + 1, end};
}

// `[captures](parameters) { body }` where no subscript can stand.
void SourceModel::find_lambdas(int statement) {
  const TokenRange range = statements_[static_cast<std::size_t>(statement)].tokens;
  for (int i = range.first; i <= range.last; ++i) {
    if (!is(i, "[") || token(i).partner < i || i == range.first) continue;
    const Token& before = token(i - 1);
    const bool is_subscript =
        (before.kind == TokenKind::name && !before.is("return")) || before.is(")") || before.is("]") || before.is("[");
    if (is_subscript || is(i + 1, "[")) continue;
    Lambda l;
    l.statement = statement;
    int at = token(i).partner + 1;
    if (is(at, "(") && token(at).partner > at) {
      l.parameters = parameters_in(at);
      at = token(at).partner + 1;
    }
    while (at <= range.last && !is(at, "{") && !is(at, ",") && !is(at, ")")) ++at;
    if (!is(at, "{") || token(at).partner < at) continue;
    l.body = {at + 1, token(at).partner - 1};
    const Statement& around = statements_[static_cast<std::size_t>(statement)];
    const int outer = around.function;
    if (is_function(l, i)) {
      functions_.push_back({around.value.first == i ? around.names[0] : "lambda", false, l.parameters, l.body, outer});
      find_statements(l.body.first, l.body.last, static_cast<int>(functions_.size()) - 1, -1, -1, -1);
    } else {
      lambdas_.push_back(l);
      find_statements(l.body.first, l.body.last, outer, static_cast<int>(lambdas_.size()) - 1, statement, -1);
    }
    i = l.body.last + 1;
  }
}

// `auto name = [...] ... { ... };`, or an argument of a function that is none of tl's.
bool SourceModel::is_function(const Lambda& l, int opens) const {
  const Statement& around = statements_[static_cast<std::size_t>(l.statement)];
  if (around.names.size() == 1 && around.value.first == opens && around.value.last == l.body.last + 1) return true;
  int call = opens - 1;
  while (call > around.tokens.first && !(is(call, "(") && token(call).partner > opens)) --call;
  const bool is_call = call > around.tokens.first && token(call - 1).kind == TokenKind::name && !is(call - 2, ".");
  return is_call && (is(opens - 1, "(") || is(opens - 1, ","));
}

// ---- look-up
// ---------------------------------------------------------------------------------------------------------------

int SourceModel::token_at(int line, int column) const {
  const auto after =
      std::upper_bound(tokens_.begin(), tokens_.end(), std::pair(line, column),
                       [](const auto& place, const Token& t) { return place < std::pair(t.line, t.column); });
  if (after == tokens_.begin()) return tokens_.empty() ? -1 : 0;
  const int before = static_cast<int>(after - tokens_.begin()) - 1;
  if (token(before).line == line || after == tokens_.end()) return before;
  return token(before + 1).line == line ? before + 1 : before;  // a place before the first token of its line
}

int SourceModel::statement_of(int token) const {
  int best = -1;
  for (int s = 0; s < static_cast<int>(statements_.size()); ++s) {
    const TokenRange& range = statements_[static_cast<std::size_t>(s)].tokens;
    if (!range.contains(token)) continue;
    if (best < 0 || statements_[static_cast<std::size_t>(best)].tokens.contains(range)) best = s;
  }
  return best;
}

namespace {

bool is_word_op(trace::Op op) {
  return std::string_view(trace::text_of(op)).starts_with("tl.") || op == trace::Op::cast;
}

}  // namespace

bool SourceModel::is_op(trace::Op op, int i) const {
  std::string_view name = trace::text_of(op);
  if (name.starts_with("tl.")) name.remove_prefix(3);
  if (is_word_op(op)) return is(i, name) && is(i + 1, "(");
  if (op == trace::Op::slice) return is(i, "(") && i >= 1 && token(i - 1).kind == TokenKind::name;
  return is(i, name) || (token(i).text.size() == 2 && token(i).text[0] == name[0] && token(i).text[1] == '=' &&
                         name.size() == 1 && name[0] != '<' && name[0] != '>' && name[0] != '!');
}

std::vector<int> SourceModel::op_tokens(trace::Op op, int statement) const {
  std::vector<int> result;
  if (statement < 0) return result;
  const TokenRange range = statements_[static_cast<std::size_t>(statement)].tokens;
  for (int i = range.first; i <= range.last; ++i)
    if (is_op(op, i) && statement_of(i) == statement) result.push_back(i);
  return result;
}

int SourceModel::op_token(trace::Op op, int line, int column) const {
  const int at = token_at(line, column);
  if (at < 0) return -1;
  const int statement = statement_of(at);
  const TokenRange range = statement < 0 ? TokenRange{at, at} : statements_[static_cast<std::size_t>(statement)].tokens;
  const bool is_word = is_word_op(op);
  const auto fits = [&](int i) { return is_op(op, i); };
  if (is(at, "(") && is_word) return at >= 1 && fits(at - 1) ? at - 1 : at;  // the place of a call's parenthesis
  // Backwards over one operand after the other: the place is an expression's last token.
  for (int i = at; i >= range.first; --i) {
    if (token(i).partner >= 0 && token(i).partner < i) i = token(i).partner;
    else if (token(i).partner > i || is(i, ",") || is(i, "=") || is(i, ";") || is(i, "return")) break;
    else if (i < at && fits(i)) return i;
  }
  // Forwards: the place is an expression's start.
  for (int i = at; i <= range.last; ++i) {
    if (fits(i)) return i;
    if (is(i, ";") || (token(i).partner >= 0 && token(i).partner < i)) break;
    if (!is_word && token(i).partner > i) i = token(i).partner;
  }
  return at;
}

std::vector<int> SourceModel::calls(int function) const {
  std::vector<int> result;
  const TokenRange within = functions_[static_cast<std::size_t>(function)].body;
  for (int i = within.first; i <= within.last; ++i) {
    if (token(i).kind != TokenKind::name || !is(i + 1, "(") || is(i - 1, ".")) continue;
    const int s = statement_of(i);
    if (s >= 0 && statements_[static_cast<std::size_t>(s)].function == function) result.push_back(i);
  }
  std::ranges::stable_sort(
      result, {}, [&](int call) { return token(call + 1).partner; });  // a call among another's arguments is done first
  return result;
}

std::vector<TokenRange> SourceModel::arguments(int token_index) const {
  std::vector<TokenRange> result;
  if (!is(token_index + 1, "(")) return result;
  for (const TokenRange& piece : split(token_index + 1))
    if (!(piece.first == piece.last && is(piece.first, "tl"))) result.push_back(piece);
  return result;
}

std::string SourceModel::text_of(const TokenRange& range) const {
  if (range.is_empty()) return "";
  const char* const begin = token(range.first).text.data();
  const std::string_view end = token(range.last).text;
  return std::string(begin, end.data() + end.size());
}

}  // namespace tl::debug
