// What a command is told about one kernel: its name, settings, seed; and the problem made from it.
#pragma once

#include <nlohmann/json_fwd.hpp>
#include <string>
#include <vector>

#include "kernels/problems/problem.h"

namespace tl::report {
struct Paint;
}

namespace tl::run {

enum class Device { cpu, cuda };

struct KernelOptions {
  std::string kernel;
  std::vector<std::string> settings;  // name=value
  std::uint64_t seed = 0;
};

struct Case {
  const problems::Problem* problem = nullptr;
  problems::Settings settings;
  problems::Instance instance;
};

Case make_case(const KernelOptions& options);
// The same for settings already parsed. Throws Error: a grid without programs, tensors beyond memory.
problems::Instance make_instance(const problems::Problem& problem, const problems::Settings& settings,
                                 std::uint64_t seed);

std::string settings_text(const problems::Problem& problem,
                          const problems::Settings& settings);  // n=6 block=2, in the problem's order
nlohmann::ordered_json settings_json(const problems::Problem& problem, const problems::Settings& settings);

// The first lines of a report: the kernel with its settings, and `about` below.
std::string heading(const problems::Problem& problem, const problems::Settings& settings, const std::string& about,
                    report::Paint paint, int columns);
std::string heading(const KernelOptions& kernel, const std::string& about, report::Paint paint, int columns);
// The first fields of the model's reports about a kernel.
nlohmann::ordered_json model_json(const KernelOptions& kernel, const std::string& gpu);

std::int64_t programs_of(const problems::Instance& instance);  // of all launches
std::string cpu_name();                                        // as /proc/cpuinfo says
int thread_count(int threads);                                 // 0: all there are

}  // namespace tl::run
