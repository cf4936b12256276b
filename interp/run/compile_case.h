// A kernel's launches as the CUDA toolkit compiles them: what they take of the chip as a table or JSON, and the code.
#pragma once

#include <memory>
#include <nlohmann/json_fwd.hpp>
#include <string>
#include <vector>

#include "interp/cuda/host/compile.h"
#include "interp/report/terminal.h"
#include "interp/run/kernel_case.h"
#include "interp/run/specialization.h"

namespace tl::run {

struct CompiledLaunch {
  std::string problem;
  std::shared_ptr<const cuda::Compiled> compiled;  // null: `error` says why
  std::string error, fix;
  std::optional<Specialization> specialization = {};  // of compile_case with `compares`
  int shared_bytes() const;
  bool spills() const;  // or has a stack frame
  bool fits() const;    // into the chip's shared memory
  // It fits, and has no stack frame, no spills and no warning of ptxas.
  bool is_clean() const;
};

// Each functor once. `compares`: also compiled with nothing known of its integers. Throws Error, CompileError.
std::vector<CompiledLaunch> compile_case(const KernelOptions& kernel, const cuda::Target& target,
                                         bool compares = false);
// Every kernel with its default settings; one that does not compile leaves its reason.
std::vector<CompiledLaunch> compile_all(const cuda::Target& target, std::uint64_t seed);

std::string compiled_table(const std::vector<CompiledLaunch>& launches, const std::string& arch, report::Paint paint);
// The virtual assembly, the machine code, or both.
std::string compiled_code(const std::vector<CompiledLaunch>& launches, bool ptx, bool sass);
nlohmann::ordered_json compiled_json(const CompiledLaunch& launch, bool ptx, bool sass);

}  // namespace tl::run
