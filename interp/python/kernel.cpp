#include "interp/python/kernel.h"

#include "interp/cpu/facts.h"
#include "interp/lang/error.h"
#include "interp/python/interruptible.h"
#include "interp/sources/sources.h"

namespace tl::python {

// Other kernels may have a file of this name.
void Kernel::read_own_text() const { sources::also_read_from(std::filesystem::absolute(user_.file()).parent_path()); }

NamedLaunch Kernel::launch(const LaunchRequest& request) {
  read_own_text();
  std::string kinds;
  for (const Argument& a : request.arguments) kinds += kind_of(a);
  NamedLaunch named{user_.functor().name,
                    {},
                    user_.launch(kinds, request.grid, request.arguments, request.options, &Interruptible::stop())};
  for (const cases::Parameter& p : user_.functor().parameters) named.parameters.push_back(p.short_name());
  return named;
}

std::vector<std::string> Kernel::start(const LaunchRequest& request, std::uintptr_t stream) {
  read_own_text();
  const Launch launch{.kernel = user_.functor().full_name,
                      .source = user_.file().filename().string(),
                      .grid = request.grid,
                      .options = request.options,
                      .arguments = request.arguments,
                      .on_cpu = {}};
  const auto facts = [&](const Launch&) {
    try {
      return cpu::facts_of(this->launch(request).launch);
    } catch (const Error&) {  // it cannot run here, perhaps for want of a compiler: right on a GPU, and slower
      return rules::KernelFacts{};
    }
  };
  return resident_.start(launch, facts, reinterpret_cast<cuda::CUstream>(stream));
}

}  // namespace tl::python
