// What a case says beside its recording: the interpreter's output and time, the reference, runs recorded on GPUs.
#pragma once

#include <atomic>
#include <optional>

#include "interp/run/kernel_case.h"
#include "interp/run/model.h"
#include "viz/model/panel.h"

namespace tl::viz {

struct Outcomes {
  std::vector<Outcome> all;  // the reference among them
  std::string output;        // the tensor compared
  std::vector<std::int64_t> shape;
  std::string no_gpu;  // why there is none, and what stands in its place; "": there is one
};
// Runs the case once more, unobserved, for its time. Its outputs hold the interpreter's result afterwards.
Outcomes outcomes_of(run::Case& c, const std::atomic<bool>* stop = nullptr);

bool has_gpu();  // to compare with; asking takes long where there is one

// How what a program takes of its SM is found: estimated; estimated unless it was compiled before; compiled, where that
// can be done.
enum class Compiling : unsigned char { never, later, now };

// The problem's name; of several launches also which it is. The first one is modelled and compiled, the chip plays any.
std::string name_of_launch(const problems::Problem& problem, const problems::Instance& instance,
                           std::size_t launch = 0);

// The first launch as the model runs it. `resident`: programs an SM holds at once; 0: as occupancy says.
// Throws Error: no SM holds a program.
ModelRun model_of(const run::KernelOptions& kernel, const std::string& gpu, std::int64_t resident,
                  Compiling compiling = Compiling::now, const std::atomic<bool>* stop = nullptr);
// The same for a problem that need not have a name.
ModelRun model_of(const problems::Problem& problem, const problems::Settings& settings, std::uint64_t seed,
                  const std::string& gpu, const run::ModelOptions& options);
run::ModelOptions model_options(std::int64_t resident, Compiling compiling, const std::atomic<bool>* stop);

// How the accesses of each launch's lines become requests on CUDA; `tilescope coalesce` counts these.
std::vector<machine::LinePlans> line_plans_of(const run::KernelOptions& kernel, const std::string& gpu,
                                              const std::atomic<bool>* stop = nullptr);
std::vector<machine::LinePlans> line_plans_of(const problems::Problem& problem, const problems::Settings& settings,
                                              std::uint64_t seed, const std::string& gpu,
                                              const std::atomic<bool>* stop = nullptr);

// The programs of the first launch that fit `condition`, the first few of them, step by step and without their values:
// what pictures of the model look at. Laid out for that GPU, as model_of is.
trace::RecordedTrace steps_of(const run::KernelOptions& kernel, const std::string& gpu, const std::string& condition);

// The first launch of a recording as the model runs it, with programs of a guessed size: the kernel itself is not at
// hand. Throws Error: it does not hold every program, or the model has nothing to say.
ModelRun model_of(const trace::RecordedTrace& trace, const std::string& gpu);

}  // namespace tl::viz
