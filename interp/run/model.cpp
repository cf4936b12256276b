// What a CTA takes, how its accesses travel, and what follows from both.
#include "interp/run/model.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <tuple>

#include "interp/cpu/addresses.h"
#include "interp/cpu/facts.h"
#include "interp/cuda/host/known_resources.h"
#include "interp/lang/error.h"
#include "interp/lang/text.h"
#include "interp/machine/access/coalescing.h"
#include "interp/machine/access/operand_tiles.h"
#include "interp/machine/dot_rate.h"
#include "interp/report/numbers.h"
#include "interp/report/terminal.h"
#include "interp/run/accesses.h"
#include "interp/run/cuda_config.h"

namespace tl::run {

using namespace report;

namespace {

// Registers hold the largest block of a program, 4 bytes an element, and a quarter of it once more, beside 20 for
// addresses (what NVRTC takes for kernels by element, by row and of tiles, mostly within a quarter), or are all that an
// SM has where warps pass them on; shared memory holds every stage's tiles, and one of each where none is copied ahead.
CtaFigures estimate(const Launch& launch, const trace::AccessRecord& record, const machine::CudaConfig& config) {
  CtaFigures known;
  machine::CtaResources& cta = known.cta;
  cta.threads = rules::threads_of(config);
  const bool copies_ahead = config.tensor_maps || config.copies_ahead;
  const auto is_staged = [](const trace::AccessPattern& p) {
    return p.kind == trace::AccessKind::load && p.route != trace::Route::registers;
  };
  const auto is_operand = [&](const trace::Segment& s, const trace::AccessPattern& p) {
    return is_staged(p) ||
           (!copies_ahead && s.dot_flops > 0 && p.kind == trace::AccessKind::load && p.is_tile && p.shape.rank == 2);
  };
  const auto lanes = [](const trace::AccessPattern& p) { return p.shape.product(); };
  std::int64_t largest = 0, staged = 0;
  for (const trace::AccessPattern& p : record.patterns)
    if (!is_staged(p)) largest = std::max(largest, lanes(p));
  for (const trace::Segment& s : record.segments) {
    std::map<std::tuple<int, int, int>, std::int64_t>
        tiles;  // tensor, line, column -> bytes: a short loop's iterations are all in one segment
    for (std::uint32_t a = s.first; a < s.first + s.size; ++a) {
      const auto& p = record.patterns[record.accesses[a].pattern];
      if (is_operand(s, p))
        tiles[{p.tensor, p.site.line, p.site.column}] = lanes(p) * size_in_bytes(record.tensors[p.tensor].dtype);
    }
    std::int64_t bytes = 0;
    for (const auto& [where, tile] : tiles) bytes += tile;
    staged = std::max(staged, bytes);
  }
  cta.shared_bytes = staged * (copies_ahead ? launch.options.num_stages : 1);
  const std::int64_t wanted = 20 + largest * 5 / 4 / (32 * config.num_warps),
                     most = launch.options.max_registers > 0 ? launch.options.max_registers : 255;
  machine::CudaConfig shared = config;
  if (config.matrix == rules::Matrix::wgmma && config.num_warps <= 8) {
    shared.programs_per_sm = 2;
    if (cta.shared_bytes > rules::most_shared_bytes(90, 2) || wanted > rules::register_shares(shared).working)
      shared.programs_per_sm = 1;
  }
  const bool moves = copies_ahead && rules::moves_registers(shared);
  cta.registers_per_thread = std::min<std::int64_t>(moves ? rules::register_shares(shared).at_start : wanted, most);
  if (wanted > most)
    known.spills = fmt::format(
        "a thread's values take about {} registers, and it has {}: what is spilled to memory the model does not count; "
        "more warps share a block, smaller blocks need less",
        wanted, most);
  return known;
}

// LANGUAGE.md says what makes a kernel so.
constexpr const char* without_formulas = ", without formulas: offsets and masks are blocks in registers";

CtaFigures of_compiled(const cuda::Resources& r, const std::string& how) {
  CtaFigures known{{r.threads, r.registers, r.static_shared_bytes + r.dynamic_shared_bytes, 0},
                   how + (r.is_plain ? without_formulas : ""),
                   false};
  if (r.spill_store_bytes + r.spill_load_bytes > 0)
    known.spills = fmt::format(
        "a thread's values do not fit its registers: {} are spilled to memory and {} loaded back, which the model does "
        "not count; more warps share a block, smaller blocks need less",
        bytes_text(r.spill_store_bytes), bytes_text(r.spill_load_bytes));
  return known;
}

// Compiled, where that may be and can be done; the disk keeps what was compiled before.
std::optional<cuda::Resources> compiled_resources(const Launch& launch, const machine::Device& device,
                                                  const ModelOptions& options, std::string& why_not) {
  why_not = options.why_not;
  if (why_not.empty()) why_not = why_no_cuda_path(device);
  if (!why_not.empty()) return std::nullopt;
  const cuda::Target target = target_of(device, options.generic);
  if (auto known = cuda::known_resources(launch, target)) return known;
  if (!cuda::toolkit_available(&why_not)) return std::nullopt;
  if (options.compiles_later) {
    why_not = "not yet";
    return std::nullopt;
  }
  try {
    const Progress progress(fmt::format("compiling {} for {}", short_name(launch.kernel), target.arch));
    return cuda::compile(launch, cpu::facts_of(launch), target)->resources;
  } catch (const Error& e) {
    const std::string words = e.what();
    why_not = words.substr(0, words.find('\n'));  // without the line and its caret
    return std::nullopt;
  }
}

// How the dots are fed, and the bytes that all programs store to and read from shared memory for them: each operand is
// stored once and read by every warp, or warpgroup, that needs it. The first program's dots, in proportion to all
// flops.
void find_dots(const Launch& launch, const machine::Device& device, const ModelOptions& options, Model& m) {
  double all = 0;
  for (const auto& p : m.record.programs) all += m.record.dot_flops(p);
  const double first = m.record.programs.empty() ? 0 : m.record.dot_flops(m.record.programs.front());
  if (first <= 0) return;
  machine::OperandTiles tiles;
  watch_apart(launch, tiles, 1, options.stop);
  machine::DotFeed feed{.has_roles = m.config.tensor_maps || m.config.copies_ahead};
  if (!machine::dot_rate(m.record, device).on_tensor_cores) {
    feed.shared_cycles =
        machine::shared_cycles_a_flop(tiles.tiles(), launch.options.num_warps, options.placement, device);
    m.shared_bytes = feed.shared_cycles * all * device.shared_bytes_a_clock;
    m.options.dots = feed;
    return;
  }
  double elements = 0, turned = 0, read = 0, by_mma_sync = 0;
  for (const auto& t : tiles.tiles()) {
    if (!t.dot_m) continue;
    const auto readers = rules::dot_readers(m.config, t.dot_m, t.dot_n);
    const double of_tile = static_cast<double>(t.times) * t.rows * t.cols, bytes = of_tile * size_in_bytes(t.dtype),
                 times_read = t.is_left ? readers.a : readers.b;
    const bool by_groups =
        m.config.matrix == rules::Matrix::wgmma && rules::fits_wgmma(t.dot_m, t.dot_n, m.config.num_warps);
    m.shared_bytes += bytes * (1 + times_read) * all / first;
    elements += of_tile;
    // Warpgroups read four-byte elements along k alone.
    if (by_groups && size_in_bytes(t.dtype) == 4 && t.is_left == t.transposed) turned += of_tile;
    if (!by_groups) {
      read += bytes * times_read;
      by_mma_sync += of_tile;
    }
  }
  if (elements > 0) feed.turned_share = turned / elements, feed.by_mma_sync = by_mma_sync > elements / 2;
  feed.shared_cycles = read / first / device.shared_bytes_a_clock;
  m.options.dots = feed;
}

void refuse_for_its_size(const Launch& launch, const machine::Device& device, const ModelOptions& options,
                         const Model& m) {
  const bool has_stages = m.config.tensor_maps || m.config.copies_ahead;
  const bool fewer_stages = m.occupancy.fix == "smaller blocks" && has_stages && m.config.num_stages > 1;
  throw Error(
      fmt::format("no SM of {} holds a CTA of {}: {}", device.title, short_name(launch.kernel), m.occupancy.why_none),
      m.occupancy.fix + (fewer_stages ? ", or fewer stages" : "") + options.or_else);
}

}  // namespace

Model model_of(const Launch& launch, const machine::Device& device, const ModelOptions& options) {
  refuse_huge_grids(launch);
  const Launch before = on_copies(launch);
  return model_of(before, cpu::record_accesses(launch, {.stop = options.stop}), device, options);
}

Model model_of(const Launch& launch, trace::AccessRecord record, const machine::Device& device,
               const ModelOptions& options) {
  Model m{.record = std::move(record), .config = {}, .resources = {}, .occupancy = {}, .options = {}, .notes = {}};
  m.config = cuda_config_of(launch, device, options.generic, machine::programs_of_every_line(m.record), options.stop);
  std::string why_not;
  const auto compiled = compiled_resources(launch, device, options, why_not);
  if (compiled) m.config = as_compiled(m.config, *compiled);
  const auto by_elements = route_as_compiled(m.record, m.config);
  if (compiled) {
    m.resources = of_compiled(*compiled, "compiled for " + target_of(device, options.generic).arch);
  } else {
    m.resources = estimate(launch, m.record, m.config);
    m.resources.is_estimate = true;
    m.resources.awaits_compiler = options.compiles_later && why_not == "not yet";
    m.resources.how = "an estimate, not compiled: " + why_not;
    if (!m.config.formulas) m.resources.how += "; the model expects it" + std::string(without_formulas);
  }
  m.occupancy = machine::occupancy_of(m.resources.cta, device);
  m.options.ctas_per_sm = options.ctas_per_sm > 0 ? options.ctas_per_sm : m.occupancy.ctas;
  if (m.options.ctas_per_sm < 1 && !options.may_not_fit) refuse_for_its_size(launch, device, options, m);
  m.options.threads_per_cta = m.resources.cta.threads;
  m.options.stages = m.config.num_stages;
  if (compiled) {
    const double threads = m.record.num_warps * 32.0;
    m.options.spilled_bytes = threads * (compiled->spill_store_bytes + compiled->spill_load_bytes);
    m.options.spills_fit = static_cast<double>(m.options.ctas_per_sm) *
                               (threads * compiled->stack_bytes + static_cast<double>(m.resources.cta.shared_bytes)) <=
                           static_cast<double>(device.l1_bytes);
  }
  find_dots(launch, device, options, m);
  for (const std::string& tensor : by_elements)
    m.notes.push_back(
        fmt::format("{} is loaded an element a lane, not copied by cp.async: its rows begin at no multiple of 16 "
                    "elements; pad them, and `tilescope coalesce` shows the difference",
                    tensor));
  if (!m.resources.spills.empty()) m.notes.push_back(m.resources.spills);
  return m;
}

Figures figures_of(const Model& m, const machine::Device& device) {
  return figures_of(m, device, machine::simulate(m.record, device, m.options));
}

Figures figures_of(const Model& m, const machine::Device& device, machine::Schedule schedule) {
  Figures f{.schedule = std::move(schedule), .roofline = {}, .cause = {}};
  f.roofline = machine::roofline_of(m.record, f.schedule, device, m.shared_bytes, m.options);
  f.cause = machine::cause_of(f.roofline, f.schedule.model_ms);
  return f;
}

problems::Chip chip_of(const machine::Device& d) {
  return {.sms = d.sms,
          .registers = d.registers_per_sm,
          .threads = d.threads_per_sm,
          .programs = d.ctas_per_sm,
          .shared_bytes = d.shared_bytes_per_cta};
}

}  // namespace tl::run
