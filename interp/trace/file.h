// Traces on disk: `.tltrace`. A magic, a version, then chunks of tag, length, payload and checksum:
// FILE (what sites name), OPSN (the ops, as steps number them), SRCT (a kernel's text), LNCH, PROG (one each), NOTE,
// WRNG (the wrong elements, where they are known), and ENDT with the number of programs.
#pragma once

#include <functional>
#include <iosfwd>
#include <span>
#include <string>

#include "interp/trace/recorded.h"

namespace tl::trace {

inline constexpr std::uint32_t file_version = 5;  // 2: tensors of which only some pages are kept; 3: the ops by name;
                                                  // 4: names and scopes; 5: which elements are wrong

// A chunk at a time. Throws Error when the stream fails.
void write(const RecordedTrace& trace, std::ostream& out,
           const std::function<void(std::size_t programs_done)>& progress = {});
// Writes a file beside it and renames it when it is whole, so that only a good trace replaces an older one.
void save(const RecordedTrace& trace, const std::string& path,
          const std::function<void(std::size_t programs_done)>& progress = {});

// Checks everything: throws Error that says what is foreign, cut short, newer or damaged, and where.
RecordedTrace read(std::span<const std::byte> bytes);
RecordedTrace load(const std::string& path);
// Does the file begin as a trace does?
bool looks_like_trace(const std::string& path);

}  // namespace tl::trace
