// Where no compiler can run: a page takes Triton's Python alone, and says so for C++.
#include "interp/hostcc/compiler.h"
#include "interp/hostcc/ending.h"
#include "interp/hostcc/loaded_kernel.h"
#include "interp/lang/error.h"

namespace tl::hostcc {

namespace {

[[noreturn]] void refuse() {
  throw Error("this page has no compiler for C++",
              "give a kernel in Triton's Python, or use the program: tilescope run");
}

}  // namespace

std::string library_of(const Wanted&, const std::filesystem::path&, const std::atomic<bool>*) { refuse(); }
void* load_library(const std::string&, const std::string&) { refuse(); }
void* function_in(void*, const char*) { refuse(); }
LoadedKernel::LoadedKernel(const Wanted&, const std::string&, std::string) { refuse(); }
Launch LoadedKernel::launch(Grid, std::vector<Argument>, LaunchOptions) const { refuse(); }
void has_returned() {}

}  // namespace tl::hostcc
