// Files that the program writes: whole or not at all. What cannot be written is a failed run, told with the system's
// reason.
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
// The file is there when it is whole and on the disk, in place of an older one, with its mode; until then, and where
// `write` throws, all is as it was. A link stays and what it leads to is replaced; a device or a pipe, /dev/stdout too,
// is written itself. Throws OutputError where it cannot be written.
// `mode`: of a new file, before umask.
void write_file(const std::string& path, const std::function<void(std::ostream&)>& write, unsigned mode = 0666);
void write_file(const std::string& path, std::string_view bytes, unsigned mode = 0666);

}  // namespace tl
