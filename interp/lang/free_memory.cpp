#include "interp/lang/free_memory.h"

#include <sys/mman.h>
#include <unistd.h>

#include <cstdint>
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

void use_large_pages(void* at, std::size_t bytes) {
  constexpr std::size_t page = 2 << 20;
  const std::size_t skip = (page - reinterpret_cast<std::uintptr_t>(at) % page) % page;
  if (bytes >= skip + page) madvise(static_cast<std::byte*>(at) + skip, (bytes - skip) / page * page, MADV_HUGEPAGE);
}

}  // namespace tl
