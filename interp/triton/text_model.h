// Where a Python file's functions and statements stand, as debuggers and pictures ask for them.
#pragma once

#include "interp/text/model.h"

namespace tl::triton {

// All functions; the statements of those that a kernel's run may enter. The tokens point into `text`. No tokens where
// the lexer refuses the text, no functions where the parser does.
text::Contents contents_of(std::string_view text);

}  // namespace tl::triton
