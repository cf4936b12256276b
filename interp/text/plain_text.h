// A kernel's text as it is read here, whatever editor wrote it.
#pragma once

#include <string>
#include <string_view>

namespace tl::text {

// Without a byte order mark; each line ends with \n, where it ended with \r\n or \r.
inline std::string plain_text(std::string_view from) {
  if (from.starts_with("\xef\xbb\xbf")) from.remove_prefix(3);
  std::string to;
  to.reserve(from.size());
  for (std::size_t i = 0; i < from.size(); ++i)
    if (from[i] != '\r') to += from[i];
    else if (i + 1 == from.size() || from[i + 1] != '\n') to += '\n';
  return to;
}

}  // namespace tl::text
