#include "interp/text/model.h"

#include <algorithm>

#include "interp/text/model_reader.h"

namespace tl::text {

Model::Model(std::string file, std::string text, Reader read) : file_(std::move(file)), text_(std::move(text)) {
  std::string_view rest = text_;
  while (!rest.empty()) {
    const std::size_t end = std::min(rest.find('\n'), rest.size());
    lines_.push_back(rest.substr(0, end > 0 && rest[end - 1] == '\r' ? end - 1 : end));
    rest.remove_prefix(std::min(end + 1, rest.size()));
  }
  if (read) {
    all_ = read(text_);
  } else {
    all_.tokens = lex(text_);
    ModelReader(*this).run();
  }
}

std::string_view Model::line(int number) const {
  return number >= 1 && number <= lines() ? lines_[number - 1] : std::string_view();
}

int Model::token_at(int line, int column) const {
  const auto after =
      std::upper_bound(tokens().begin(), tokens().end(), std::pair(line, column),
                       [](const auto& place, const Token& t) { return place < std::pair(t.line, t.column); });
  if (after == tokens().begin()) return tokens().empty() ? -1 : 0;
  const int before = static_cast<int>(after - tokens().begin()) - 1;
  if (token(before).line == line || after == tokens().end()) return before;
  return token(before + 1).line == line ? before + 1 : before;  // a place before the first token of its line
}

int Model::statement_of(int token) const {
  int best = -1;
  for (int s = 0; s < static_cast<int>(statements().size()); ++s) {
    const TokenRange& range = statements()[s].tokens;
    if (!range.contains(token)) continue;
    if (best < 0 || statements()[best].tokens.contains(range)) best = s;
  }
  return best;
}

int Model::function_at(int line, int column) const {
  for (std::size_t f = 0; f < functions().size(); ++f) {
    const Token& begin = token(functions()[f].begin);
    if (begin.line == line && begin.column == column) return static_cast<int>(f);
  }
  return -1;
}

std::vector<int> Model::calls(const TokenRange& range) const {
  std::vector<int> result;
  for (int i = range.first; i <= range.last; ++i) {
    if (token(i).kind != TokenKind::name) continue;
    int open = i + 1;
    if (is(open, "<"))  // f<4>(x): template arguments are names, numbers and what joins them
      while (open <= std::min(range.last, i + 32) && !is(open, ">") && !is(open, ";") && !is(open, "(")) ++open;
    if (is(open, ">")) ++open;
    if (is(open, "(") && token(open).partner > open) result.push_back(i);
  }
  return result;
}

std::vector<TokenRange> Model::split(int open) const {
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

std::vector<TokenRange> Model::arguments(int name) const {
  std::vector<TokenRange> result;
  int open = name + 1;
  if (is(open, "<"))
    while (open < static_cast<int>(tokens().size()) && !is(open, "(") && !is(open, ";")) ++open;
  if (!is(open, "(")) return result;
  for (const TokenRange& piece : split(open))
    if (!(piece.first == piece.last && is(piece.first, "tl"))) result.push_back(piece);
  return result;
}

std::string Model::text_of(const TokenRange& range) const {
  if (range.is_empty()) return "";
  const char* const begin = token(range.first).text.data();
  const std::string_view end = token(range.last).text;
  return std::string(begin, end.data() + end.size());
}

namespace {

// The name that a definition gives: the last one before its parameters, value, bases or body.
std::string name_of(const std::vector<Token>& tokens, const TokenRange& range, bool is_struct) {
  std::string_view name;
  int angles = 0;
  for (int i = range.first; i <= range.last; ++i) {
    const Token& t = tokens[i];
    if (t.is("<")) ++angles;
    else if (t.is(">") || t.is(">>")) angles = std::max(0, angles - static_cast<int>(t.text.size()));
    else if (angles == 0 && !name.empty()) {
      const bool is_group = name == "requires" || name == "decltype" || name == "alignas" || name == "noexcept";
      if ((t.is("(") && !is_group) || t.is("=") || t.is("{") || t.is(";") || (t.is(":") && is_struct))
        return std::string(name);
    }
    if (t.partner > i) i = t.partner;  // an attribute, a group
    else if (angles == 0 && t.kind == TokenKind::name && !t.is("final")) name = t.text;
  }
  return "";
}

}  // namespace

std::vector<Definition> definitions_of(const std::vector<Token>& tokens) {
  std::vector<Definition> all;
  Definition now;
  const auto begin_at = [&](int i) { now = {"", false, {i, i - 1}}; };
  begin_at(0);
  bool is_namespace = false;
  for (int i = 0; i < static_cast<int>(tokens.size()); ++i) {
    const Token& t = tokens[i];
    is_namespace |= t.is("namespace") || (t.is("extern") && i + 1 < static_cast<int>(tokens.size()) &&
                                          tokens[static_cast<std::size_t>(i) + 1].kind == TokenKind::literal);
    const auto follows = [&](const char* sign) { return i > now.tokens.first && tokens[i - 1].is(sign); };
    if (!follows("<") && !follows(",") && !follows("enum"))  // no parameter of a template
      now.is_struct |= t.is("struct") || t.is("class");
    if (t.is("{") && is_namespace) {  // entered: its closing brace comes alone
      is_namespace = false;
      begin_at(i + 1);
      continue;
    }
    if (t.partner > i) i = t.partner;
    now.tokens.last = i;
    const Token& last = tokens[i];
    if (!last.is("}") && !last.is(";") && i + 1 < static_cast<int>(tokens.size())) continue;
    now.name = name_of(tokens, now.tokens, now.is_struct);
    if (now.tokens.first < now.tokens.last) all.push_back(now);
    is_namespace = false;
    begin_at(i + 1);
  }
  return all;
}

}  // namespace tl::text
