#include "interp/cuda/host/expression.h"

#include <doctest/doctest.h>

#include "tests/cuda/gpu.h"

using namespace tl;

namespace {

// A tensor without storage: types depend on shape and strides alone.
Tensor described(DType dtype, std::vector<std::int64_t> shape, std::vector<std::int64_t> strides) {
  return {.name = "a", .dtype = dtype, .shape = std::move(shape), .strides = std::move(strides)};
}

Launch launch_of(std::vector<Argument> arguments) {
  Launch launch;
  launch.kernel = std::string("k");
  launch.options = {.num_warps = 8, .num_stages = 2};
  launch.arguments = std::move(arguments);
  return launch;
}

std::string expression_of(std::vector<Argument> arguments, bool tensor_maps = true) {
  const Launch launch = launch_of(std::move(arguments));
  return cuda::entry_expression(launch, cuda::config_of(launch, test::no_dots, tensor_maps));
}

}  // namespace

TEST_CASE("an entry is specialized on dtypes, on divisibility by 16 and on ones") {
  CHECK(expression_of({TensorArgument{described(DType::float32, {4}, {1})}, IntArgument{4096}, IntArgument{4097},
                       IntArgument{1}, FloatArgument{1}, IntArgument{std::int64_t{1} << 40, DType::int64}}) ==
        "tl::cuda::entry<::k, tl::cuda::Config<8, 2, 4, false>, tl::Ptr<float, 16>, tl::Int<int, 16>, tl::Int<int, 1>, "
        "tl::Int<int, tl::is_one>, "
        "tl::Float, "
        "tl::Int<long long, 16>>");
}

TEST_CASE("where warps copy by pointers, an entry is told the power of two that divides an int") {
  const Launch launch = launch_of({IntArgument{3000}, IntArgument{777}, IntArgument{2056}, IntArgument{1}});
  const auto config = cuda::config_of(launch, test::with_dots, true);
  CHECK(config.copies_ahead);
  CHECK(cuda::entry_expression(launch, config) ==
        "tl::cuda::entry<::k, tl::cuda::Config<8, 2, 4, true>, tl::Int<int, 8>, tl::Int<int, 1>, tl::Int<int, 8>, "
        "tl::Int<int, tl::is_one>>");
}

TEST_CASE("a config follows from the facts: dots decide the accumulators, an obstacle takes the roles") {
  const Launch launch = launch_of({TensorArgument{described(DType::float16, {4}, {1})}});
  const auto config_of = [&](const rules::KernelFacts& facts) { return cuda::config_of(launch, facts, true); };
  CHECK(config_of(test::with_dots).matrix == rules::Matrix::wgmma);
  CHECK(config_of({.dots = rules::Dots::exact, .one_role = {}}).matrix == rules::Matrix::multiply_add);
  CHECK(config_of(test::no_dots).matrix == rules::Matrix::none);
  CHECK(cuda::has_roles(config_of(test::with_dots)));
  const rules::KernelFacts nothing_known;
  CHECK_FALSE(cuda::has_roles(config_of(nothing_known)));
  CHECK(config_of(nothing_known).matrix == rules::Matrix::mma_sync);
  CHECK(cuda::would_have_roles(launch, nothing_known, true));
}

TEST_CASE("an entry's constants are ints, long longs where they must be, and bools") {
  CHECK(expression_of({ConstantArgument{1024}, ConstantArgument{1, true}, ConstantArgument{0, true},
                       ConstantArgument{-1}, ConstantArgument{1ll << 32}}) ==
        "tl::cuda::entry<::k, tl::cuda::Config<8, 2, 4, false>, tl::constant<1024>, tl::constant<true>, "
        "tl::constant<false>, tl::constant<-1>, "
        "tl::constant<4294967296LL>>");
}

TEST_CASE("an entry's vectors are 16 bytes of its narrowest tensor") {
  const TensorArgument f32{described(DType::float32, {4}, {1})}, f16{described(DType::float16, {4}, {1})},
      u8{described(DType::uint8, {4}, {1})};
  CHECK(expression_of({f32, f16}).find("Config<8, 2, 8, false>") != std::string::npos);
  CHECK(expression_of({u8, f16}).find("Config<8, 2, 16, false>") != std::string::npos);
  CHECK(expression_of({TensorArgument{described(DType::float64, {4}, {1})}}).find("Config<8, 2, 2, false>") !=
        std::string::npos);
}

TEST_CASE(
    "a descriptor comes as a tensor map, or as pointers where the chip or one of the launch's tensors wants that") {
  const std::vector<Argument> arguments = {DescriptorArgument{described(DType::float16, {64, 64}, {64, 1}), {64, 64}}};
  CHECK(expression_of(arguments).find("tl::Descriptor<__half, tl::Shape<64, 64>, tl::Tma>") != std::string::npos);
  CHECK(expression_of(arguments, false).find("tl::Descriptor<__half, tl::Shape<64, 64>, tl::Pointers>") !=
        std::string::npos);
}

TEST_CASE(
    "one tensor whose rows are not a multiple of 16 bytes sends a launch's descriptors through pointers, and says so") {
  const DescriptorArgument aligned{described(DType::float16, {64, 72}, {72, 1}), {64, 64}},
      odd{described(DType::float16, {64, 70}, {70, 1}), {64, 64}};
  std::vector<std::string> notes;
  CHECK(cuda::tensor_maps_fit(launch_of({aligned, IntArgument{7}}), &notes));
  CHECK(notes.empty());
  CHECK_FALSE(cuda::tensor_maps_fit(launch_of({aligned, odd}), &notes));
  REQUIRE(notes.size() == 1);
  CHECK(notes[0] ==
        "tensor \"a\" goes by pointers, TMA cannot take it: its stride of 140 bytes is not a multiple of 16; pad its "
        "rows");
}
