#include "interp/python/kernel.h"

#include "interp/cpu/facts.h"
#include "interp/lang/error.h"
#include "interp/python/interruptible.h"
#include "interp/sources/sources.h"

namespace tl::python {

Kernel::Kernel(const std::string& name) : user_(name), folder_(std::filesystem::absolute(user_.file()).parent_path()) {
  for (const cases::Parameter& p : user_.functor().parameters) parameters_.push_back(p.short_name());
}

Launch Kernel::launch(const LaunchRequest& request) {
  sources::read_first_from(folder_);  // other kernels may have a file of this name
  std::string kinds;
  for (const Argument& a : request.arguments) kinds += kind_of(a);
  return user_.launch(kinds, request.grid, request.arguments, request.options, &Interruptible::stop());
}

std::vector<std::string> Kernel::start(LaunchRequest request, std::uintptr_t stream) {
  sources::read_first_from(folder_);
  Launch launch{.kernel = user_.functor().full_name,
                .source = user_.file().filename().string(),
                .grid = request.grid,
                .options = request.options,
                .arguments = std::move(request.arguments),
                .on_cpu = {}};
  const auto on_the_interpreter = [&] { return this->launch({launch.grid, launch.options, launch.arguments}); };
  if (user_.is_python()) launch.in_cpp = [&](const CppStyle& style) { return on_the_interpreter().in_cpp(style); };
  const auto facts = [&](const Launch&) {
    try {
      return cpu::facts_of(on_the_interpreter());
    } catch (const Error&) {  // it cannot run here, perhaps for want of a compiler: right on a GPU, and slower
      return rules::KernelFacts{};
    }
  };
  return resident_.start(launch, facts, reinterpret_cast<cuda::CUstream>(stream));
}

}  // namespace tl::python
