// Files that the program writes: whole or not at all. A file that cannot be written is a failed run; the message has
// the system's reason.
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

// Throws OutputError when `path` cannot be written. Call it before minutes of work go into the file.
void require_writable(const std::string& path);
// The new file replaces an older one, and keeps its mode, once it is whole and on the disk; until then, and if `write`
// throws, nothing changes. A link stays and its target is replaced; a device or a pipe, /dev/stdout too, is written
// itself. Throws OutputError where that fails.
// `mode`: of a new file, before umask.
void write_file(const std::string& path, const std::function<void(std::ostream&)>& write, unsigned mode = 0666);
void write_file(const std::string& path, std::string_view bytes, unsigned mode = 0666);

}  // namespace tl
