// The settings of a case: words by name, and the values of their expressions.
#pragma once

#include <map>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "interp/case/words.h"
#include "interp/debug/array.h"

namespace tl::cases {

class Scope {
 public:
  // `words`: those that may stand in expressions: numbers, and expressions of others among them.
  explicit Scope(std::map<std::string, Word> words) : words_(std::move(words)) {}

  // The value of an expression in a word. Throws Error that names the word, the position, what is wrong.
  std::int64_t integer(const Word& word, const std::string& expression) const;
  double real(const Word& word, const std::string& expression) const;
  std::vector<std::int64_t> integers(const Word& word, const std::vector<std::string>& expressions) const;
  std::optional<debug::Array> number(const std::string& name) const;  // nothing: no such name
  std::optional<std::string> text(const std::string& name) const;     // of "relu"; nothing: no such text
  bool is_whole(const Word& word) const;                              // rather than a float
  bool is_bool(const Word& word) const;

 private:
  debug::Array value(const Word& word, const std::string& expression) const;

  std::map<std::string, Word> words_;
  mutable std::set<std::string> open_;  // under way: a name that needs itself goes round in circles
};

// 1024 of 2^10; any other text as it is.
std::string without_power(const std::string& text);

}  // namespace tl::cases
