#include "interp/run/truth.h"

#include <fmt/format.h>

#include <algorithm>

#include "interp/report/tensor_text.h"
#include "interp/run/explanation.h"

namespace tl::run {

namespace {

// By the tolerances of the arithmetic that it ran with, as `run` compares.
problems::Verdict verdict_of(const problems::Instance& instance, const Arithmetic& arithmetic) {
  problems::Tf32 tf32 = problems::Tf32::rounded;
  for (const Launch& launch : instance.launches) {
    cpu::RunOptions run;
    arithmetic.apply(run, launch);
    if (run.dots.matrix == rules::Matrix::wgmma) tf32 = problems::Tf32::truncated;
  }
  return problems::check(instance, instance.outputs, problems::affordable_samples(instance), tf32);
}

}  // namespace

std::optional<std::map<std::string, std::vector<std::int64_t>>> wrong_elements(const problems::Instance& instance,
                                                                               const Arithmetic& arithmetic) {
  if (!instance.reference_at) return {};
  std::map<std::string, std::vector<std::int64_t>> wrong;
  for (const problems::Mismatch& m : verdict_of(instance, arithmetic).all) {
    const Tensor& t = instance.outputs[m.output];
    wrong[t.name].push_back(offset_of(t, m.offset));
  }
  for (auto& [tensor, elements] : wrong) std::ranges::sort(elements);
  return wrong;
}

std::function<std::string(const std::string&, std::int64_t)> reasons_of(const Case& c, const Arithmetic& arithmetic) {
  return [&instance = c.instance, arithmetic](const std::string& tensor, std::int64_t element) -> std::string {
    if (!instance.reference_at || std::ranges::count(instance.outputs, tensor, &Tensor::name) == 0)
      throw Error(fmt::format("no reference says what {} should be", tensor), "name it: --expect 'y = ...'");
    for (const problems::Mismatch& m : verdict_of(instance, arithmetic).all) {
      const Tensor& t = instance.outputs[m.output];
      if (t.name == tensor && offset_of(t, m.offset) == element)
        return fmt::format("{} is {}, the reference says {}\n", report::cell_text(t, m.offset), m.got, m.expected) +
               explanation_text(explain(instance, m, {false, {}, arithmetic}), {});
    }
    return "It is what the reference says.\n";
  };
}

}  // namespace tl::run
