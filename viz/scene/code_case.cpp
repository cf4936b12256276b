#include "viz/scene/code_case.h"

#include <sstream>

#include "interp/cpu/facts.h"
#include "interp/cuda/host/compile.h"
#include "interp/cuda/host/disassemble.h"
#include "interp/lang/error.h"
#include "interp/machine/device.h"
#include "interp/run/cuda_config.h"
#include "interp/run/record.h"
#include "interp/run/schedule_case.h"
#include "kernels/problems/chip.h"
#include "viz/scene/code_lines.h"
#include "viz/scene/scene_case.h"

namespace tl::viz {

CodeRun code_of(const run::KernelOptions& kernel, const std::string& gpu) {
  const machine::Device device = machine::find_device(gpu);
  const problems::LaidOutFor chip(run::chip_of(device));
  const problems::Problem& problem = problems::find(kernel.kernel);
  const problems::Settings settings = problems::parse(problem, kernel.settings);
  const problems::Instance instance = run::make_instance(problem, settings, kernel.seed);
  const Launch& launch = instance.launches.front();
  const auto compiled = cuda::compile(launch, cpu::facts_of(launch), run::target_of(device, false));
  const cuda::Resources& r = compiled->resources;
  CodeRun code;
  code.kernel = name_of_launch(problem, instance);
  code.arch = compiled->arch;
  code.settings = run::settings_text(problem, settings);
  code.registers = r.registers;
  code.threads = r.threads;
  code.spill_bytes = r.spill_store_bytes + r.spill_load_bytes;
  code.shared_bytes = r.static_shared_bytes + r.dynamic_shared_bytes;
  code.ptx = instructions_of_ptx(compiled->ptx, compiled->entry, launch.source);
  try {
    code.sass = instructions_of_sass(cuda::disassemble_with_lines(*compiled), compiled->entry, launch.source);
  } catch (const Error& e) {
    code.no_sass = std::string(e.what()) + ": " + e.fix;
  }
  std::istringstream text(run::kernel_text(launch.source).value_or(""));
  for (std::string line; std::getline(text, line);) code.source.push_back(line);
  return code;
}

}  // namespace tl::viz
