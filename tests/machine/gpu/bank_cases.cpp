// Prints the requests of every bank case for bank_kernels.cu: "store|read BYTES REQUESTS", then each request's 32
// addresses (-1: no lane).
#include "tests/machine/gpu/bank_cases.h"

#include <cstdio>

int main() {
  using namespace tl::machine;
  for (const BankCase& c : bank_cases()) {
    const auto requests = requests_of(c.tile, c.direction);
    std::printf("%s %d %zu\n", c.direction == Direction::along_rows ? "store" : "read", requests.front().bytes,
                requests.size());
    for (const Request& r : requests) {
      for (std::size_t lane = 0; lane < 32; ++lane)
        std::printf("%lld ", r.active >> lane & 1 ? static_cast<long long>(r.address[lane]) : -1LL);
      std::printf("\n");
    }
  }
}
