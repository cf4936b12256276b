#include "interp/case/cpp_problem.h"

#include "interp/hostcc/compiler.h"
#include "interp/hostcc/loaded_kernel.h"
#include "interp/lang/error.h"

namespace tl::cases {

problems::Problem problem_of_cpp(const std::filesystem::path& file, const std::string& name) {
  const std::string stem = file.stem().string(), header = stem + ".h";
  hostcc::Wanted wanted;
  wanted.problem = "tl::problems::" + stem;
  wanted.restore =
      "it defines `Problem " + stem + "()` in namespace tl::problems, as kernels/problems/add.cpp does for add";
  const auto make_problem = reinterpret_cast<void (*)(void*)>(
      hostcc::function_in(hostcc::load_library(hostcc::library_of(wanted, file), stem), "tilescope_problem"));
  problems::Problem problem;
  make_problem(&problem);
  if (!problem.make) throw Error(file.filename().string() + " makes a problem without `make`", wanted.restore);
  problem.name = name;
  problem.source = header;
  problem.make = [make = problem.make, header](const problems::Settings& settings, std::uint64_t seed) {
    problems::Instance instance = make(settings, seed);
    for (Launch& launch : instance.launches) launch.source = header;  // whatever it says: the text beside it
    return instance;
  };
  return problems::with_launch_settings(std::move(problem));
}

}  // namespace tl::cases
