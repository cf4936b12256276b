// The machine model's view of a value is the type that CUDA's compiler makes of it.
#include <doctest/doctest.h>

#include <algorithm>
#include <fstream>
#include <set>
#include <sstream>

#include "interp/cuda/host/compile.h"
#include "interp/cuda/host/expression.h"
#include "interp/machine/access/cuda_access.h"
#include "tests/cuda/environment.h"
#include "tests/cuda/gpu.h"
#include "tests/machine/expressions.h"

using namespace tl;
using namespace tl::testing;
using machine::CudaType;
using rules::Form;

namespace {

// How a type of the device describes itself: the numbers that it is made of.
const char* const describing = R"(#pragma once
#include "interp/tl.h"
namespace tl::kernels {
template <int... N>
struct D {};
template <class A, class B>
struct Joined;
template <int... A, int... B>
struct Joined<D<A...>, D<B...>> {
  using type = D<A..., -1, B...>;
};
template <class L>
struct OfLayout;
template <int... R, int... L, int... W>
struct OfLayout<Layout<Bases<R...>, Bases<L...>, Bases<W...>>> {
  using type = D<R..., -1, L..., -1, W...>;
};
template <class T>
struct Described;
template <class T, int N>
struct Described<Scalar<T, N>> {
  using type = D<0, int(dtype_of<T>), Scalar<T, N>::divisibility, N == is_one>;
};
template <class Cfg, class I, int... N, int... C, int V>
struct Described<Index<Cfg, I, Shape<N...>, Coefficients<C...>, V>> {
  using type = D<1, int(dtype_of<I>), V, N..., C...>;
};
template <class V, class At>
struct OfAxes;
template <class V, int... At>
struct OfAxes<V, Indices<At...>> {
  using type = D<V::axes.at[At].contiguity..., -1, V::axes.at[At].divisibility..., -1, V::axes.at[At].constancy...>;
};
template <class Cfg, class I, int... N, class F>
struct Described<Formula<Cfg, I, Shape<N...>, F>> {
  using type = typename Joined<D<2, int(dtype_of<I>), N...>,
                               typename OfAxes<F, make_indices<sizeof...(N)>>::type>::type;
};
template <class Cfg, int... N>
struct Described<Box<Cfg, Shape<N...>>> {
  using type = D<3, N...>;
};
template <class Cfg, int... N, class F>
struct Described<Condition<Cfg, Shape<N...>, F>> {
  using type = D<4, N...>;
};
template <class T, int... N, class L>
struct Described<Block<T, Shape<N...>, L>> {
  using type = typename Joined<D<5, int(dtype_of<T>), N...>, typename OfLayout<L>::type>::type;
};
template <class T, int V>
struct Described<Ptr<T, V>> {
  using type = D<7, int(dtype_of<T>), V>;
};
template <class Cfg, class T, class I, int... N, int... C, int V>
struct Described<PtrBlock<Cfg, T, I, Shape<N...>, Coefficients<C...>, V>> {
  using A = detail::Access<PtrBlock<Cfg, T, I, Shape<N...>, Coefficients<C...>, V>>;
  using type = typename Joined<D<8, int(dtype_of<T>), V, int(dtype_of<I>), N..., C..., A::elements>,
                               typename OfLayout<typename A::layout>::type>::type;
};
template <class T, class Cfg, class I, int... N, class F, int V>
struct Described<FormulaPointers<T, Formula<Cfg, I, Shape<N...>, F>, V>> {
  using A = detail::Access<FormulaPointers<T, Formula<Cfg, I, Shape<N...>, F>, V>>;
  using type = typename Joined<
      typename Joined<D<9, int(dtype_of<T>), V, int(dtype_of<I>), N..., A::elements>,
                      typename OfAxes<F, make_indices<sizeof...(N)>>::type>::type,
      typename OfLayout<typename A::layout>::type>::type;
};
template <class T, int... N, class L>
struct Described<GatherBlock<T, Shape<N...>, L>> {
  using type = typename Joined<D<10, int(dtype_of<T>), N...>, typename OfLayout<L>::type>::type;
};
)";

void append(std::string& text, const machine::ThreadLayout& l) {
  for (const auto* bases : {&l.registers, &l.lanes, &l.warps}) {
    text += ", -1";
    for (int i = 0; i < bases->count; ++i) text += fmt::format(", {}", bases->at[i]);
  }
}

std::string description_of(const CudaType& t, const machine::CudaConfig& config) {
  std::string text = fmt::format("D<{}", static_cast<int>(t.form));
  const auto add = [&](int n) { text += fmt::format(", {}", n); };
  const auto add_axes = [&](bool coefficients) {
    for (const int size : t.shape()) add(size);
    for (int i = 0; coefficients && i < t.shape().rank; ++i) add(t.index.coefficient[i]);
  };
  const auto add_known = [&] {
    for (const auto fact :
         {&rules::AxisFacts::contiguity, &rules::AxisFacts::divisibility, &rules::AxisFacts::constancy}) {
      add(-1);
      for (int i = 0; i < t.shape().rank; ++i) add(t.axes.at[i].*fact);
    }
  };
  if (!rules::is_mask(t.form)) add(static_cast<int>(t.dtype));
  switch (t.form) {
    case Form::scalar: {
      add(t.divisibility());
      add(t.is_unit());
    } break;
    case Form::index: {
      add(t.divisibility());
      add_axes(true);
    } break;
    case Form::pointer: add(t.divisibility()); break;
    case Form::pointer_block: {
      const rules::Access access = machine::access_of(t, config);
      add(t.divisibility());
      add(static_cast<int>(t.offset));
      add_axes(true);
      add(access.elements);
      append(text, access.layout);
      break;
    }
    case Form::formula: {
      add_axes(false);
      add_known();
    } break;
    case Form::formula_pointers: {
      const rules::Access access = machine::access_of(t, config);
      add(t.divisibility());
      add(static_cast<int>(t.offset));
      add_axes(false);
      add(access.elements);
      add_known();
      append(text, access.layout);
      break;
    }
    case Form::block:
    case Form::gather: {
      add_axes(false);
      append(text, t.layout);
    } break;
    default: add_axes(false);
  }
  return text + ">";
}

// As one function, whose types alone are made: it is never called.
std::string function_of(int number, const Written& written, const machine::CudaConfig& config) {
  std::string text =
      fmt::format("auto case_{}(auto& tl, auto x, auto h, auto n16, auto n7, auto n1, auto wide) {{\n", number) +
      written.text;
  for (const auto& [i, type] : written.types)
    text +=
        fmt::format("    typename Described<decltype(v{0})>::type t{0} = {1}{{}};\n", i, description_of(type, config));
  return text + "    return 0;\n}\n";
}

std::string kernel_of(const std::vector<std::string>& functions, bool uses_dot) {
  std::string text = describing;
  for (const std::string& f : functions) text += f;
  text +=
      "struct rules_kernel {\n  void operator()(auto& tl, auto x, auto h, auto n16, auto n7, auto n1, auto wide) "
      "const {\n    int made = 0;\n";
  for (std::size_t i = 0; i < functions.size(); ++i)
    text += fmt::format("    made += sizeof(decltype(case_{}(tl, x, h, n16, n7, n1, wide)));\n", i);
  if (uses_dot)
    text += "    auto a = tl.zeros(tl.shape(16_c, 16_c), tl.float16);\n    a = tl.dot(a, a).to(tl.float16);\n";
  return text + "    (void)made;\n  }\n};\n}  // namespace tl::kernels\n";
}

// Of "kernels/rules_kernel.h:80: what is wrong".
int line_of(const std::string& error) {
  const std::size_t colon = error.find(':');
  return colon == std::string::npos ? 0 : std::atoi(error.c_str() + colon + 1);
}
// From the beginning of the function that line `last` stands in.
std::string lines_before(const std::string& text, int last) {
  std::string function, line;
  std::istringstream in(text);
  for (int n = 1; n <= last && std::getline(in, line); ++n) {
    if (line.starts_with("auto case_")) function.clear();
    if (!line.starts_with("    typename")) function += line + "\n";
  }
  return function;
}

// What CUDA's compiler says to a kernel; "" where it takes it.
std::string said_of(const std::string& kernel, const Launch& launch, const rules::KernelFacts& facts) {
  const test::Folder folder;
  const test::Variable cache("XDG_CACHE_HOME", folder.path);
  std::filesystem::create_directories(folder.path + "/kernels");
  std::ofstream(folder.path + "/kernels/rules_kernel.h") << kernel;
  const test::SourcesFrom sources(folder.path);
  try {
    cuda::compile(launch, facts, {.arch = "sm_80"});
    return "";
  } catch (const Error& e) {
    return std::string(e.what()) + "\nin\n" + lines_before(kernel, line_of(e.what()));
  }
}

}  // namespace

