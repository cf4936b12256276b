#include "interp/case/words.h"

#include <fmt/format.h>

#include <cctype>

#include "interp/case/nesting.h"
#include "interp/lang/error.h"

namespace tl::cases {

void fail_at(const Word& word, std::size_t position, const std::string& fact, const std::string& fix) {
  throw Error(fmt::format("{}'{}', position {}: {}", word.place, word.text(), word.name.size() + 2 + position, fact),
              fix);
}

namespace {

// grid=cdiv(m, BM) * cdiv(n, BN), 4: what ends in an operator or a comma goes on behind the space.
bool goes_on(const Word& word, const std::string& text) {
  constexpr std::string_view joints = ",+-*/%";
  return !word.is_quoted && !word.value.empty() &&
         (joints.find(word.value.back()) != joints.npos || joints.find(text.front()) != joints.npos);
}

}  // namespace

std::vector<Word> words_of(std::string_view line, const std::string& place) {
  std::vector<Word> words;
  for (std::size_t at = 0; at < line.size();) {
    if (is_space(line[at])) {
      ++at;
      continue;
    }
    Nesting nesting;
    const std::size_t begin = at;
    while (at < line.size() && !(nesting.is_outside() && is_space(line[at]))) nesting.step(line[at++]);
    const std::string text(line.substr(begin, at - begin));
    if (!nesting.is_outside())
      throw Error(fmt::format("{}'{}', position {}: a bracket or a quote is not closed", place, text, text.size() + 1),
                  "every [, ( and ' needs its other half on the same line");
    const std::size_t equals = text.find('=');
    if (text.starts_with("--"))
      throw Error(fmt::format("{}'{}', position 1: options stand on the command line", place, text),
                  fmt::format("a word of a case is name=value: {}={}",
                              equals == std::string::npos ? text.substr(2) : text.substr(2, equals - 2),
                              equals == std::string::npos ? "..." : text.substr(equals + 1)));
    if (equals == std::string::npos && !words.empty() && goes_on(words.back(), text)) {
      words.back().value += text;
      continue;
    }
    if (equals == std::string::npos || equals == 0)
      throw Error(fmt::format("{}'{}', position 1: this is not name=value", place, text),
                  "words of a case are name=value with spaces between them, none around the =");
    Word word{text.substr(0, equals), text.substr(equals + 1), place};
    if (const char q = word.value.empty() ? 0 : word.value.front();
        word.value.size() > 1 && (q == '\'' || q == '"') && word.value.back() == q) {
      word.value = word.value.substr(1, word.value.size() - 2);
      word.is_quoted = q == '"';
    }
    words.push_back(std::move(word));
  }
  return words;
}

Word word_of(const std::string& text) {
  const std::size_t equals = text.find('=');
  if (equals == std::string::npos || equals == 0)
    throw Error(fmt::format("\"{}\" is not name=value", text), "x=f32[1000], n=1000, grid=4: no spaces around the =");
  return {text.substr(0, equals), text.substr(equals + 1)};
}

std::string quoted(const std::string& value) {
  if (value.find_first_of(" ;'") == value.npos) return value;
  return value.find('\'') == value.npos ? "'" + value + "'" : '"' + value + '"';
}

}  // namespace tl::cases
