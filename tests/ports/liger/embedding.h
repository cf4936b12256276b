// Rows of a table by index, and their gradients added up where an index comes twice.
// After src/liger_kernel/ops/experimental/embedding.py of linkedin/Liger-Kernel at 246e51a3aa72.
#pragma once
#include "interp/tl.h"

namespace tl::ports {

// case embedding_forward_kernel: n=45 rows=20 dim=70 table=bf16[rows,dim] indices=i64[n]:each(7*i%rows)
// case embedding_forward_kernel: y=out:bf16[n,dim] n_elements=n DIM=dim BM=16 BN=64 grid=(cdiv(n,BM),cdiv(dim,BN))
// case embedding_forward_kernel: expect=embedding_forward_loop
struct embedding_forward_kernel {
  void operator()(auto& tl, ptr auto table_ptr, ptr auto indices_ptr, ptr auto y_ptr, int_ auto n_elements,
                  constexpr_ auto DIM, constexpr_ auto BM, constexpr_ auto BN) const {
    auto m = tl.program_id(0) * BM + tl.arange(0, BM);
    auto n = tl.program_id(1) * BN + tl.arange(0, BN);
    auto mask = (m < n_elements)(_, None) & (n < DIM)(None, _);
    auto indices = tl.load(indices_ptr + m, {.mask = m < n_elements, .other = 0, .eviction_policy = "evict_first"});
    auto rows = tl.load(table_ptr + indices(_, None) * DIM + n(None, _),
                        {.mask = mask, .other = 0, .eviction_policy = "evict_last"});
    tl.store(y_ptr + m(_, None) * DIM + n(None, _), rows, {.mask = mask, .eviction_policy = "evict_first"});
  }
};

void embedding_forward_loop(auto& args) {
  auto table = args["table"], indices = args["indices"], y = args["y"];
  for (int i = 0; i < y.size(0); ++i)
    for (int j = 0; j < y.size(1); ++j) y(i, j) = table(indices(i), j);
}

// case embedding_backward_kernel: n=45 rows=20 dim=70 dy=f16[n,dim] dtable=inout:f32[rows,dim]:zeros
// case embedding_backward_kernel: indices=i64[n]:each(i*i%rows) n_elements=n DIM=dim BM=16 BN=64
// case embedding_backward_kernel: grid=(cdiv(n,BM),cdiv(dim,BN)) expect=embedding_backward_loop
struct embedding_backward_kernel {
  void operator()(auto& tl, ptr auto dy_ptr, ptr auto dtable_ptr, ptr auto indices_ptr, int_ auto n_elements,
                  constexpr_ auto DIM, constexpr_ auto BM, constexpr_ auto BN) const {
    auto m = tl.program_id(0) * BM + tl.arange(0, BM);
    auto n = tl.program_id(1) * BN + tl.arange(0, BN);
    auto mask = (m < n_elements)(_, None) & (n < DIM)(None, _);
    auto indices = tl.load(indices_ptr + m, {.mask = m < n_elements, .other = 0});
    auto dy = tl.load(dy_ptr + m(_, None) * DIM + n(None, _), {.mask = mask, .other = 0});
    tl.atomic_add(dtable_ptr + indices(_, None) * DIM + n(None, _), dy.to(dtable_ptr.dtype), {.mask = mask});
  }
};

void embedding_backward_loop(auto& args) {
  auto dy = args["dy"], dtable = args["dtable"], indices = args["indices"];
  for (int i = 0; i < dy.size(0); ++i)
    for (int j = 0; j < dy.size(1); ++j) dtable(indices(i), j) += dy(i, j);
}

}  // namespace tl::ports