TEST_CASE("rules: random offsets, masks and pointers are to the machine model what they are to CUDA's compiler") {
  if (test::no_toolkit()) return;
  unsigned seed = 1;
  for (const bool uses_dot : {false, true})
    for (const int num_warps : {4, 1, 8}) {
      const Launch launch = launch_of(num_warps, {});
      const rules::KernelFacts facts = uses_dot ? test::with_dots : test::no_dots;
      const machine::CudaConfig config = cuda::config_of(launch, facts, false);
      std::vector<std::string> functions;
      for (int i = 0; i < 40; ++i) functions.push_back(function_of(i, random_expression(seed++, config), config));
      INFO(fmt::format("{} warps{}", num_warps, uses_dot ? ", beside a dot" : ""));
      CHECK(said_of(kernel_of(functions, uses_dot), launch, facts) == "");
    }
}

namespace {

// The type of what `body` makes last, and whether the kernel gives up its formulas.
machine::CudaType type_of_last(std::function<void(cpu::Context&, const Launch&)> body, bool* gives_up = nullptr) {
  Launch launch = launch_of(4, {});
  launch.on_cpu = [&, arguments = launch](cpu::Context& tl) { body(tl, arguments); };
  TypeList types(machine::CudaConfig{});
  cpu::RunOptions options;
  options.observer = &types;
  options.order = cpu::Order::sequential;
  for (const Fault& f : cpu::run(launch, options).faults) FAIL(f.headline);
  if (gives_up) *gives_up = types.gives_up_formulas();
  return types.types.back();
}
cpu::Block argument(cpu::Context& tl, const Launch& launch, std::size_t i) {
  return tl.bind(std::get<IntArgument>(launch.arguments[i]), -1);
}
constexpr cpu::Constant c(long long value) { return cpu::Constant(value); }

}  // namespace

