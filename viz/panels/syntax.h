// The colours of a kernel's text, wherever it stands: in the source, beside it, in an editor.
#pragma once

#include "interp/text/lexer.h"
#include "viz/model/theme.h"

namespace tl::viz {

Colour colour_of(const text::Token& token);

}  // namespace tl::viz
