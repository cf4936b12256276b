#include "interp/cuda/host/compile.h"

#include <algorithm>
#include <chrono>
#include <map>
#include <mutex>
#include <optional>
#include <utility>

#include "interp/cuda/host/computed_tiles.h"
#include "interp/cuda/host/dots_of_text.h"
#include "interp/cuda/host/expression.h"
#include "interp/cuda/host/known_resources.h"
#include "interp/cuda/host/literals.h"
#include "interp/cuda/host/log.h"
#include "interp/cuda/host/nvrtc_program.h"
#include "interp/cuda/host/print_texts.h"
#include "interp/cuda/host/ring_fit.h"
#include "interp/cuda/host/sources.h"
#include "interp/cuda/host/store_order.h"
#include "interp/lang/cache.h"
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

const Nvrtc& require_nvrtc() {
  std::optional<Error> why_not;
  if (const Nvrtc* api = nvrtc(&why_not)) return *api;
  throw Unavailable(*why_not);
}

// The number of sm_90a is 90; 0 of what names no chip.
int number_of(const std::string& arch) {
  if (!arch.starts_with("sm_")) return 0;
  const std::size_t end = std::min(arch.find_first_not_of("0123456789", 3), arch.size());
  const std::string digits = arch.substr(3, end - 3), suffix = arch.substr(end);
  if (digits.empty() || digits.size() > 4 || digits.front() == '0') return 0;
  const int number = std::stoi(digits);
  return suffix.empty() || (suffix == "a" && number >= 90) || (suffix == "f" && number >= 100) ? number : 0;
}

}  // namespace

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

namespace {

constexpr int most_stages = 8;

// What device/ says where a variable is assigned a value that the type of its first value cannot hold.
constexpr const char* gives_up = "assignment gives up what was known of";

std::vector<std::string> compile_options(const Nvrtc& api, const Launch& launch, const Target& target) {
  std::vector<std::string> options = {"-std=c++20", "-default-device", "-arch=" + target.arch, "-lineinfo",
                                      "-Xptxas=-v"};
  for (const auto& folder : api.include_folders) options.push_back("-I" + folder);
  if (target.generic) options.push_back("-DTILESCOPE_GENERIC");
  if (target.timeline) options.push_back("-DTILESCOPE_TIMELINE");
  if (!target.fused_multiply_add) options.push_back("-fmad=false");
  if (const int most = launch.options.max_registers; most > 0)
    options.push_back("-DTILESCOPE_MAX_REGISTERS=" + std::to_string(most));
  return options;
}

std::string recipe_of(const std::vector<std::string>& options, const std::string& text, const std::string& expression,
                      const Sources& sources) {
  std::string recipe = "NVRTC " + toolkit_version() + '\n' + expression + '\n' + text;
  for (const auto& option : options) recipe += option + '\n';
  for (const auto& [name, source] : sources) recipe += name + ' ' + fingerprint(source) + '\n';
  return recipe;
}

// Without a cubin where the compiler refuses; the log tells why.
Compiled compile_now(const Nvrtc& api, const std::vector<std::string>& options, const std::string& text,
                     const std::string& expression, const Sources& sources) {
  const auto start = std::chrono::steady_clock::now();
  Program program(api, text, sources);
  program.add_expression(expression);
  const nvrtcResult result = program.compile(options);
  Compiled compiled;
  compiled.log = program.log();
  if (result == NVRTC_ERROR_COMPILATION || compiled.log.find("ptxas fatal") != std::string::npos) return compiled;
  program.check(result);
  compiled.entry = program.mangled(expression);
  compiled.cubin = program.cubin();
  compiled.ptx = program.ptx();
  compiled.compile_ms = std::chrono::duration<double, std::milli>(std::chrono::steady_clock::now() - start).count();
  return compiled;
}

Compiled from_cache(std::vector<std::string> fields) {
  Compiled c;
  c.entry = std::move(fields[0]), c.cubin = std::move(fields[1]), c.ptx = std::move(fields[2]);
  c.log = std::move(fields[3]);
  c.from_cache = true;
  return c;
}

// How a launch is compiled. Where one way is refused the next is slower, and right.
struct Way {
  rules::Config config;
  std::vector<std::string> options;