// What each of these is on CUDA was read from the device's types.
TEST_CASE("rules: an index compared with an index is a condition, whatever their difference is") {
  CHECK(type_of_last([](cpu::Context& tl, const Launch&) {
          auto offs = tl.arange(c(0), c(64));
          (void)(c(2) * offs < offs);
        }).form == Form::condition);
  CHECK(type_of_last([](cpu::Context& tl, const Launch& launch) {
          auto offs = tl.arange(c(0), c(64));
          (void)(offs < offs + argument(tl, launch, 3));
        }).form == Form::condition);
  CHECK(type_of_last([](cpu::Context& tl, const Launch&) {
          auto offs = tl.arange(c(0), c(64)), first = tl.arange(c(16), c(17));
          (void)(offs < first);
        }).form == Form::condition);
}

TEST_CASE("rules: a uniform index compared with a number is all or nothing, for != as well") {
  CHECK(type_of_last([](cpu::Context& tl, const Launch& launch) {
          auto first = tl.arange(c(16), c(17));
          (void)(first != argument(tl, launch, 3));
        }).form == Form::box);
}

TEST_CASE("rules: offsets that may leave 32 bits are computed lane by lane before they are widened") {
  const auto widened = [](long long stride) {
    return type_of_last(
               [=](cpu::Context& tl, const Launch&) { (void)(tl.arange(c(0), c(1024)) * c(stride)).to(tl.int64); })
        .form;
  };
  CHECK(widened(1 << 20) == Form::index);
  CHECK(widened(1 << 22) == Form::formula);
}

TEST_CASE("rules: 64-bit numbers beside offsets of an unknown stride make a formula of them") {
  CHECK(type_of_last([](cpu::Context& tl, const Launch& launch) {
          auto offs = tl.arange(c(0), c(64)) * argument(tl, launch, 3);
          (void)(offs + argument(tl, launch, 5));
        }).form == Form::formula);
}

TEST_CASE("rules: a reduction leaves the slice of the axis that it was told, of a square block, too") {
  const auto sum = [](int axis) {
    return type_of_last([=](cpu::Context& tl, const Launch&) {
             auto offs = tl.arange(c(0), c(32));
             (void)tl.sum(offs(cpu::Everything{}, cpu::NewAxis{}) + offs(cpu::NewAxis{}, cpu::Everything{}), c(axis));
           })
        .layout;
  };
  const rules::Layout square = rules::row_major(rules::Sizes(32, 32), 4, 4);
  CHECK(sum(0) == rules::sliced(square, rules::Sizes(32, 32), 0));
  CHECK(sum(1) == rules::sliced(square, rules::Sizes(32, 32), 1));
}

TEST_CASE("rules: a variable that is assigned what its type cannot hold makes CUDA compile without formulas") {
  bool gives_up = false;
  const auto step = [&](std::size_t by) {
    type_of_last(
        [=](cpu::Context& tl, const Launch& launch) {
          auto pointer = tl.bind(std::get<TensorArgument>(launch.arguments[0]), 0);
          pointer = pointer + argument(tl, launch, by);
        },
        &gives_up);
    return gives_up;
  };
  CHECK_FALSE(step(2));  // a multiple of 16
  CHECK(step(3));        // any number
}

TEST_CASE("rules: an accumulator is a dot's first operand where every warpgroup holds its rows whole") {
  for (const int m : {64, 128, 256})
    for (const int k : {16, 32, 64, 128})
      for (const int warps : {4, 8, 16}) {
        if (!rules::fits_wgmma(m, k, warps)) {
          CHECK_FALSE(rules::is_first_operand(m, k, warps));
          continue;
        }
        const rules::Layout layout = rules::wgmma(m, k, warps);
        std::vector<std::set<int>> groups(static_cast<std::size_t>(m));  // that hold something of a row
        for (int thread = 0; thread < 32 * warps; ++thread)
          for (int r = 0; r < layout.register_count(); ++r)
            groups[static_cast<std::size_t>((layout.of_thread(thread) | layout.of_register(r)) / k)].insert(thread /
                                                                                                            128);
        const bool whole = std::ranges::all_of(groups, [](const auto& g) { return g.size() == 1; });
        CAPTURE(m);
        CAPTURE(k);
        CAPTURE(warps);
        CHECK(rules::is_first_operand(m, k, warps) == whole);
      }
}
