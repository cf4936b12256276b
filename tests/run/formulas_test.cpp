// Kernels that CUDA compiles without formulas: the model routes their tiles as they then go.
#include <doctest/doctest.h>

#include "interp/cuda/host/known_resources.h"
#include "interp/run/kernel_case.h"
#include "interp/run/model.h"
#include "interp/tl.h"
#include "tests/cuda/environment.h"

using namespace tl;
using namespace tl::run;

namespace {

const machine::Device h200 = machine::find_device("h200");

std::int64_t staged_tiles(const trace::AccessRecord& record) {
  return std::ranges::count(record.patterns, trace::Route::staged, &trace::AccessPattern::route);
}

}  // namespace

TEST_CASE_FIXTURE(test::EmptyCache,
                  "formulas: a kernel that was compiled without them copies no tile of pointers by cp.async") {
  const ShapesOnly no_data;
  const Case c = make_case({"matmul", {"m=256", "n=256", "k=256"}});
  const Launch& launch = c.instance.launches.front();
  for (const bool is_plain : {false, true}) {
    cuda::keep_resources(
        launch, {.arch = is_plain ? "sm_80" : "sm_90a"},
        {.registers = 100, .threads = 128, .is_plain = is_plain, .has_roles = !is_plain, .warnings = {}});
    const Model model = model_of(launch, is_plain ? machine::find_device("a100_80") : h200);
    CHECK(model.config.formulas != is_plain);
    CHECK((model.resources.how.find("without formulas") != std::string::npos) == is_plain);
    CHECK((staged_tiles(model.record) == 0) == is_plain);
  }
}

TEST_CASE("formulas: of what was never compiled, the model says whether it expects them") {
  const auto expected = [](std::int64_t n) {
    Launch launch{.kernel = "walk",
                  .source = "kernels/copy.h",
                  .arguments = {TensorArgument{make_tensor("x", DType::float32, {4096})}, IntArgument{n}}};
    launch.on_cpu = [launch](cpu::Context& tl) {
      auto pointers = tl.bind(std::get<TensorArgument>(launch.arguments[0]), 0);
      pointers = pointers + tl.bind(std::get<IntArgument>(launch.arguments[1]), -1);  // a multiple of 16, or any number
      (void)tl.load(pointers);
    };
    const Model model = model_of(launch, h200, {.why_not = "nobody asked for it"});
    CHECK(model.config.formulas == (model.resources.how.find("expects it, without formulas") == std::string::npos));
    return model.config.formulas;
  };
  const ShapesOnly no_data;
  CHECK(expected(32));
  CHECK_FALSE(expected(33));
}
