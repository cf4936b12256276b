// Right as well: by hand.
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
    auto per_group = group_size * n;
    auto first = pid / per_group * group_size;
    auto rows = tl.minimum(m - first, group_size);
    i = first + pid % per_group % rows;
    j = pid % per_group / rows;

    auto ls = tl.arange(0, BK);
    auto mask = ls < k;
    auto row = tl.load(a_ptr + i * k + ls, {.mask = mask, .other = 0});
    auto column = tl.load(b_ptr + ls * n + j, {.mask = mask, .other = 0});
    tl.store(c_ptr + i * n + j, tl.sum(row * column, 0));
  }
};

}  // namespace tl::kernels
