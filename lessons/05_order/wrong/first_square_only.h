// Says: C is right, but programs 27 to 35 load 90 different elements of A and 
#pragma once
#include "interp/tl.h"

namespace tl::kernels {

struct order_kernel {
  void operator()(auto& tl, ptr auto a_ptr, ptr auto b_ptr, ptr auto c_ptr, int_ auto m, int_ auto n, int_ auto k,
                  constexpr_ auto group_size, constexpr_ auto BK) const {
    auto pid = tl.program_id(0);
    auto i = pid / n;  // row by row: program 0 makes c[0, 0], program 1 c[0, 1] ...
    auto j = pid % n;
    // Yours: send program pid to another (i, j), so that programs that run together need fewer rows of A and columns of
    // B.
    if (pid < group_size * group_size && m >= group_size && n >= group_size) {
      i = pid % group_size;
      j = pid / group_size;
    } else if (m >= group_size && n >= group_size) {
      auto rest = pid - group_size * group_size;
      if (rest < group_size * (n - group_size)) {
        i = rest / (n - group_size);
        j = group_size + rest % (n - group_size);
      }
    } else {
      auto [a, b] = tl.swizzle2d(i, j, m, n, group_size);
      i = a;
      j = b;
    }

    auto ls = tl.arange(0, BK);
    auto mask = ls < k;
    auto row = tl.load(a_ptr + i * k + ls, {.mask = mask, .other = 0});
    auto column = tl.load(b_ptr + ls * n + j, {.mask = mask, .other = 0});
    tl.store(c_ptr + i * n + j, tl.sum(row * column, 0));
  }
};

}  // namespace tl::kernels
