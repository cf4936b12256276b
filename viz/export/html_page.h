// The page's own text: style and the script that walks its frames.
#pragma once

namespace tl::viz {

extern const char* const page_style;  // a format of fmt: paper, ink, soft, faint, accent
extern const char* const page_script;

}  // namespace tl::viz
