#include "interp/cuda/host/compile.h"

#include <algorithm>
#include <map>
#include <mutex>
#include <optional>

#include "interp/cuda/host/attempts.h"
#include "interp/cuda/host/known_resources.h"
#include "interp/cuda/host/literals.h"
#include "interp/cuda/host/nvrtc_program.h"
#include "interp/cuda/host/print_texts.h"
#include "interp/lang/error.h"
#include "interp/lang/unavailable.h"
#include "interp/rules/index.h"

namespace tl::cuda {

namespace {

constexpr const char* language = "interp/tl.h";

// A kernel may stand outside of any namespace and still say ptr, None and 1_c, and before it a helper that includes
// nothing.
std::string unit_of(const Launch& launch) {
  return std::string("#include \"") + language + "\"\nusing namespace tl;\n#include \"" + launch.source + "\"\n";
}

Launch in_cpp(Launch launch, const KernelSource& source) {
  launch.kernel = source.functor;
  launch.source = source.file;
  return launch;
}

const Nvrtc& require_nvrtc() {
  std::optional<Error> why_not;
  if (const Nvrtc* api = nvrtc(&why_not)) return *api;
  throw Unavailable(*why_not);
}

}  // namespace

int number_of(const std::string& arch) {
  if (!arch.starts_with("sm_")) return 0;
  const std::size_t end = std::min(arch.find_first_not_of("0123456789", 3), arch.size());
  const std::string digits = arch.substr(3, end - 3), suffix = arch.substr(end);
  if (digits.empty() || digits.size() > 4 || digits.front() == '0') return 0;
  const int number = std::stoi(digits);
  return suffix.empty() || (suffix == "a" && number >= 90) || (suffix == "f" && number >= 100) ? number : 0;
}

int known_divisibility(std::int64_t value) { return rules::known_divisibility(value); }

int require_arch(const std::string& arch) {
  const Nvrtc& api = require_nvrtc();
  int count = 0;
  api.nvrtcGetNumSupportedArchs(&count);
  std::vector<int> supported(static_cast<std::size_t>(count));
  api.nvrtcGetSupportedArchs(supported.data());
  std::string names;
  for (const int capability : supported)
    if (capability >= 80)
      names += (names.empty() ? "sm_" : " sm_") + std::to_string(capability) + (capability == 90 ? " sm_90a" : "");
  const std::string fix = "choose one of: " + names;
  const int capability = number_of(arch);
  if (capability == 0) throw Error("unknown arch \"" + arch + "\"", fix);
  if (capability < 80) throw Error(arch + " is too old: kernels need sm_80 (Ampere) or newer", fix);
  if (std::find(supported.begin(), supported.end(), capability) == supported.end())
    throw Error("CUDA " + toolkit_version() + " cannot compile for " + arch, fix);
  return capability;
}

bool toolkit_available(std::string* why_not) {
  std::optional<Error> error;
  if (nvrtc(&error)) return true;
  if (why_not) *why_not = error->what();
  return false;
}

std::string toolkit_version() {
  const Nvrtc& api = require_nvrtc();
  return std::to_string(api.major) + '.' + std::to_string(api.minor);
}

std::shared_ptr<const Compiled> compile(const Launch& given, const rules::KernelFacts& facts, const Target& target) {
  const Nvrtc& api = require_nvrtc();
  require_arch(target.arch);
  KernelSource source = source_of(given, {language});
  const Launch launch = in_cpp(given, source);
  const Request request{api, launch, facts, target, std::move(source.texts), unit_of(launch)};
  check_print_texts(request.sources, launch.kernel);
  std::vector<std::string> notes;
  Attempts attempts(request, {.config = config_of(launch, facts, request.is_hopper(), &notes),
                              .build = {.generic = target.generic,
                                        .prints = facts.prints && target.prints,
                                        .timeline = target.timeline,
                                        .max_registers = launch.options.max_registers}});

  static std::mutex mutex;
  static std::map<std::string, std::shared_ptr<const Compiled>> compiled_before;
  std::string key = attempts.key();
  for (const auto& note : notes) key += note;  // notes name this launch's tensors
  {
    const std::lock_guard lock(mutex);
    if (const auto it = compiled_before.find(key); it != compiled_before.end()) return it->second;
  }
  Compiled compiled = attempts.compile_best(notes);
  check_literals(compiled.ptx, request.sources, notes);
  if (const int chip = number_of(target.arch); chip >= 100 && chip < 120 && facts.dots != rules::Dots::none)
    notes.push_back("products go by mma.sync: tcgen05 and its tensor memory, the fast way of this chip, are not used");
  compiled.kernel = given.kernel;
  compiled.arch = target.arch;
  compiled.notes = std::move(notes);
  if (!(facts.prints && target.prints)) keep_resources(given, target, compiled.resources);
  auto result = std::make_shared<const Compiled>(std::move(compiled));
  const std::lock_guard lock(mutex);
  return compiled_before[key] = result;
}

void check_text(const Launch& given) {
  const Nvrtc& api = require_nvrtc();
  KernelSource source = source_of(given, {language});
  const Launch launch = in_cpp(given, source);
  const Target target{.arch = "sm_80"};  // any that every toolkit knows
  const rules::KernelFacts facts;        // anything is possible
  const Request request{api, launch, facts, target, std::move(source.texts), unit_of(launch)};
  check_print_texts(request.sources, launch.kernel);
  Strategy strategy{.config = config_of(launch, facts, false)};
  const auto log_of = [&]() -> std::optional<std::string> {  // of a text that is refused
    Program program(api, request.text, strategy.sources(request));
    program.add_expression(entry_expression(launch, strategy.config));
    auto options = request.options();
    options.push_back("--fdevice-syntax-only");
    const nvrtcResult result = program.compile(options);
    if (result == NVRTC_ERROR_COMPILATION) return program.log();
    program.check(result);
    return std::nullopt;
  };
  auto log = log_of();
  while (log && strategy.config.formulas && log->find(gives_up_types) != std::string::npos) {
    strategy.config = rules::with_fewer_formulas(strategy.config);
    log = log_of();
  }
  if (log) throw compile_error(*log, launch.source, request.sources);
}

}  // namespace tl::cuda
