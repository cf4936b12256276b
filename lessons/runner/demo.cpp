#include "lessons/runner/demo.h"

#include <fmt/format.h>

#include <algorithm>
#include <set>

#include "interp/debug/program_line.h"
#include "interp/lang/error.h"
#include "interp/report/table.h"
#include "interp/report/tensor_text.h"

namespace tl::lessons {

namespace {

problems::Instance instance_of(const std::string& kernel, const std::vector<std::string>& settings,
                               std::uint64_t seed) {
  const problems::Problem& problem = problems::find(kernel);
  problems::Instance instance = problem.make(problems::parse(problem, settings), seed);
  instance.reset();
  return instance;
}

}  // namespace

Demo::Demo(const std::string& kernel, const std::vector<std::string>& settings, std::uint64_t seed)
    : instance_(instance_of(kernel, settings, seed)), observed_(observe(instance_, faults_)) {}

double Demo::output(const std::string& tensor, std::int64_t element) const {
  for (const Tensor& t : instance_.outputs)
    if (t.name == tensor) return get(t, element);
  throw Error("the kernel has no output " + tensor, "name one of its outputs");
}

std::string Demo::programs_text(std::int64_t most_programs) const {
  const debug::Sources texts(observed_.trace());
  std::string text;
  const std::int64_t shown = std::min(most_programs, observed_.programs());
  for (std::int64_t p = 0; p < shown; ++p)
    text += debug::program_line(observed_.trace(), static_cast<std::size_t>(p), texts) + "\n";
  if (shown < observed_.programs()) text += fmt::format("... {} programs in all\n", observed_.programs());
  return text;
}

std::string Demo::cells_text(const std::string& tensor) const {
  const auto it = std::ranges::find(instance_.outputs, tensor, &Tensor::name);
  std::vector<std::set<std::string>> writers(static_cast<std::size_t>(it->storage_elems));
  observed_.for_each_access(tensor, [&](std::int64_t program, const trace::RecordedAccess& a, const Site&) {
    if (!a.writes()) return;
    trace::for_each_active_lane(
        a, [&](std::int64_t, std::int64_t element) { writers[element].insert(std::to_string(program)); });
  });
  report::Table table{.header = {"cell"}, .rows = {{"holds"}, {"stored by program"}}};
  for (std::int64_t i = 0; i < it->elems(); ++i) {
    const auto& w = writers[i];
    table.header.push_back(fmt::format("{}[{}]", tensor, i));
    table.rows[0].push_back(report::element_text(*it, i));
    table.rows[1].push_back(w.empty() ? "nobody" : fmt::format("{}", fmt::join(w, " ")));
  }
  return table.text(0);
}

}  // namespace tl::lessons
