// The words of a case, name=value, as a file's head and the command line have them; README.md tells the grammar.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "interp/lang/dtype.h"

namespace tl::cases {

struct Word {
  std::string name, value;
  std::string place = {};  // relu.h:3: where it stands in a file; "": on the command line
  bool is_quoted = false;  // "leaky_relu": in double quotes
  std::string text() const { return name + "=" + value; }
};

// Throws Error: the word's place, the position of the mistake in name=value, the fact and the fix.
// `position`: of the value, from 0.
[[noreturn]] void fail_at(const Word& word, std::size_t position, const std::string& fact, const std::string& fix);

// The words of a line: name=value, spaces between them; within brackets and quotes a space ends no word.
std::vector<Word> words_of(std::string_view line, const std::string& place);
Word word_of(const std::string& text);  // one word, as a shell hands it over

std::string quoted(const std::string& value);  // as such a line has it, in quotes where it must be

// The value of a tensor's word: [in:|out:|inout:][dtype][[dims]][:strides[...]][:tile[...]][:fill|@file]
struct TensorWord {
  enum class Role : unsigned char { unsaid, in, out, inout };
  Role role = Role::unsaid;
  std::optional<DType> dtype;
  std::optional<std::vector<std::string>> dims, strides, tile;  // expressions
  std::string fill;                                             // ones; "": unsaid
  std::vector<std::string> fill_arguments = {};
  std::string file;  // @x.npy

  std::string text() const;
  bool is_output() const { return role == Role::out || role == Role::inout; }
};
bool is_tensor(const std::string& value);                     // rather than a number
bool is_text(const std::string& value);                       // "leaky_relu", a constant
std::optional<DType> dtype_constant(std::string_view value);  // tl.float32, float32, f32
TensorWord tensor_of(const Word& word);
// `changed`, with the parts that it leaves out taken from `before`.
TensorWord merged(TensorWord changed, const TensorWord& before);

// Expressions separated by commas, in ( ) or not: a grid.
std::vector<std::string> list_of(const Word& word);

}  // namespace tl::cases
