// Files that commands write.
#pragma once

#include <string>

namespace tl::cli {

// Throws Error when `path` cannot be written: asked before minutes go into what would be lost.
void require_writable(const std::string& path);
// Throws Error likewise.
void write_file(const std::string& path, const std::string& text);

}  // namespace tl::cli
