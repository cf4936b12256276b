// Every problem's kernels: compiled for the chips we serve without a stack frame, a spill or a warning, and right on
// the GPU.
#include <doctest/doctest.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cstdio>
#include <utility>

#include "interp/cpu/facts.h"
#include "interp/cuda/host/compile.h"
#include "interp/cuda/host/run.h"
#include "interp/lang/error.h"
#include "interp/run/cuda_config.h"
#include "kernels/problems/problem.h"
#include "tests/cuda/gpu.h"

using namespace tl;

namespace {

const char* const archs[] = {"sm_90a", "sm_80"};

constexpr int shared_bytes_of_hopper = 227 * 1024;

using Settings = std::vector<std::string>;

std::vector<Launch> launches_of(const problems::Problem& problem, const Settings& settings = {}) {
  return problem.make(problems::parse(problem, settings), 0).launches;
}

// dtype=bf16 and so on, all that the problem offers beside its default.
std::vector<Settings> other_dtypes(const problems::Problem& problem) {
  std::vector<Settings> others;
  for (const auto& setting : problem.settings)
    if (setting.kind == problems::Setting::Kind::dtype)
      for (const auto& choice : setting.choices)
        if (choice != setting.default_value) others.push_back({setting.name + "=" + choice});
  return others;
}

// What is compiled: the defaults for every arch, other dtypes for Hopper, and what a tail makes another kernel.
template <class F>
void for_each_launch(const char* arch, F f) {
  for (const auto& problem : problems::all()) {
    for (const auto& launch : launches_of(problem)) f(launch);
    if (arch != std::string(archs[0])) continue;
    for (const auto& settings : other_dtypes(problem))
      for (const auto& launch : launches_of(problem, settings)) f(launch);
  }
  if (arch == std::string(archs[0]))
    for (const char* causal : {"causal=true", "causal=false"})
      for (const auto& launch : launches_of(problems::find("attention"), {"seq=333", causal})) f(launch);
}

// NVRTC compiles one kernel at a time in a process, so that each arch gets a process, which leaves its results in the
// cache.
void fill_cache() {
  std::vector<pid_t> children;
  for (const char* arch : archs) {
    const pid_t child = fork();
    if (child == 0) {
      for_each_launch(arch, [&](const Launch& launch) {
        try {
          cuda::compile(launch, cpu::facts_of(launch), {.arch = arch});
        } catch (const std::exception&) {
          // The test itself compiles it again and reports it.
        }
      });
      _exit(0);
    }
    if (child > 0) children.push_back(child);
  }
  for (const pid_t child : children) waitpid(child, nullptr, 0);
}

void check_launch(const Launch& launch, const std::string& arch) {
  CAPTURE(launch.kernel);
  CAPTURE(arch);
  try {
    const auto compiled = cuda::compile(launch, cpu::facts_of(launch), {.arch = arch});
    const auto& r = compiled->resources;
    std::printf("%-45s %-6s %4d threads %4d registers %4d stack %4d spilled %7d bytes shared\n", launch.kernel.c_str(),
                arch.c_str(), r.threads, r.registers, r.stack_bytes, r.spill_store_bytes + r.spill_load_bytes,
                r.static_shared_bytes + r.dynamic_shared_bytes);
    CHECK(r.static_shared_bytes + r.dynamic_shared_bytes <= shared_bytes_of_hopper);
    if (arch == "sm_90a") {  // what the model and the interpreter expect, which compile nothing
      const machine::CudaConfig expected = run::cuda_config_of(launch, machine::find_device("h200"));
      CHECK((expected.tensor_maps || expected.copies_ahead) == r.has_roles);
      CHECK((expected.matrix == rules::Matrix::wgmma) == compiled->uses_wgmma);
      CHECK(expected.formulas != r.is_plain);
    }
    CHECK(r.stack_bytes == 0);
    CHECK(r.spill_store_bytes + r.spill_load_bytes == 0);
    for (const auto& warning : r.warnings) CHECK_MESSAGE(false, std::string(warning));
  } catch (const Error& error) {
    CHECK_MESSAGE(false, std::string(error.what()));
  }
}

const std::pair<const char*, Settings> cases[] = {
    {"copy", {"n=100003", "block=256"}},
    {"add", {"n=1", "block=128"}},
    {"add", {"n=1000003", "block=2048"}},
    {"dropout", {"n=100003", "p=0.9"}},
    {"sum", {"n=1000003"}},
    {"transpose", {"m=1001", "n=333"}},
    {"softmax", {"rows=100", "cols=1"}},
    {"softmax", {"rows=300", "cols=4096"}},
    {"softmax", {"rows=33", "cols=9000"}},
    {"softmax", {"rows=33", "cols=9000", "block=512"}},
    {"softmax", {"rows=3", "cols=131073"}},
    {"layernorm", {"rows=65", "cols=4096", "dtype=bf16"}},
    {"layernorm", {"rows=65", "cols=1000", "dtype=f32"}},
    {"matmul", {"m=333", "n=257", "k=129"}},
    {"matmul", {"m=256", "n=128", "k=64", "dtype=bf16"}},
    {"matmul", {"m=100", "n=90", "k=80", "dtype=f32"}},
    {"grouped_matmul", {"m=333", "n=257", "k=129", "group_size=3"}},
    {"grouped_matmul", {"m=512", "n=512", "k=512", "dtype=f32"}},
    {"grouped_matmul", {"m=200", "n=130", "k=96", "dtype=f8e4nv"}},
    {"block_pointer_matmul", {"m=333", "n=257", "k=129"}},
    {"transposed_matmul", {"m=333", "n=257", "k=129"}},
    {"persistent_matmul", {"m=1024", "n=768", "k=512"}},
    {"persistent_matmul", {"m=1000", "n=776", "k=520", "b=kn"}},
    {"persistent_matmul", {"m=333", "n=257", "k=129"}},
    {"persistent_matmul", {"m=512", "n=384", "k=256", "dtype=f32"}},
    {"attention", {"causal=false"}},
    {"attention", {"seq=1024", "head_dim=128"}},
    {"attention", {"seq=512", "dtype=f32"}},
    {"attention", {"seq=333", "causal=false", "heads=3"}},
    {"attention", {"seq=77", "heads=3", "bm=128", "bn=64"}},
    {"attention", {"seq=201", "head_dim=128", "bm=128", "bn=128", "dtype=f8e5"}},
    {"attention", {"seq=512", "causal=false", "dtype=bf16", "batch=2", "heads=3"}},
    {"attention", {"seq=512", "head_dim=256", "bm=128", "bn=64"}},
    {"attention", {"seq=333", "head_dim=256", "bm=128", "bn=64", "causal=false"}},
    {"attention_backward", {"seq=512", "causal=false"}},
    {"attention_backward", {"seq=333", "heads=3", "bm=128", "bn=128", "dtype=bf16"}},
    {"attention_backward", {"seq=201", "head_dim=128", "bm=64", "bn=128"}},
    {"attention_backward", {"seq=300", "head_dim=128", "bm=64", "bn=128", "causal=false", "batch=2"}},
    {"persistent_matmul", {"m=777", "n=123", "k=235"}},
    {"persistent_matmul", {"m=130", "n=123", "k=235", "dtype=f32", "b=kn"}},
    {"persistent_matmul", {"m=130", "n=123", "k=235", "dtype=f8e4nv"}},
};

void check_on_gpu(const std::string& name, const Settings& settings) {
  std::string text = name;
  for (const auto& setting : settings) text += ' ' + setting;
  CAPTURE(text);
  const auto& problem = problems::find(name);
  const auto instance = problem.make(problems::parse(problem, settings), 7);
  if (instance.wrong_on_purpose) return;
  try {
    const auto result = cuda::run(instance.launches, cpu::facts_of);
    for (const auto& fault : result.faults) CHECK_MESSAGE(false, std::string(fault.headline));
    const auto verdict = problems::check(instance, instance.outputs, problems::affordable_samples(instance),
                                         result.truncates_tf32 ? problems::Tf32::truncated : problems::Tf32::rounded);
    std::printf("%-60s %10.3g abs %10.3g rel\n", text.c_str(), verdict.max_abs_error, verdict.max_rel_error);
    CHECK(verdict.wrong == 0);
  } catch (const Error& error) {
    CHECK_MESSAGE(false, std::string(error.what()));
  }
}

}  // namespace

