// A Python file's text, its places, and errors that point into it.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "interp/lang/error.h"

namespace tl::triton {

// From 1; columns count bytes. A span's end is the first column behind it.
struct Position {
  int line = 0, column = 0;
  friend auto operator<=>(const Position&, const Position&) = default;
};
struct Span {
  Position begin, end;
};

struct Source {
  std::string file;  // as messages name it
  std::string text;  // without a byte order mark
};
Source make_source(std::string file, std::string text);

// How many bytes the UTF-8 character that `text` begins with has; 0: it begins with none.
std::size_t character_length(std::string_view text);

// A line without its end; "" outside.
std::string_view line_of(const Source&, int line);

// softmax.py:3:8: '(' is never closed, the line and a caret, and the fix.
CompileError error_at(const Source&, Position, const std::string& fact, const std::string& fix);

}  // namespace tl::triton
