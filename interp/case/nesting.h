// Brackets and quotes, watched character by character.
#pragma once

#include <cctype>

#include <string>

namespace tl::cases {

inline bool is_space(char c) { return std::isspace(static_cast<unsigned char>(c)) != 0; }

class Nesting {
 public:
  bool is_outside() const { return open_.empty() && !quote_; }
  void step(char c) {
    if (quote_) quote_ = c == quote_ ? 0 : quote_;
    else if (c == '\'' || c == '"') quote_ = c;
    else if (c == '(' || c == '[') open_ += c;
    else if ((c == ')' || c == ']') && !open_.empty()) open_.pop_back();
  }

 private:
  std::string open_;
  char quote_ = 0;
};

}  // namespace tl::cases
