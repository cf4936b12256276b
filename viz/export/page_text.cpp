#include "viz/export/page_text.h"

#include <algorithm>
#include <span>

#include "interp/sources/sources.h"

namespace tl::viz {

extern const std::span<const sources::SourceFile> embedded_pages;  // of the generated file

std::string_view page_text(const std::string& name) {
  return std::ranges::find(embedded_pages, "viz/export/" + name, &sources::SourceFile::path)->text;
}

}  // namespace tl::viz
