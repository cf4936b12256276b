#include "interp/run/cuda_config.h"

#include <fmt/format.h>

#include <algorithm>
#include <optional>
#include <utility>

#include "interp/cpu/addresses.h"
#include "interp/cpu/facts.h"
#include "interp/cuda/host/expression.h"
#include "interp/lang/error.h"
#include "interp/machine/access/cuda_access.h"
#include "interp/machine/access/type_tracker.h"
#include "interp/run/accesses.h"

namespace tl::run {

std::string why_no_cuda_path(const machine::Device& d) {
  return d.cc_major >= 8
             ? ""
             : fmt::format("our CUDA path needs compute capability 8.0, {} has {}.{}", d.name, d.cc_major, d.cc_minor);
}

cuda::Target target_of(const machine::Device& device, bool generic) {
  const int cc = device.cc_major * 10 + device.cc_minor;
  return {.arch = fmt::format("sm_{}{}", cc, cc == 90 ? "a" : ""), .generic = generic};
}

namespace {

// The types of a few programs' values: whether they keep their formulas, and whether a tile is copied ahead.
class TypeObserver : public machine::TypeTracker {
 public:
  using TypeTracker::TypeTracker;

  bool copies_ahead() const { return copies_ahead_; }
  // Tiles are turned as they are copied, where none of their size lies right: all of a size are, or none.
  bool turns_tiles() const { return !turned_.empty() && !is_refused_by_pointers(); }
  bool is_refused_by_pointers() const {
    return reads_across_ || std::ranges::any_of(turned_, [&](const auto& size) { return in_place_.contains(size); });
  }

  void op(const trace::OpEvent& e) override {
    TypeTracker::op(e);
    if (e.access && e.access->kind == trace::AccessKind::load) copies_ahead_ |= is_copied_ahead(e);
    if (e.op == Op::dot && e.operands.size() >= 2 && e.operands[0].shape.size() == 2) look_at_operands(e);
  }

 private:
  // A descriptor's tile of any shape; a large tile of pointers that are a formula of its coordinates.
  bool is_copied_ahead(const trace::OpEvent& e) const {
    const bool by_descriptor = e.operands.empty() || e.operands[0].tensor < 0;
    if (by_descriptor) return e.access->shape.rank > 0;
    return machine::goes_through_ring(e, config()) && type_of(e.operands[0]).form != machine::CudaType::Form::gather;
  }

  // Warpgroups read tiles where they lie: 16-bit ones either way, others along k alone (device/dot/wgmma_dot.h).
  void look_at_operands(const trace::OpEvent& e) {
    if (config().matrix != rules::Matrix::wgmma) return;
    const auto size = [&](int operand, int axis) { return static_cast<int>(e.operands[operand].shape[axis]); };
    if (!rules::fits_wgmma(size(0, 0), size(1, 1), config().num_warps)) return;
    for (int side = 0; side < 2; ++side) {
      const machine::CudaType type = type_of(e.operands[side]);
      if (type.form != machine::CudaType::Form::tile) continue;
      std::pair stored(type.shape()[0], type.shape()[1]);
      if (type.transposed) std::swap(stored.first, stored.second);
      const int bytes = size_in_bytes(type.dtype);
      const bool along_k = type.transposed == (side == 1);
      if (stored.second * bytes >= 32 && stored.first >= 8 && (bytes == 2 || along_k)) in_place_.insert(stored);
      else if (bytes == 4) turned_.insert(stored);
      else reads_across_ = true;
    }
  }

  bool copies_ahead_ = false, reads_across_ = false;
  std::set<std::pair<int, int>> in_place_, turned_;  // tiles that warpgroups read, by their rows and columns as stored
};

}  // namespace

machine::CudaConfig cuda_config_of(const Launch& launch, const machine::Device& device, bool generic,
                                   const std::vector<std::int64_t>& programs, const std::atomic<bool>* stop) {
  machine::CudaConfig config = cuda::config_of(launch, cpu::facts_of(launch), device.cc_major == 9 && !generic);
  if (device.cc_major < 8) config.tensor_maps = config.copies_ahead = false;  // it has no cp.async
  std::optional<TypeObserver> watched;
  try {
    while (true) {
      watched.emplace(config, programs);
      watch_apart(launch, *watched, programs.empty() ? 0 : programs.back() + 1, stop);
      if (!config.formulas || !watched->gives_up_formulas()) break;
      config = rules::with_fewer_formulas(config);
      if (!config.formulas) break;
    }
  } catch (const FaultError& e) {
    if (e.fault.kind == FaultKind::stopped) throw;
    return config;
  } catch (const std::exception&) {  // data decides and is not there; a mistake, which a run tells of
    return config;
  }
  const TypeObserver& types = *watched;
  if (config.tensor_maps && types.turns_tiles()) {  // TMA turns nothing
    config.tensor_maps = false;
    config.copies_ahead = config.num_warps % 4 == 0;
  } else if (config.copies_ahead && !(config.formulas && types.copies_ahead() && !types.is_refused_by_pointers())) {
    config = cuda::in_one_role(config);
  }
  return config;
}

machine::CudaConfig as_compiled(machine::CudaConfig config, const cuda::Resources& compiled) {
  config.formulas = !compiled.is_plain;
  config.affine_only = compiled.is_affine_only;
  if (compiled.num_stages > 0) config.num_stages = compiled.num_stages;
  if (!compiled.has_roles && cuda::has_roles(config)) config = cuda::in_one_role(config);
  return config;
}

// cp.async takes four bytes or more: rows that do not begin at multiples of them go element by element.
static bool goes_by_elements(const trace::AccessPattern& p, const trace::AccessRecord& record) {
  const auto bytes = static_cast<std::int64_t>(size_in_bytes(record.tensors[p.tensor].dtype));
  if (p.route != trace::Route::staged || !p.is_tile || bytes >= 4) return false;
  for (int d = 0; d < p.shape.rank; ++d)
    if (p.strides[d] != 1 && p.strides[d] * bytes % 4 != 0) return true;
  return false;
}

std::set<std::string> route_as_compiled(trace::AccessRecord& record, const machine::CudaConfig& config) {
  record.uses_wgmma = config.matrix == rules::Matrix::wgmma;
  record.least_divisor = config.least_divisor;
  std::set<std::string> by_elements;
  for (trace::AccessPattern& p : record.patterns) {
    const bool is_descriptor = p.route == trace::Route::descriptor, is_load = p.kind == trace::AccessKind::load;
    if (is_descriptor && config.tensor_maps) continue;
    p.route = trace::Route::registers;
    if (config.copies_ahead && is_load && p.is_tile &&
        (is_descriptor || (config.formulas && rules::is_ring_load(machine::sizes_of(p.shape.span())))))
      p.route = trace::Route::staged;
    if (goes_by_elements(p, record)) {
      p.route = trace::Route::registers;
      by_elements.insert(record.tensors[p.tensor].name);
    }
  }
  return by_elements;
}

}  // namespace tl::run
