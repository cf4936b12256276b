// A launch that Python asks for, of a kernel in whichever language: run in place, recorded, modelled.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "interp/lang/launch.h"
#include "interp/run/known_arithmetic.h"
#include "interp/trace/recorded.h"
#include "interp/triton/launch.h"

namespace tl::python {

// Memory that somebody else owns, as a tensor; on the GPU its data cannot be read here. `storage_elems`: how many
// elements may be addressed, if more than the shape's.
Tensor tensor_at(std::string name, std::uintptr_t address, const std::string& dtype, std::vector<std::int64_t> shape,
                 std::vector<std::int64_t> strides, bool is_on_gpu, std::optional<std::int64_t> storage_elems = {});

struct LaunchRequest {
  Grid grid;
  LaunchOptions options;
  std::vector<Argument> arguments;        // one a parameter, and of a tuple one an element
  std::vector<std::string> names = {};    // of the arguments
  std::vector<triton::Given> given = {};  // what each parameter is given of them; of Python's kernels
};

struct NamedLaunch {
  std::string kernel;
  std::vector<std::string> parameters;  // an argument each
  Launch launch;
};

// On the interpreter, in place; returns what Triton would refuse, where the checks ask for that. Throws FaultError,
// Error, CompileError.
std::vector<std::string> run(const Launch& launch, const std::vector<std::string>& checks,
                             run::KnownArithmetic& arithmetic);
trace::RecordedTrace record(NamedLaunch launch, const std::string& programs, std::int64_t budget_mb);

// An argument as a case has it: f32[1000], 64.
std::string word_of(const Argument& argument);

struct Scheduled {
  std::string figures;  // JSON
  std::string drawing;  // SVG
};
Scheduled schedule(const NamedLaunch& launch, const std::string& gpu);

}  // namespace tl::python
