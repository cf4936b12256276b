#include "interp/lang/free_memory.h"

#include <unistd.h>

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

double used_memory() {
  std::ifstream in("/proc/self/statm");
  double pages = 0;
  in >> pages >> pages;  // the second number
  return in ? pages * static_cast<double>(sysconf(_SC_PAGESIZE)) : 0;
}

}  // namespace tl
