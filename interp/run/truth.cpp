#include "interp/run/truth.h"

#include <fmt/format.h>

#include <algorithm>

#include "interp/report/tensor_text.h"
#include "interp/run/explanation.h"

namespace tl::run {

namespace {

// Of the arithmetic that it ran with, as `run` compares.
problems::Tf32 tf32_of(const problems::Instance& instance, const Arithmetic& arithmetic) {
  problems::Tf32 tf32 = problems::Tf32::rounded;
  for (const Launch& launch : instance.launches) {
    cpu::RunOptions run;
    arithmetic.apply(run, launch);
    if (run.dots.matrix == rules::Matrix::wgmma) tf32 = problems::Tf32::truncated;
  }
  return tf32;
}

// The element of the storage as rows count it; -1: it lies between them.
std::int64_t in_rows(const Tensor& t, std::int64_t element) {
  if (t.elems() == t.storage_elems) return element;
  for (std::int64_t i = 0; i < t.elems(); ++i)
    if (offset_of(t, i) == element) return i;
  return -1;
}

}  // namespace

std::optional<std::map<std::string, std::vector<std::int64_t>>> wrong_elements(const problems::Instance& instance,
                                                                               const Arithmetic& arithmetic) {
  if (!instance.reference_at) return {};
  std::map<std::string, std::vector<std::int64_t>> wrong;
  for (const problems::Mismatch& m : problems::check(instance, instance.outputs, problems::affordable_samples(instance),
                                                     tf32_of(instance, arithmetic))
                                         .all) {
    const Tensor& t = instance.outputs[m.output];
    wrong[t.name].push_back(offset_of(t, m.offset));
  }
  for (auto& [tensor, elements] : wrong) std::ranges::sort(elements);
  return wrong;
}

std::function<std::string(const std::string&, std::int64_t)> reasons_of(const Case& c, const Arithmetic& arithmetic) {
  return [&instance = c.instance, arithmetic](const std::string& tensor, std::int64_t element) -> std::string {
    const auto output = std::ranges::find(instance.outputs, tensor, &Tensor::name);
    const std::int64_t offset = output == instance.outputs.end() ? -1 : in_rows(*output, element);
    const auto index = static_cast<std::size_t>(output - instance.outputs.begin());
    const problems::Verdict v = offset < 0
                                    ? problems::Verdict()
                                    : problems::check_element(instance, index, offset, tf32_of(instance, arithmetic));
    if (v.checked == 0)
      throw Error(fmt::format("no reference says what {} should be", tensor), "name it: --expect 'y = ...'");
    if (v.ok) return "It is what the reference says.\n";
    return fmt::format("{} is {}, the reference says {}\n", report::cell_text(*output, offset), v.first->got,
                       v.first->expected) +
           explanation_text(explain(instance, *v.first, {false, {}, arithmetic}), {});
  };
}

}  // namespace tl::run