  bool has_roles() const { return config.tensor_maps || config.copies_ahead; }
  // Two warpgroups whose dots run beside other work.
  bool may_take_turns() const { return config.matrix == rules::Matrix::wgmma && config.num_warps == 8; }
  void turn_tiles(const std::string& tiles) {
    if (config.tensor_maps) config.tensor_maps = false, config.copies_ahead = config.num_warps % 4 == 0;
    options.push_back("-DTILESCOPE_TURNED_TILES=" + tiles);
  }
  void turn_no_tiles() { options.push_back("-DTILESCOPE_TURNED_TILES="); }
  void take_turns() { options.push_back("-DTILESCOPE_TAKE_TURNS"); }
  void take_one_role() {
    config.tensor_maps = config.copies_ahead = false;
    config.matrix = rules::in_one_role(config.matrix);
    options.push_back("-DTILESCOPE_ONE_ROLE");
  }
  void take_plain_blocks() {
    config.formulas = false;
    if (config.copies_ahead) take_one_role();
    options.push_back("-DTILESCOPE_PLAIN");
  }
};

constexpr const char* no_copies_ahead = "no warps load ahead of the others, which is right but slower";

std::string told(const LoadAfterStore& load, const std::string& source) {
  return std::string(no_copies_ahead) + ": " + source + (load.line ? ":" + std::to_string(load.line) : "") +
         " may load through " + load.pointer + " what was stored " +
         (load.stored == load.pointer ? "there" : "through " + load.stored + ", which is the same tensor") +
         "\n    fix: store to a tensor of its own";
}

// Tries the ways to compile a launch, from the fastest on.
class Attempts {
 public:
  Attempts(const Nvrtc& api, const Launch& launch, const std::string& arch, const Sources& sources,
           const std::string& text, Way way)
      : way(std::move(way)), api_(api), launch_(launch), arch_(arch), sources_(sources), text_(text) {}

  std::string recipe() const { return recipe_of(way.options, text_, entry_expression(launch_, way.config), sources_); }

  // Throws CompileError when every way is refused; `notes` says what was given up, and where.
  Compiled best(std::vector<std::string>& notes) {
    Compiled compiled = obtain();
    const auto give_up = [&](const char* what, auto take) {
      const CompileError why = refusal_of(compiled);
      refused_.emplace_back(recipe(), compiled.log);
      (way.*take)();
      compiled = obtain();
      if (!compiled.cubin.empty()) notes.push_back(what + (": " + std::string(why.what())) + "\n    fix: " + why.fix);
    };
    if (const std::string tiles = compiled.cubin.empty() ? tiles_to_turn(compiled.log) : ""; !tiles.empty()) {
      const Way as_they_lie = way;
      refused_.emplace_back(recipe(), compiled.log);
      way.turn_tiles(tiles);
      compiled = obtain();
      if (compiled.cubin.empty()) {
        refused_.emplace_back(recipe(), compiled.log);
        way = as_they_lie;
        way.turn_no_tiles();
        compiled = obtain();
      }
    }
    const auto gives_up_types = [&] { return compiled.log.find(gives_up) != std::string::npos; };
    if (compiled.cubin.empty() && (way.config.copies_ahead || (way.config.tensor_maps && !gives_up_types())))
      give_up(no_copies_ahead, &Way::take_one_role);
    if (compiled.cubin.empty() && gives_up_types())
      give_up("compiled with offsets and masks as plain blocks, which is right but slower", &Way::take_plain_blocks);
    if (compiled.cubin.empty()) throw refusal_of(compiled);
    for (const auto& [recipe, log] : refused_) write_cache(recipe, {"", "", "", log});
    if (way.may_take_turns() && compiled.ptx.find("// tilescope.overlap") != std::string::npos) {
      way.take_turns();
      compiled = obtain();
    }
    if (way.has_roles()) take_wanted_stages(compiled, notes);
    if (way.has_roles()) fit_rings(compiled, notes);
    return compiled;
  }

  Way way;

 private:
  CompileError refusal_of(const Compiled& compiled) const {
    return compile_error(compiled.log, launch_.source, sources_);
  }
  // A refusal is cached with the way that was taken after it: by itself it may be the toolkit's fault.
  Compiled obtain() const {
    Compiled made;
    if (auto cached = read_cache(recipe(), 4)) {
      made = from_cache(std::move(*cached));
    } else {
      made = compile_now(api_, way.options, text_, entry_expression(launch_, way.config), sources_);
      if (!made.cubin.empty()) write_cache(recipe(), {made.entry, made.cubin, made.ptx, made.log});
    }
    made.resources = read_resources(made.log, made.ptx);
    if (made.resources.threads == 0)
      made.resources.threads = rules::threads_of(way.config);  // no bounds: device/entry.h
    return made;
  }
  // A loop's own num_stages goes before the launch's.
  void take_wanted_stages(Compiled& compiled, std::vector<std::string>& notes) {
    const int wanted = read_rings(compiled.ptx).stages_wanted, stages = std::min(wanted, most_stages);
    if (wanted > stages)
      notes.push_back("num_stages = " + std::to_string(stages) + " instead of " + std::to_string(wanted) +
                      ": a ring has no more");
    if (wanted == 0 || stages == way.config.num_stages) return;
    way.config.num_stages = stages;
    compiled = obtain();
    if (compiled.cubin.empty()) throw refusal_of(compiled);
  }
  // Rings that shared memory holds: of fewer stages, or none.
  void fit_rings(Compiled& compiled, std::vector<std::string>& notes) {
    const Rings rings = read_rings(compiled.ptx);
    const int stages = way.config.num_stages;
    const auto [fitting, single_slot_levels] = fit_of(compiled, stages, rules::most_shared_bytes(number_of(arch_)));
    const bool fits = fitting == stages && single_slot_levels == 0;
    if (rings.is_regular && fits && (way.config.tensor_maps || rings.bytes() > 0)) return;
    if (!rings.is_regular)
      notes.push_back(
          std::string(no_copies_ahead) +
          ": where a tile goes is known only as the kernel runs, since it is loaded under an if or in a loop "
          "that is no tl.range, or a turn loads more than 8\n    fix: load it in every turn, with a mask "
          "that is off where it is not wanted");
    else if (fitting == 0)
      notes.push_back(std::string(no_copies_ahead) +
                      ": shared memory does not hold one stage\n    fix: choose smaller blocks");
    if (rings.is_regular && fitting > 0 && rings.bytes() > 0) {
      if (fitting < stages)
        notes.push_back("num_stages = " + std::to_string(fitting) + " instead of " + std::to_string(stages) +
                        ": shared memory holds no more");
      way.config.num_stages = fitting;
      if (single_slot_levels > 0)
        way.options.push_back("-DTILESCOPE_SINGLE_SLOTS=" + std::to_string(single_slot_levels));
    } else {
      way.take_one_role();
    }
    compiled = obtain();
    if (compiled.cubin.empty()) throw refusal_of(compiled);
  }

