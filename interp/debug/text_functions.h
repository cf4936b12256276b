// Functions of expressions that are written as expressions of others.
#pragma once

#include <string_view>
#include <vector>

#include "interp/cpu/call.h"
#include "interp/debug/syntax.h"

namespace tl::debug {

struct TextFunction {
  cpu::Function signature;      // its parameters
  std::vector<Node> fallbacks;  // of its last parameters
  Node body;
};

bool is_text_function(std::string_view name);
std::vector<std::string> text_function_names();
// The one that takes so many values, of which `by_place` without a name; throws Error where none does.
const TextFunction& text_function(std::string_view name, std::size_t values, std::size_t by_place);

}  // namespace tl::debug
