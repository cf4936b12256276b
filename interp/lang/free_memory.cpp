#include "interp/lang/free_memory.h"

#include <fstream>
#include <string>

namespace tl {

std::optional<double> free_memory() {
  std::ifstream in("/proc/meminfo");
  double kilobytes = 0;
  for (std::string word; in >> word;)
    if (word == "MemAvailable:" && in >> kilobytes) return kilobytes * 1024;
  return std::nullopt;
}

}  // namespace tl