  const Nvrtc& api_;
  const Launch& launch_;
  const std::string& arch_;
  const Sources& sources_;
  const std::string& text_;
  std::vector<std::pair<std::string, std::string>> refused_;  // recipes and logs
};

}  // namespace

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

std::shared_ptr<const Compiled> compile(const Launch& launch, const Target& target) {
  const Nvrtc& api = require_nvrtc();
  require_arch(target.arch);
  const auto sources = gather_sources({language, launch.source});
  const bool prints = check_print_texts(sources, launch.kernel) && target.prints;
  std::vector<std::string> notes;
  const bool is_hopper = target.arch == "sm_90a" && !target.generic;
  const std::string text = unit_of(launch);
  Way way{config_of(launch, is_hopper, dots_of_text(sources, launch.kernel), &notes),
          compile_options(api, launch, target)};
  if (prints) way.options.push_back("-DTILESCOPE_PRINTS");
  if (const auto why = way.has_roles() ? computed_tiles(sources, launch.kernel) : std::nullopt) {
    way.take_one_role();
    notes.push_back(std::string(no_copies_ahead) + ": " + *why);
  }
  if (const auto load = way.has_roles() ? load_after_store(sources, launch) : std::nullopt) {
    way.take_one_role();
    notes.push_back(told(*load, launch.source));
  }
  Attempts attempts(api, launch, target.arch, sources, text, std::move(way));

  static std::mutex mutex;
  static std::map<std::string, std::shared_ptr<const Compiled>> compiled_before;
  std::string key = attempts.recipe();
  for (const auto& note : notes) key += note;  // notes name this launch's tensors
  {
    const std::lock_guard lock(mutex);
    if (const auto it = compiled_before.find(key); it != compiled_before.end()) return it->second;
  }
  Compiled compiled = attempts.best(notes);
  check_literals(compiled.ptx, sources, notes);
  compiled.kernel = launch.kernel;
  compiled.arch = target.arch;
  compiled.tensor_maps = attempts.way.config.tensor_maps;
  compiled.uses_wgmma = attempts.way.config.matrix == rules::Matrix::wgmma;
  compiled.notes = std::move(notes);
  compiled.resources.is_plain = !attempts.way.config.formulas;
  compiled.resources.has_roles = attempts.way.has_roles();
  if (compiled.resources.has_roles) compiled.resources.num_stages = attempts.way.config.num_stages;
  if (!prints) keep_resources(launch, target, compiled.resources);
  auto result = std::make_shared<const Compiled>(std::move(compiled));
  const std::lock_guard lock(mutex);
  return compiled_before[key] = result;
}

void check_text(const Launch& launch) {
  const Nvrtc& api = require_nvrtc();
  const Target target{.arch = "sm_80"};  // any that every toolkit knows
  const auto sources = gather_sources({language, launch.source});
  check_print_texts(sources, launch.kernel);
  Way way{config_of(launch, false, dots_of_text(sources, launch.kernel)), compile_options(api, launch, target)};
  if (way.has_roles()) way.take_one_role();
  way.options.push_back("--fdevice-syntax-only");
  const std::string text = unit_of(launch);
  const auto log_of = [&]() -> std::optional<std::string> {  // of a text that is refused
    Program program(api, text, sources);
    program.add_expression(entry_expression(launch, way.config));
    const nvrtcResult result = program.compile(way.options);
    if (result == NVRTC_ERROR_COMPILATION) return program.log();
    program.check(result);
    return std::nullopt;
  };
  auto log = log_of();
  if (log && log->find(gives_up) != std::string::npos) {
    way.take_plain_blocks();
    log = log_of();
  }
  if (log) throw compile_error(*log, launch.source, sources);
}

}  // namespace tl::cuda
