// The run-time layouts and access widths against the device's own types, instantiated here.
#include "tests/machine/device_on_host.h"
// what it declares comes before the device's headers
#include "interp/cuda/device/memory/memory.h"

#undef volatile
#include <doctest/doctest.h>

#include "interp/machine/access/cuda_access.h"

using namespace tl;
namespace model = tl::machine;

namespace {

model::Bases bases_of(const BasisList& list) {
  model::Bases b;
  for (int i = 0; i < list.count; ++i) b.add(list.at[i]);
  return b;
}
template <class L>
model::ThreadLayout layout_of() {
  return {bases_of(L::registers::list), bases_of(L::lanes::list), bases_of(L::warps::list)};
}
template <class S>
model::Sizes sizes_of() {
  model::Sizes s;
  for (int i = 0; i < S::rank; ++i) s.push_back(S::at(i));
  return s;
}
template <class Cfg>
model::CudaConfig config_of() {
  const auto matrix = Cfg::matrix == cuda::Matrix::none       ? model::Matrix::none
                      : Cfg::matrix == cuda::Matrix::mma_sync ? model::Matrix::mma_sync
                                                              : model::Matrix::wgmma;
  return {Cfg::num_warps, Cfg::num_stages, Cfg::vector, matrix, false};
}
template <int Warps, int Vector>
struct OnWgmma : cuda::Config<Warps, 3, Vector, true> {
  static constexpr cuda::Matrix matrix = cuda::Matrix::wgmma;
};

template <class S, int Warps>
void check_shape() {
  const model::Sizes s = sizes_of<S>();
  CHECK(model::blocked(s, model::row_major(S::rank), 8, Warps) ==
        layout_of<Blocked<S, cuda::row_major<S::rank>, 8, Warps>>());
  CHECK(model::blocked(s, model::first_order(S::rank, 0), 4, Warps) ==
        layout_of<Blocked<S, typename cuda::FirstOrder<S::rank, 0>::type, 4, Warps>>());
  CHECK(model::blocked(s, model::row_major(S::rank), 1, Warps) ==
        layout_of<Blocked<S, cuda::row_major<S::rank>, 1, Warps>>());
  CHECK(model::default_layout(config_of<cuda::Config<Warps, 3, 4, true>>(), s) ==
        layout_of<cuda::default_layout<cuda::Config<Warps, 3, 4, true>, S>>());
  if constexpr (Warps % 4 == 0)
    CHECK(model::default_layout(config_of<OnWgmma<Warps, 8>>(), s) ==
          layout_of<cuda::default_layout<OnWgmma<Warps, 8>, S>>());
  if constexpr (S::rank == 2) {
    using L = Blocked<S, cuda::row_major<2>, 4, Warps>;
    CHECK(model::sliced(layout_of<L>(), s, 0) == layout_of<Slice<L, S, 0>>());
    CHECK(model::sliced(layout_of<L>(), s, 1) == layout_of<Slice<L, S, 1>>());
    CHECK(model::projected(layout_of<L>(), s, {S::at(0), 1}) == layout_of<Projected<L, S, Shape<S::at(0), 1>>>());
  }
}
template <class S>
void check_warps() {
  check_shape<S, 1>();
  check_shape<S, 4>();
  check_shape<S, 8>();
}

model::Coefficient coefficient_of(int c) {
  return is_run_time(c) ? model::Coefficient{true, c - run_time} : model::Coefficient{false, c};
}

template <class Cfg, class T, class S, int... C>
void check_access_of(int divisibility_tag, Coefficients<C...>) {
  const auto check = [&]<int D>(constant<D>) {
    using A = detail::Access<PtrBlock<Cfg, T, int, S, Coefficients<C...>, D>>;
    model::CudaType p = model::pointer_type(dtype_of<T>, D);
    p.form = model::CudaType::Form::pointer_block;
    p.shape = sizes_of<S>();
    p.coefficients = {coefficient_of(C)...};
    CHECK(model::access_elements(p, config_of<Cfg>()) == A::elements);
    CHECK(model::access_layout(p, config_of<Cfg>()) == layout_of<typename A::layout>());
  };
  (void)divisibility_tag;
  check(constant<1>{});
  check(constant<4>{});
  check(constant<16>{});
}
template <class Cfg, class T>
void check_accesses() {
  check_access_of<Cfg, T, Shape<1024>>(0, Coefficients<1>{});
  check_access_of<Cfg, T, Shape<32>>(0, Coefficients<1>{});
  check_access_of<Cfg, T, Shape<256>>(0, Coefficients<2>{});
  check_access_of<Cfg, T, Shape<64, 32>>(0, Coefficients<run_time + 16, 1>{});
  check_access_of<Cfg, T, Shape<64, 32>>(0, Coefficients<run_time + 1, 1>{});
  check_access_of<Cfg, T, Shape<64, 32>>(0, Coefficients<1, run_time + 16>{});
  check_access_of<Cfg, T, Shape<64, 32>>(0, Coefficients<1, 24>{});
  check_access_of<Cfg, T, Shape<16, 1>>(0, Coefficients<1, 0>{});
  check_access_of<Cfg, T, Shape<128, 4>>(0, Coefficients<0, run_time + 16>{});
}

}  // namespace

TEST_CASE("layouts: blocked, accumulators and their slices are the device's, type for type") {
  check_warps<Shape<32>>();
  check_warps<Shape<1024>>();
  check_warps<Shape<8>>();
  check_warps<Shape<64, 64>>();
  check_warps<Shape<128, 32>>();
  check_warps<Shape<16, 256>>();
  check_warps<Shape<128, 256>>();
  check_warps<Shape<16, 16>>();
}

TEST_CASE("accesses: width and layout follow from stride 1 and divisibility as in the device's types") {
  check_accesses<cuda::Config<4, 3, 4>, float>();
  check_accesses<cuda::Config<8, 3, 8>, Float16>();
  check_accesses<cuda::Config<4, 3, 16>, unsigned char>();
  check_accesses<cuda::Config<4, 3, 8, true>, Float16>();
  check_accesses<cuda::Config<2, 3, 2>, double>();
}
