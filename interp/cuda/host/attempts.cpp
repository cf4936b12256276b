#include "interp/cuda/host/attempts.h"

#include <algorithm>
#include <chrono>

#include "interp/cuda/host/nvrtc_program.h"
#include "interp/lang/cache.h"

namespace tl::cuda {

namespace {

constexpr int most_stages = 8;
const std::string at_a_loss = "one role, which is right but slower: ";

// What device/ says where a kernel multiplies, of which the facts know nothing.
constexpr const char* has_a_dot = "the kernel was compiled without USES_DOT";

// Without a cubin where the compiler refuses; the log tells why.
Compiled compile_now(const Request& request, const Strategy& strategy) {
  const auto start = std::chrono::steady_clock::now();
  const std::string expression = entry_expression(request.launch, strategy.config);
  Program program(request.api, request.text, strategy.sources(request));
  program.add_expression(expression);
  const nvrtcResult result = program.compile(request.options());
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
  c.entry = std::move(fields[0]);
  c.cubin = std::move(fields[1]);
  c.ptx = std::move(fields[2]);
  c.log = std::move(fields[3]);
  c.from_cache = true;
  return c;
}

std::string joined(const std::vector<std::string>& names) {
  std::string text;
  for (std::size_t i = 0; i < names.size(); ++i)
    text += (i == 0 ? "" : i + 1 == names.size() ? " and " : ", ") + names[i];
  return text;
}

std::string fewer_stages(int wanted, int there_are, const char* why) {
  if (wanted <= there_are) return "";
  return "num_stages = " + std::to_string(there_are) + " instead of " + std::to_string(wanted) + ": " + why;
}

}  // namespace

std::vector<std::string> Request::options() const {
  std::vector<std::string> options = {"-std=c++20", "-default-device", "-arch=" + target.arch, "-lineinfo",
                                      "-Xptxas=-v"};
  for (const auto& folder : api.include_folders) options.push_back("-I" + folder);
  if (!target.fused_multiply_add) options.push_back("-fmad=false");
  return options;
}

std::string Strategy::build_text() const {
  rules::Build whole = build;
  whole.formulas = config.formulas;
  whole.affine_only = config.affine_only;
  whole.one_role = !has_roles();
  whole.working_threads = has_roles() ? 32 * config.num_warps : 0;
  whole.lookups = config.lookups;
  whole.programs_per_sm = config.programs_per_sm;
  return cuda::build_text(whole);
}

Sources Strategy::sources(const Request& request) const {
  Sources sources = request.sources;
  sources["interp/cuda/device/build.h"] = build_text();
  return sources;
}

std::string Attempts::refusal_text() const {
  const CompileError why = refusal();
  return why.what() + ("\n    fix: " + why.fix);
}

// By shared memory; the registers of one program are all that an SM has.
bool Attempts::has_room_for_two() const {
  const rules::Config& c = strategy_.config;
  if (!strategy_.has_roles() || c.matrix != rules::Matrix::wgmma || c.num_warps > 8 ||
      strategy_.build.max_registers > 0)
    return false;
  const Resources& r = made_.resources;
  const int registers = (r.registers + 7) / 8 * 8;
  return r.static_shared_bytes + r.dynamic_shared_bytes <=
             rules::most_shared_bytes(number_of(request_.target.arch), 2) &&
         2 * r.threads * registers > rules::registers_per_sm;
}
// Whether values go to memory, or dots one by one, since registers are too few.
bool Attempts::lacks_registers() const {
  return made_.resources.spill_store_bytes + made_.resources.spill_load_bytes > 0 || says("(C7512)");
}

RingFit Attempts::fit() const {
  return fit_of(made_, strategy_.config.num_stages, rules::most_shared_bytes(number_of(request_.target.arch)));
}

// Why a loop has its roles, or has not.
std::string Attempts::roles() const {
  const auto& [api, launch, facts, target, sources, text] = request_;
  const rules::Config& c = strategy_.config;
  if (strategy_.has_roles()) {
    const int copying = rules::producer_warps(c);
    return "roles: " + (copying == 1 ? "1 warp copies" : std::to_string(copying) + " warps copy") + " tiles" +
           (facts.tiles.empty() ? "" : " of " + joined(facts.tiles)) + (c.tensor_maps ? " by TMA" : "") +
           ", ahead of the " + std::to_string(c.num_warps) + " that work on them";
  }
  if (would_have_roles(launch, facts, request_.is_hopper()))
    return at_a_loss + facts.one_role->fact + (facts.one_role->fix.empty() ? "" : "\n    fix: " + facts.one_role->fix);
  if (facts.dots != rules::Dots::none)
    return "one role: roles take a multiple of 4 warps, and num_warps is " + std::to_string(c.num_warps);
  return "one role: the kernel multiplies nothing, and copies no tiles by TMA";
}

std::string Attempts::recipe() const {
  std::string recipe = "NVRTC " + toolkit_version() + '\n' + entry_expression(request_.launch, strategy_.config) +
                       '\n' + request_.text + strategy_.build_text();
  for (const auto& option : request_.options()) recipe += option + '\n';
  for (const auto& [name, source] : request_.sources) recipe += name + ' ' + fingerprint(source) + '\n';
  return recipe;
}

Compiled Attempts::compile() const {
  Compiled made;
  if (auto cached = read_cache(recipe(), 4)) {
    made = from_cache(std::move(*cached));
  } else {
    made = compile_now(request_, strategy_);
    if (!made.cubin.empty()) write_cache(recipe(), {made.entry, made.cubin, made.ptx, made.log});
  }
  made.resources = read_resources(made.log, made.ptx);
  if (made.resources.threads == 0)
    made.resources.threads = rules::threads_of(strategy_.config);  // no bounds: device/entry.h
  return made;
}

// A row of the table. `note` says what the strategy so far gives up; it is called before `take` changes the strategy.
struct Attempts::Step {
  bool after_refusal;  // whether the compiler refused the strategy so far, or took it
  bool (*when)(const Attempts&);
  void (*take)(Attempts&);
  std::string (*note)(const Attempts&) = nullptr;
};

// In this order, each row once; a row that changes the strategy compiles again.
//
// `compile matmul dtype=f32` for an H100: wgmma reads f32 along k alone, and refuses b as it lies. Row 1 has b turned
// on its way to shared memory, which is then taken, and no later row applies: compiled twice. Were a turn's tiles too
// large for two stages, the last row would have it compiled a third time.
std::span<const Attempts::Step> Attempts::table() {
  static const Step rows[] = {
      // wgmma reads tiles of this dtype along k alone: the warps that copy them turn them.
      {.after_refusal = true,
       .when = [](const Attempts& a) { return !tiles_to_turn(a.made_.log).empty(); },
       .take =
           [](Attempts& a) {
             rules::Config& c = a.strategy_.config;
             const auto tiles = tiles_to_turn(a.made_.log);
             std::copy_n(tiles.begin(), std::min<std::size_t>(tiles.size(), rules::most_turned_tiles),
                         a.strategy_.build.turned_tiles);
             a.strategy_.build.asks_for_turned_tiles = false;
             if (c.tensor_maps) {
               c.tensor_maps = false;
               c.copies_ahead = c.num_warps % 4 == 0;
             }
           }},
      // These cannot be turned: the warps that multiply them do it.
      {.after_refusal = true,
       .when = [](const Attempts& a) { return !a.strategy_.build.asks_for_turned_tiles; },
       .take =
           [](Attempts& a) {
             a.strategy_.config = config_of(a.request_.launch, a.request_.facts, a.request_.is_hopper());
             std::ranges::fill(a.strategy_.build.turned_tiles, rules::StoredTile{});
           }},
      // A dot that no path comes to is compiled all the same.
      {.after_refusal = true,
       .when = [](const Attempts& a) { return a.says(has_a_dot); },
       .take =
           [](Attempts& a) {
             rules::Config& c = a.strategy_.config;
             c.matrix =
                 rules::matrix_of(rules::Dots::any, a.request_.is_hopper() && a.strategy_.has_roles(), c.num_warps);
           }},
      // Rows of tables go as blocks: a variable takes another row, or a mask is no box.
      {.after_refusal = true,
       .when = [](const Attempts& a) { return a.strategy_.config.lookups; },
       .take = [](Attempts& a) { a.strategy_.config = rules::with_fewer_formulas(a.strategy_.config); },
       .note =
           [](const Attempts& a) {
             return "compiled with rows of tables as blocks in registers, which is right but slower: " +
                    a.refusal_text();
           }},
      // Offsets that are not affine go as blocks, if that makes their types agree.
      {.after_refusal = true,
       .when = [](const Attempts& a) { return a.says(gives_up_types); },
       .take = [](Attempts& a) { a.strategy_.config = rules::with_fewer_formulas(a.strategy_.config); },
       .note =
           [](const Attempts& a) {
             return "compiled with offsets that are not affine as blocks in registers, which is right but slower: " +
                    a.refusal_text();
           }},
      // What cannot be cut in two roles.
      {.after_refusal = true,
       .when =
           [](const Attempts& a) {
             return a.strategy_.config.copies_ahead || (a.strategy_.config.tensor_maps && !a.says(gives_up_types));
           },
       .take = [](Attempts& a) { a.strategy_.take_one_role(); },
       .note = [](const Attempts& a) { return a.refusal_text(); }},
      // Offsets and masks whose types would change go as blocks.
      {.after_refusal = true,
       .when = [](const Attempts& a) { return a.says(gives_up_types); },
       .take =
           [](Attempts& a) {
             a.strategy_.config = rules::with_fewer_formulas(a.strategy_.config);
             if (a.strategy_.config.copies_ahead) a.strategy_.take_one_role();
           },
       .note =
           [](const Attempts& a) {
             return "compiled with offsets and masks as plain blocks, which is right but slower: " + a.refusal_text();
           }},

      // The dots of two warpgroups run beside other work: they take turns.
      {.after_refusal = false,
       .when =
           [](const Attempts& a) {
             return a.strategy_.config.matrix == rules::Matrix::wgmma && a.strategy_.config.num_warps == 8 &&
                    !read_reports(a.made_.ptx, rules::Report::overlap).empty();
           },
       .take = [](Attempts& a) { a.strategy_.build.takes_turns = true; }},
      // A loop's own num_stages goes before the launch's.
      {.after_refusal = false,
       .when =
           [](const Attempts& a) {
             const int wanted = a.rings().stages_wanted;
             return a.strategy_.has_roles() && wanted > 0 && wanted != a.strategy_.config.num_stages;
           },
       .take = [](Attempts& a) { a.strategy_.config.num_stages = std::min(a.rings().stages_wanted, most_stages); },
       .note =
           [](const Attempts& a) { return fewer_stages(a.rings().stages_wanted, most_stages, "a ring has no more"); }},
      {.after_refusal = false,
       .when = [](const Attempts& a) { return a.strategy_.has_roles() && !a.rings().is_regular; },
       .take = [](Attempts& a) { a.strategy_.take_one_role(); },
       .note =
           [](const Attempts&) {
             return std::string(
                 "a tile's place is known only as the kernel runs: it is loaded under an if or in a loop that is no "
                 "tl.range, or a turn loads more than 8\n    fix: load it in every turn, with a mask that is off "
                 "where the tile is not needed");
           }},
      {.after_refusal = false,
       .when = [](const Attempts& a) { return a.strategy_.has_roles() && a.fit().stages == 0; },
       .take = [](Attempts& a) { a.strategy_.take_one_role(); },
       .note =
           [](const Attempts&) {
             return std::string("shared memory does not hold one stage\n    fix: choose smaller blocks");
           }},
      {.after_refusal = false,
       .when = [](const Attempts& a) { return a.strategy_.config.copies_ahead && a.rings().bytes() == 0; },
       .take = [](Attempts& a) { a.strategy_.take_one_role(); }},
      {.after_refusal = false,
       .when =
           [](const Attempts& a) {
             return a.strategy_.has_roles() && !read_reports(a.made_.ptx, rules::Report::exchange).empty();
           },
       .take = [](Attempts& a) { a.strategy_.take_one_role(); },
       .note =
           [](const Attempts&) {
             return std::string(
                 "an index needs lanes of other threads, which the warps that copy do not exchange\n    fix: make "
                 "indices of tl.arange, program ids and numbers");
           }},
      // Rings of fewer stages, or of one slot in the loops around the innermost.
      {.after_refusal = false,
       .when =
           [](const Attempts& a) {
             return a.strategy_.has_roles() &&
                    (a.fit().stages < a.strategy_.config.num_stages || a.fit().single_slot_levels > 0);
           },
       .take =
           [](Attempts& a) {
             const RingFit fit = a.fit();
             a.strategy_.config.num_stages = fit.stages;
             a.strategy_.build.single_slot_levels = fit.single_slot_levels;
           },
       .note =
           [](const Attempts& a) {
             return fewer_stages(a.strategy_.config.num_stages, a.fit().stages, "shared memory holds no more");
           }},
      // While one program waits for its tiles or its softmax, another one multiplies.
      {.after_refusal = false,
       .when = [](const Attempts& a) { return a.has_room_for_two(); },
       .take = [](Attempts& a) { a.strategy_.config.programs_per_sm = 2; }},
      {.after_refusal = true,
       .when = [](const Attempts& a) { return a.strategy_.config.programs_per_sm == 2; },
       .take = [](Attempts& a) { a.strategy_.config.programs_per_sm = 1; }},
      {.after_refusal = false,
       .when = [](const Attempts& a) { return a.strategy_.config.programs_per_sm == 2 && a.lacks_registers(); },
       .take = [](Attempts& a) { a.strategy_.config.programs_per_sm = 1; }},
  };
  return rows;
}

Compiled Attempts::compile_best(std::vector<std::string>& notes) {
  if (roles_.starts_with(at_a_loss)) notes.push_back(roles_);
  made_ = compile();
  for (const Step& step : table()) {
    if (step.after_refusal != is_refused() || !step.when(*this)) continue;
    std::string note = step.note ? step.note(*this) : "";
    const bool had_roles = strategy_.has_roles();
    if (is_refused()) refused_.emplace_back(recipe(), made_.log);
    step.take(*this);
    made_ = compile();
    if (had_roles && !strategy_.has_roles()) {
      roles_ = note.empty() ? "one role: no loop loads a tile that could be copied ahead" : at_a_loss + note;
      if (!note.empty()) note = roles_;
    }
    if (!note.empty() && !is_refused()) notes.push_back(note);
  }
  if (is_refused()) throw refusal();
  // A refusal is cached only beside a strategy that worked: alone it may be the toolkit's fault.
  for (const auto& [recipe, log] : refused_) write_cache(recipe, {"", "", "", log});

  made_.roles = strategy_.has_roles() ? roles() : roles_;
  made_.tensor_maps = strategy_.config.tensor_maps;
  made_.uses_wgmma = strategy_.config.matrix == rules::Matrix::wgmma;
  made_.resources.is_plain = !strategy_.config.formulas;
  made_.resources.is_affine_only = strategy_.config.affine_only;
  made_.resources.has_roles = strategy_.has_roles();
  if (strategy_.has_roles()) made_.resources.num_stages = strategy_.config.num_stages;
  return std::move(made_);
}

}  // namespace tl::cuda
