#include "interp/hostcc/loaded_kernel.h"

#include <dlfcn.h>
#include <sys/mman.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <new>

#include "interp/cpu/absent.h"
#include "interp/lang/error.h"

namespace tl::hostcc {

namespace {

constexpr std::size_t most_arguments = 128;

}  // namespace

void* load_library(const std::string& library, const std::string& name) {
  // From memory: exactly what was checked is loaded, and no file can be damaged or left behind.
  const int file = memfd_create(name.c_str(), MFD_CLOEXEC);
  const std::string path = "/proc/self/fd/" + std::to_string(file);  // stays open: dlopen tells libraries apart by path
  for (std::size_t done = 0; file >= 0 && done < library.size();) {
    const ssize_t n = ::write(file, library.data() + done, library.size() - done);
    if (n < 0 && errno != EINTR) throw Error("no memory for the compiled kernel", "close other programs");
    done += static_cast<std::size_t>(std::max<ssize_t>(n, 0));
  }
  void* handle = file >= 0 ? dlopen(path.c_str(), RTLD_NOW | RTLD_LOCAL) : nullptr;
  if (!handle)
    throw Error(std::string("the compiled kernel cannot be loaded: ") + (file < 0 ? std::strerror(errno) : dlerror()),
                "report it: the compiler made what this system does not load");
  return handle;
}

void* function_in(void* library, const char* function) {
  void* const found = dlsym(library, function);
  if (!found) throw Error("the compiled library holds no kernel", "report it");
  return found;
}

LoadedKernel::LoadedKernel(const Wanted& wanted, const std::string& library, std::string source)
    : name_(wanted.functor), parameters_(wanted.parameters), source_(std::move(source)) {
  void* const loaded = load_library(library, wanted.name());
  program_ = reinterpret_cast<Program>(function_in(loaded, "tilescope_program"));
  if (!wanted.loop.empty()) loop_ = reinterpret_cast<Loop>(function_in(loaded, "tilescope_loop"));
}

Launch LoadedKernel::launch(Grid grid, std::vector<Argument> arguments, LaunchOptions options) const {
  std::string kinds;
  for (const Argument& a : arguments) kinds += kind_of(a);
  if (kinds != parameters_)
    throw Error(name_ + " is passed " + kinds + " and was compiled for " + parameters_,
                "make the arguments those of the functor's parameters");
  if (arguments.size() > most_arguments)
    throw Error(name_ + " has " + std::to_string(arguments.size()) + " parameters beside tl, and " +
                    std::to_string(most_arguments) + " are possible",
                "make it two kernels, or pack sizes in a tensor");
  Launch launch{
      .kernel = name_, .source = source_, .grid = grid, .options = options, .arguments = arguments, .on_cpu = {}};
  launch.on_cpu = [program = program_, arguments](cpu::Context& context) {
    const void* pointers[most_arguments];
    std::size_t n = 0;
    for (const Argument& a : arguments)
      pointers[n++] = std::visit([](const auto& value) { return static_cast<const void*>(&value); }, a);
    try {
      program(context, pointers);
    } catch (const cpu::NeedsValues&) {  // who asked for addresses alone runs it with values
      throw;
    } catch (const FaultError&) {
      throw;
    } catch (const Error&) {
      throw;
    } catch (const std::bad_alloc&) {
      throw;
    } catch (const std::exception& e) {
      throw Error(std::string("the kernel threw: ") + e.what(), "a kernel throws nothing");
    }
  };
  return launch;
}

}  // namespace tl::hostcc
