// Files that the program writes. What cannot be written is a failed run, told with the system's reason.
#pragma once

#include <functional>
#include <iosfwd>
#include <string>
#include <string_view>

#include "interp/lang/error.h"

namespace tl {

// Exit code 1: whoever typed the command did nothing wrong when the disk is full.
class OutputError : public Error {
 public:
  using Error::Error;
};

// "NAME cannot be written: No space left on device", and what helps; `error` is an errno.
OutputError not_written(const std::string& name, int error);

// Throws OutputError when `path` cannot be written: asked before minutes go into what would be lost.
void require_writable(const std::string& path);
// The file is there when it is whole, in place of an older one; until then, and where `write` throws, it is as it was.
// Throws OutputError likewise.
void write_file(const std::string& path, const std::function<void(std::ostream&)>& write);
void write_file(const std::string& path, std::string_view bytes);
// Leaves nothing of a file that is being written: for a signal handler that ends the program.
void drop_unfinished_file();

}  // namespace tl
