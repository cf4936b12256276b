// Where no GPU and no CUDA toolkit can be: a page.
#include "interp/cuda/host/compile.h"
#include "interp/cuda/host/device.h"
#include "interp/cuda/host/known_resources.h"
#include "interp/cuda/host/run.h"
#include "interp/lang/error.h"

namespace tl::cuda {

namespace {

constexpr const char* why = "a page has no CUDA";

[[noreturn]] void refuse() { throw Error(why, "use the program on a machine with a GPU: tilescope run --device cuda"); }

bool is_absent(std::string* why_not) {
  if (why_not) *why_not = why;
  return false;
}

}  // namespace

bool available(std::string* why_not) { return is_absent(why_not); }
bool toolkit_available(std::string* why_not) { return is_absent(why_not); }
std::optional<Resources> known_resources(const Launch&, const Target&) { return std::nullopt; }
std::shared_ptr<const Compiled> compile(const Launch&, const rules::KernelFacts&, const Target&) { refuse(); }
RunResult run(std::span<const Launch>, const FactsOf&, const RunOptions&) { refuse(); }

}  // namespace tl::cuda
