// Each kernel of kernels/ beside the Triton text that it was written after: two spellings of one language.
#include <doctest/doctest.h>

#include <cstring>
#include <filesystem>
#include <fstream>
#include <sstream>

#include "interp/cpu/addresses.h"
#include "interp/cpu/run.h"
#include "interp/triton/launch.h"
#include "interp/triton/refusals.h"
#include "kernels/problems/problem.h"
#include "tests/same_accesses.h"
#include "tests/triton/written.h"

using namespace tl;

namespace {

std::string read(const std::filesystem::path& file) {
  std::stringstream text;
  text << std::ifstream(file).rdbuf();
  return text.str();
}

Launch by_text(const std::string& name, const Launch& compiled) {
  const std::string file = SOURCE_DIR "/kernels/triton/" + name + ".py";
  const auto program = std::make_shared<triton::Program>(file, read(file));
  return triton::launch_of(program, program->kernel(name + "_kernel"), compiled.grid, compiled.options,
                           compiled.arguments);
}

std::vector<std::vector<std::byte>> outputs_of(const problems::Instance& instance, const Launch& launch) {
  instance.reset();
  const cpu::RunResult r = cpu::run(launch, {.threads = 2});
  for (const Fault& f : r.faults) FAIL_CHECK(f.site.file << ":" << f.site.line << ": " << f.headline << " " << f.fix);
  std::vector<std::vector<std::byte>> all;
  for (const Tensor& t : instance.outputs) all.emplace_back(t.data(), t.data() + t.storage_bytes());
  return all;
}

void agrees(const problems::Problem& problem, const std::vector<std::string>& settings) {
  const problems::Instance instance = problem.make(problems::parse(problem, settings), 1);
  const Launch& compiled = instance.launches.front();
  const Launch text = by_text(problem.name, compiled);
  triton::note_refusals(text);
  const auto expected = outputs_of(instance, compiled), got = outputs_of(instance, text);
  CHECK(expected == got);
  std::vector<std::vector<std::byte>> begins;
  instance.reset();
  for (const Tensor& t : instance.outputs) begins.push_back(written::bytes_of(t));
  for (std::size_t i = 0; i < got.size(); ++i) std::memcpy(instance.outputs[i].data(), got[i].data(), got[i].size());
  written::expect(problem.name, text, instance.outputs, begins);
  for (const triton::Refusal& r : triton::refusals_of(text)) FAIL_CHECK(r.site.line << ": Triton takes it: " << r.fact);
  const auto a = cpu::record_accesses(compiled), b = cpu::record_accesses(text);
  CHECK(testing::difference(a, b, testing::Places::any) == "");
}

}  // namespace

TEST_CASE(
    "kernels: a Triton text gives the bits and the accesses of the kernel that was written after it, in every dtype") {
  int kernels = 0;
  for (const auto& entry : std::filesystem::directory_iterator(SOURCE_DIR "/kernels/triton")) {
    if (entry.path().extension() != ".py") continue;
    const problems::Problem& problem = problems::find(entry.path().stem().string());
    ++kernels;
    for (const problems::Setting& s : problem.settings)
      if (s.kind == problems::Setting::Kind::dtype)
        for (const std::string& dtype : s.choices) {
          INFO(problem.name << " " << s.name << "=" << dtype);
          agrees(problem, {s.name + "=" + dtype});
        }
    INFO(problem.name);
    agrees(problem, {});
  }
  CHECK(kernels >= 10);
}