TEST_CASE(
    "every kernel compiles for sm_90a in every dtype and for sm_80, fits, and has no stack frame, no spill and no "
    "warning of ptxas") {
  if (test::no_toolkit()) return;
  fill_cache();
  for (const char* arch : archs) for_each_launch(arch, [&](const Launch& launch) { check_launch(launch, arch); });
}

TEST_CASE(
    "every kernel on the GPU agrees with its reference in double, at its usual sizes, with tails and in other dtypes") {
  if (test::no_gpu()) return;
  for (const auto& problem : problems::all()) check_on_gpu(problem.name, {});
  for (const auto& [name, settings] : cases) check_on_gpu(name, settings);
}

TEST_CASE(
    "attention's two dots run beside its softmax: the wait for the scores leaves the other running, and two warpgroups "
    "take turns") {
  if (test::no_toolkit()) return;
  for (const auto& launch : launches_of(problems::find("attention"), {"bm=128", "bn=128", "head_dim=128"})) {
    const std::string ptx = cuda::compile(launch, cpu::facts_of(launch))->ptx;
    CHECK(ptx.find("wgmma.wait_group.sync.aligned 1;") != std::string::npos);
    CHECK(ptx.find("@!done bra wait;") != std::string::npos);  // of a turn that is not given soon
  }
}
