// Kernels of other projects, each with a case and a plain loop that says what it gives: on the interpreter with every
// check, compiled for GPUs, and on a GPU where there is one.
#include <doctest/doctest.h>

#include <algorithm>
#include <set>

#include "interp/case/signature.h"
#include "interp/text/model.h"
#include "tests/cli/run_program.h"
#include "tests/cuda/gpu.h"
#include "tests/lessons/side_by_side.h"

using namespace tl;

namespace {

struct Port {
  std::string project, name;  // liger; liger/rms_norm.h:rms_norm_forward_kernel
};

std::vector<Port> all_ports() {
  std::vector<Port> ports;
  const std::filesystem::path root = TILESCOPE_ROOT "/tests/ports";
  for (const auto& entry : std::filesystem::recursive_directory_iterator(root)) {
    if (entry.path().extension() != ".h") continue;
    const text::Model model(entry.path().filename().string(), contents_of(entry.path()));
    const std::string project = entry.path().parent_path().filename().string();
    for (const cases::Functor& f : cases::functors_of(model))
      ports.push_back({project, project + "/" + entry.path().filename().string() + ":" + f.name});
  }
  std::ranges::sort(ports, {}, &Port::name);
  return ports;
}

// Each port by a command of the program's, one a core: what it said where `wanted` is no part of that.
void each_says(const std::string& command, const std::string& options, const std::string& wanted) {
  const std::vector<Port> ports = all_ports();
  const auto said = side_by_side<Said>(ports.size(), [&](std::size_t i) {
    return tilescope(command + " " TILESCOPE_ROOT "/tests/ports/" + ports[i].name + " " + options);
  });
  for (std::size_t i = 0; i < ports.size(); ++i) {
    const bool is_right = said[i].exit_code == 0 && said[i].out.find(wanted) != std::string::npos;
    CHECK_MESSAGE(is_right, ports[i].name << "\n" << said[i].out << said[i].err);
  }
}

}  // namespace

TEST_CASE("ports: kernels of other projects") {
  std::set<std::string> projects;
  for (const Port& p : all_ports()) projects.insert(p.project);
  CHECK(projects.size() >= 8);
}

TEST_CASE("ports: each gives on the interpreter what its plain loop gives, with bounds, races and lanes checked") {
  each_says("run", "--check uninit,race,undef,hints", "ok: agrees with the reference");
}

TEST_CASE("ports: each gives the same in parallel, where programs alike are replayed") {
  each_says("run", "--seed 3", "ok: agrees with the reference");
}

TEST_CASE("ports: each compiles for a GPU" * doctest::skip()) {  // ports_compile runs it
  if (test::no_toolkit()) return;
  each_says("compile", "", "");
}

TEST_CASE("ports: each gives on the GPU what its plain loop gives") {
  if (test::no_gpu()) return;
  each_says("run", "--device cuda", "ok: agrees with the reference");
}
