#include "interp/debug/source_model.h"

#include "interp/lang/file_name.h"
#include "interp/triton/text_model.h"

namespace tl::debug {

namespace {

bool is_word_op(trace::Op op) {
  return std::string_view(trace::text_of(op)).starts_with("tl.") || op == trace::Op::cast;
}

}  // namespace

SourceModel::SourceModel(const std::string& file, std::string text)
    : Model(file, std::move(text), is_python(file) ? triton::contents_of : nullptr) {}

bool SourceModel::is_op(trace::Op op, int i) const {
  if (names_ops()) return i >= 0;
  std::string_view name = trace::text_of(op);
  if (name.starts_with("tl.")) name.remove_prefix(3);
  if (is_word_op(op)) return is(i, name) && is(i + 1, "(");
  if (op == trace::Op::slice) return is(i, "(") && i >= 1 && token(i - 1).kind == TokenKind::name;
  return is(i, name) || (token(i).text.size() == 2 && token(i).text[0] == name[0] && token(i).text[1] == '=' &&
                         name.size() == 1 && name[0] != '<' && name[0] != '>' && name[0] != '!');
}

// g++ gives them so in a generic lambda's statement, and evaluates arguments from the last to the first.
int SourceModel::nth_token(trace::Op op, int statement, std::size_t n) const {
  if (statement < 0) return -1;
  std::vector<int> ops;  // without those of its lambdas
  const TokenRange range = statements()[statement].tokens;
  for (int i = range.last; i >= range.first; --i)
    if (is_op(op, i) && statement_of(i) == statement) ops.push_back(i);
  return ops.empty() ? -1 : ops[n % ops.size()];
}

int SourceModel::first_statement_line(int from) const {
  int found = 0;
  for (const Statement& s : statements())
    if (const int line = line_of(s); line >= from && (found == 0 || line < found)) found = line;
  return found;
}

int SourceModel::op_token(trace::Op op, int line, int column) const {
  const int at = token_at(line, column);
  if (at < 0 || names_ops()) return at;
  const int statement = statement_of(at);
  const TokenRange range = statement < 0 ? TokenRange{at, at} : statements()[statement].tokens;
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

}  // namespace tl::debug
