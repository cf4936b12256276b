// Checks beside each other, one a core: most of a check is a compiler's time.
#pragma once

#include <algorithm>
#include <atomic>
#include <thread>
#include <vector>

// what(i) for i < count; T is not bool.
template <class T, class What>
std::vector<T> side_by_side(std::size_t count, What what) {
  std::vector<T> results(count);
  std::atomic<std::size_t> next = 0;
  std::vector<std::jthread> workers;
  for (unsigned w = 0; w < std::clamp(std::thread::hardware_concurrency(), 1u, 8u); ++w)
    workers.emplace_back([&] {
      for (std::size_t i; (i = next++) < count;) results[i] = what(i);
    });
  workers.clear();
  return results;
}
