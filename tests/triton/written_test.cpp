// What is written in C++ gives what the walk gave.
#include "tests/triton/written.h"

#include <doctest/doctest.h>

#include <algorithm>
#include <cstring>
#include <fstream>

#include "interp/cpu/addresses.h"
#include "interp/cpu/run.h"
#include "interp/hostcc/compiler.h"
#include "interp/hostcc/loaded_kernel.h"
#include "interp/lang/unfinished.h"
#include "tests/same_accesses.h"

namespace written {

namespace {

struct Expected {
  std::string name;
  Launch walked;
  CppText text;
  std::vector<Tensor> outputs;
  std::vector<std::vector<std::byte>> before, after;
};
std::vector<Expected> all;
std::vector<std::string> refused;

}  // namespace

std::vector<std::byte> bytes_of(const Tensor& t) { return {t.data(), t.data() + t.storage_bytes()}; }

void expect(const std::string& name, const Launch& walked, std::vector<Tensor> outputs,
            std::vector<std::vector<std::byte>> before) {
  try {
    Expected e{name,
               walked,
               walked.in_cpp({.name_space = "written::n" + std::to_string(all.size())}),
               std::move(outputs),
               std::move(before),
               {}};
    for (const Tensor& t : e.outputs) e.after.push_back(bytes_of(t));
    if (const char* const folder = std::getenv("TILESCOPE_WRITTEN")) {  // to look at, and to compile for a GPU
      const std::string file = folder + ("/" + std::to_string(all.size()));
      std::ofstream(file + ".py") << name;
      std::ofstream(file + ".h") << e.text.text;
    }
    all.push_back(std::move(e));
  } catch (const Error& e) {
    refused.push_back(name + ": " + e.what());
  }
}

}  // namespace written

namespace {

using namespace tl;
using namespace written;

// One that is called as the compiled kernels of others are.
std::string launcher_of(const Expected& e, std::size_t number) {
  hostcc::Wanted wanted;
  wanted.functor = e.text.functor;
  for (const Argument& a : e.walked.arguments) wanted.parameters += kind_of(a);
  std::string text = hostcc::launcher_text(wanted, "");
  const std::string name = "tilescope_program";
  text.insert(text.find(name) + name.size(), "_" + std::to_string(number));
  return text.substr(text.find("extern"));
}

void run(const Expected& e, void* library, std::size_t number) {
  INFO(e.name << "\n" << e.text.text);
  using Program = void (*)(cpu::Context&, const void* const*);
  const auto program =
      reinterpret_cast<Program>(hostcc::function_in(library, ("tilescope_program_" + std::to_string(number)).c_str()));
  Launch launch = e.walked;
  launch.on_cpu = [&](cpu::Context& tl) {
    std::vector<const void*> arguments;
    for (const Argument& a : launch.arguments)
      arguments.push_back(std::visit([](const auto& v) { return static_cast<const void*>(&v); }, a));
    program(tl, arguments.data());
  };
  const auto begin = [&] {
    for (std::size_t t = 0; t < e.outputs.size(); ++t)
      std::memcpy(e.outputs[t].data(), e.before[t].data(), e.before[t].size());
  };
  const auto accesses_of = [&](const Launch& l) {  // of which data may decide
    begin();
    return cpu::record_accesses(l);
  };
  CHECK(testing::difference(accesses_of(e.walked), accesses_of(launch), testing::Places::any) == "");
  begin();
  for (const Fault& f : cpu::run(launch).faults) FAIL_CHECK(f.headline << " " << f.detail);
  for (std::size_t t = 0; t < e.outputs.size(); ++t) CHECK(bytes_of(e.outputs[t]) == e.after[t]);
}

}  // namespace

TEST_CASE("written: the C++ of every kernel of these tests gives the bits and the accesses that its walk gave") {
  constexpr std::size_t most_bytes = 60'000;  // of a text
  const TemporaryFolder folder;
  const auto file = folder.path() / "all.h";
  for (std::size_t first = 0, next = 0; first < written::all.size(); first = next) {
    std::string text = "#include \"interp/tl.h\"\nusing namespace tl;\n";
    for (; next < written::all.size() && (next == first || text.size() < most_bytes); ++next) {
      std::string one = written::all[next].text.text;
      one.erase(0, one.find("namespace"));
      text += one + launcher_of(written::all[next], next);
    }
    std::ofstream(file) << text;
    void* const library = hostcc::load_library(hostcc::library_of({"", "", "", ""}, file), "written");
    for (std::size_t i = first; i < next; ++i) run(written::all[i], library, i);
  }
  // What C++ cannot say.
  constexpr const char* facts[] = {"last has no value here", "tl.map_elementwise",
                                   "a descriptor of the kernel's own pads with 0"};
  for (const std::string& r : refused)
    CHECK_MESSAGE(std::ranges::any_of(facts, [&](const char* fact) { return r.find(fact) != r.npos; }), r);
}
