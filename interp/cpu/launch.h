// Makes a launch of a kernel: its name from its type, and how the interpreter calls it.
#pragma once

#include <array>
#include <string>
#include <string_view>
#include <utility>

#include "interp/cpu/language.h"
#include "interp/lang/launch.h"

namespace tl::cpu {

// tl::kernels::softmax_kernel
template <class K>
std::string kernel_name() {
  const std::string_view text = __PRETTY_FUNCTION__;
  const std::size_t begin = text.find("K = ") + 4;
  return std::string(text.substr(begin, text.find_first_of(";]", begin) - begin));
}

// Tensor and descriptor arguments before each argument.
template <class... A>
constexpr std::array<int, sizeof...(A) + 1> tensors_before() {
  std::array<int, sizeof...(A) + 1> before{};
  int i = 0;
  ((before[static_cast<std::size_t>(i) + 1] =
        before[static_cast<std::size_t>(i)] +
        (std::is_same_v<A, TensorArgument> || std::is_same_v<A, DescriptorArgument>),
    ++i),
   ...);
  return before;
}

// The I-th parameter; a constant has a type of its own.
template <class A>
inline constexpr bool is_constant_argument =
    std::is_same_v<A, ConstantArgument> || std::is_same_v<A, RealConstantArgument> ||
    std::is_same_v<A, TextConstantArgument> || std::is_same_v<A, DtypeConstantArgument>;
template <std::size_t I, class A>
auto parameter(Context& context, const A& argument, int tensor) {
  if constexpr (is_constant_argument<A>)
    return constant_of<Expression<made_by::Parameter<I>>>(context.bind(argument, tensor));
  else return context.bind(argument, tensor);
}

}  // namespace tl::cpu

namespace tl {

// Each argument is one of the alternatives of Argument, in the order of the functor's parameters.
template <class K, class... A>
Launch make_launch(std::string source, Grid grid, LaunchOptions options, A... arguments) {
  static_assert((std::is_constructible_v<Argument, A> && ...),
                "an argument is a TensorArgument, DescriptorArgument, IntArgument, FloatArgument, ConstantArgument, "
                "RealConstantArgument, TextConstantArgument or DtypeConstantArgument");
  Launch launch{.kernel = cpu::kernel_name<K>(),
                .source = std::move(source),
                .grid = grid,
                .options = options,
                .arguments = {Argument(arguments)...},
                .on_cpu = {}};
  launch.on_cpu = [arguments...](cpu::Context& context) {
    constexpr auto before = cpu::tensors_before<A...>();
    [&]<std::size_t... I>(std::index_sequence<I...>) {
      K{}(context, cpu::parameter<I>(context, arguments, before[I])...);
    }(std::index_sequence_for<A...>{});
  };
  return launch;
}

}  // namespace tl
