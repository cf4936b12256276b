#include "interp/case/translation.h"

#include <fmt/format.h>

#include "interp/case/words.h"
#include "interp/lang/error.h"

namespace tl::cases {

std::string translation_of(const problems::Problem& problem, const problems::Settings& settings, std::uint64_t seed) {
  const problems::Instance instance = problem.make(settings, seed);
  const Launch& launch = instance.launches.front();
  if (!launch.in_cpp)
    throw Error(problem.name + " is C++ already", "translate takes a kernel in Triton's Python: softmax.py");
  std::string text = fmt::format("// {}, written in C++ for the constants and dtypes of this case.\n", launch.source);
  for (const auto& [name, value] : settings.values)
    if (!value.empty()) text += fmt::format("// case: {}={}\n", name, quoted(value));
  return text + launch.in_cpp({}).text;
}

}  // namespace tl::cases
