#include "interp/machine/access/cuda_access.h"

#include <algorithm>
#include <tuple>

#include "interp/machine/access/type_tracker.h"

namespace tl::machine {

using rules::Form;
using trace::Op;

namespace {

std::size_t u(int i) { return static_cast<std::size_t>(i); }

void set_affine(AccessPlan& plan, const CudaType& pointer, const CudaConfig& config) {
  const rules::Access access = access_of(pointer, config);
  plan.layout = access.layout;
  plan.axis = access.axis;
  plan.elements = access.elements;
}

AccessPlan plan_of(trace::AccessKind kind, std::span<const std::int64_t> shape, int element_bytes) {
  AccessPlan plan;
  plan.element_bytes = element_bytes;
  plan.is_store = kind != trace::AccessKind::load;
  plan.all_holders = !plan.is_store;
  if (kind == trace::AccessKind::atomic) plan.path = Path::atomic;
  plan.shape = sizes_of(shape);
  return plan;
}
AccessPlan plan_of(const trace::OpEvent& event, DType dtype) {
  return plan_of(event.access->kind, event.access->shape.span(), size_in_bytes(dtype));
}

// A loop over the elements in the order of memory, one a thread: for_each_element, and tiles that cp.async cannot copy.
void set_element_by_element(AccessPlan& plan, bool transposed, const CudaConfig& config) {
  plan.layout = rules::blocked(plan.shape, transposed ? 0 : plan.shape.rank - 1, 1, config.num_warps);
  plan.elements = 1;
  plan.axis = -1;
  plan.all_holders = false;
}

// Copied to shared memory, ahead of the dot.
void set_staged(AccessPlan& plan, bool fill_is_zero, const CudaConfig& config) {
  if (!rules::can_copy_async(plan.elements, plan.element_bytes) || !fill_is_zero) {
    set_element_by_element(plan, plan.shape.rank == 2 && plan.axis == 0, config);
    return;
  }
  plan.path = Path::cp_async;
  plan.all_holders = false;
  plan.fills = true;
}

bool fill_is_zero(const trace::OpEvent& event) {
  // pointer, mask, other: `other` is a value already, of the tensor's dtype
  for (std::size_t i = 1; i < event.operands.size(); ++i) {
    const trace::Value& v = event.operands[i];
    if (v.dtype == DType::int1 && i + 1 < event.operands.size()) continue;
    if (i == 1 && v.dtype == DType::int1) continue;
    const auto* bytes = reinterpret_cast<const unsigned char*>(v.data());
    return std::all_of(bytes, bytes + size_in_bytes(v.dtype), [](unsigned char b) { return b == 0; });
  }
  return true;
}

struct TileAxis {
  std::int64_t size = 0, stride = 0, offset = 0;
  bool checked = false;
};
std::array<TileAxis, 8> tile_axes(const trace::OpEvent& event) {
  std::array<TileAxis, 8> axes{};
  for (const trace::LiteralOperand& l : event.literals) {
    TileAxis& axis = axes[l.position / 3u];
    if (l.position % 3 == 0) {
      axis.size = l.value;
      axis.checked = l.is_constant;
    } else if (l.position % 3 == 1) axis.stride = l.value;
    else axis.offset = l.value;
  }
  return axes;
}

}  // namespace

bool goes_through_ring(const trace::OpEvent& event, const CudaConfig& config) {
  return event.op == Op::load && config.copies_ahead && config.formulas &&
         rules::is_ring_load(sizes_of(event.results[0].shape));
}

const char* name_of(Path path) {
  switch (path) {
    case Path::lsu: return "load/store";
    case Path::atomic: return "atomic";
    case Path::cp_async: return "cp.async";
    case Path::tma: return "TMA";
  }
  return "?";
}

bool same_requests(const AccessPlan& a, const AccessPlan& b) {
  const auto all = [](const AccessPlan& p) {
    return std::tie(p.path, p.is_store, p.element_bytes, p.shape, p.layout, p.elements, p.axis, p.all_holders,
                    p.is_uniform, p.repeats, p.one_thread, p.fills, p.box_cols);
  };
  return all(a) == all(b) &&
         (a.unaligned && b.unaligned ? same_requests(*a.unaligned, *b.unaligned) : a.unaligned == b.unaligned);
}

rules::Access access_of(const CudaType& p, const CudaConfig& config) {
  const int bytes = size_in_bytes(p.dtype);
  if (p.form == Form::formula_pointers) return rules::access_of(config, p.axes, p.divisibility(), bytes);
  return rules::access_of(config, p.index, bytes);
}
ThreadLayout access_layout(const CudaType& p, const CudaConfig& config) { return access_of(p, config).layout; }

AccessPlan plan_access(const trace::OpEvent& event, const CudaType& pointer, const CudaType* mask,
                       const CudaConfig& config) {
  AccessPlan plan = plan_of(event, pointer.dtype);
  if (pointer.form == Form::pointer) {
    plan.layout = rules::row_major({}, 1, config.num_warps);
    plan.one_thread = plan.is_store;
    // The producer loads scalars for itself; by TMA it is one thread.
    plan.repeats = plan.is_store ? 1 : config.num_warps + rules::producer_warps(config);
    return plan;
  }
  if (pointer.form == Form::gather) {
    plan.layout = pointer.layout;
    return plan;
  }
  const bool is_staged = goes_through_ring(event, config);
  const CudaConfig by = is_staged ? rules::copying(config) : config;
  set_affine(plan, pointer, by);
  if (plan.path == Path::atomic) {
    plan.elements = 1;
    return plan;
  }
  if (mask && mask->form != Form::scalar) {
    const CudaType box = mask->form == Form::box ? stretched(*mask, pointer.shape(), config) : *mask;
    plan.is_uniform =
        plan.elements == 1 || (box.form == Form::box && box.aligned[std::max(plan.axis, 0)] >= plan.elements);
  }
  if (is_staged) set_staged(plan, fill_is_zero(event), by);
  return plan;
}

AccessPlan plan_tile(const trace::OpEvent& event, DType dtype, bool is_descriptor, const CudaConfig& config) {
  AccessPlan plan = plan_of(event, dtype);
  const int rank = plan.shape.rank;
  if (is_descriptor && config.tensor_maps) {
    plan.path = Path::tma;
    plan.box_cols = std::min(plan.shape[rank - 1], 128 / plan.element_bytes);
    return plan;
  }
  // A tile by accesses of 16 bytes, each whole or off, where the tensor allows it; a stride of 1 is part of the type.
  const auto axes = tile_axes(event);
  CudaType wide;
  wide.form = Form::pointer_block;
  wide.dtype = dtype;
  wide.index = rules::descriptor_strides(plan.shape);
  for (int i = 0; i < rank && !is_descriptor; ++i)
    wide.index.coefficient[i] = axes[u(i)].stride == 1 ? 1 : rules::run_time + 1;
  wide.index = rules::refined(wide.index);
  const bool is_staged = goes_through_ring(event, config);
  const CudaConfig by = is_staged ? rules::copying(config) : config;
  AccessPlan by_elements = plan;
  set_element_by_element(by_elements, false, by);
  const int axis = rules::contiguous_axis(wide.index);
  bool possible = axis >= 0 && axes[u(std::max(axis, 0))].stride == 1;
  for (int i = 0; i < rank; ++i)
    if (rules::is_run_time(wide.index.coefficient[i]))
      possible = possible && axes[u(i)].stride * plan.element_bytes % 16 == 0;
  if (axis >= 0 && axes[u(axis)].checked)
    possible = possible && axes[u(axis)].size % std::max(1, 16 / plan.element_bytes) == 0;
  if (!possible) return by_elements;
  set_affine(plan, wide, by);
  if (is_staged) set_staged(plan, true, by);
  plan.unaligned = std::make_shared<const AccessPlan>(std::move(by_elements));
  return plan;
}

AccessPlan plan_one_lane_an_element(trace::AccessKind kind, std::span<const std::int64_t> shape, int element_bytes) {
  AccessPlan plan = plan_of(kind, shape, element_bytes);
  plan.layout = rules::row_major(plan.shape, 1, std::max(1, plan.shape.count() / 32));
  plan.all_holders = false;
  return plan;
}

namespace {

using Visit = std::function<void(const Request&)>;

// A box is asked for row by row; a request here is up to 32 rows of it.
void box_requests(const AccessPlan& plan, const trace::Access& access, const Visit& visit) {
  const int rows = plan.shape[0], cols = plan.shape[1];
  for (int box = 0; box < cols; box += plan.box_cols)
    for (int first = 0; first < rows; first += 32) {
      Request request;
      for (int row = first; row < std::min(rows, first + 32); ++row) {
        int on = 0;
        const int flat = row * cols + box;
        while (on < plan.box_cols && access.is_active(flat + on)) ++on;
        if (on == 0) continue;
        request.active |= 1u << (row - first);
        request.address[u(row - first)] = access.offset(flat) * plan.element_bytes;
        request.bytes = on * plan.element_bytes;
      }
      if (request.active) visit(request);
    }
}

void scalar_requests(const AccessPlan& plan, const trace::Access& access, const Visit& visit) {
  if (!access.is_active(0)) return;
  Request request;
  request.bytes = plan.element_bytes;
  request.active = plan.one_thread ? 1u : ~0u;
  request.address.fill(access.offset(0) * plan.element_bytes);
  for (request.warp = 0; request.warp < plan.repeats; ++request.warp) visit(request);
}

// What each element costs is looked up once: lanes on, and where.
struct Elements {
  std::vector<unsigned char> on;
  std::vector<std::int64_t> byte;
  Elements(const AccessPlan& plan, const trace::Access& access) {
    const int n = plan.shape.count();
    on.resize(u(n));
    byte.resize(u(n));
    for (int i = 0; i < n; ++i) {
      on[u(i)] = access.is_active(i);
      byte[u(i)] = access.offset(i) * plan.element_bytes;
    }
  }
};

}  // namespace

void for_each_request(const AccessPlan& plan, const trace::Access& access, const Visit& visit) {
  if (plan.unaligned && access.base * plan.element_bytes % 16 != 0)
    return for_each_request(*plan.unaligned, access, visit);
  if (plan.path == Path::tma) return box_requests(plan, access, visit);
  if (plan.shape.empty()) return scalar_requests(plan, access, visit);
  const Elements elements(plan, access);
  const ThreadLayout& l = plan.layout;
  const int step = plan.axis < 0 ? 0 : plan.shape.stride(plan.axis);
  const int vector_bits = plan.elements > 1 ? l.register_of(step * (plan.elements - 1)) : 0;
  for (int warp = 0; warp < l.warp_count(); ++warp)
    for (int r = 0; r < l.register_count(); ++r) {
      if (r & vector_bits) continue;
      Request wide;
      wide.warp = warp;
      wide.bytes = plan.elements * plan.element_bytes;
      std::uint32_t cut = 0;  // lanes whose access is not whole
      std::array<int, 32> first{};
      for (int lane = 0; lane < 32; ++lane) {
        const int thread = 32 * warp + lane;
        if (!plan.all_holders && !l.is_first_holder(thread)) continue;
        const int flat = l.of_thread(thread) + l.of_register(r);
        first[u(lane)] = flat;
        int on = 0;
        for (int e = 0; e < plan.elements; ++e) on += elements.on[u(flat + step * e)];
        wide.address[u(lane)] = elements.byte[u(flat)];
        // A copy takes the head of a row's tail: fewer bytes of the same access.
        if (on == plan.elements || (plan.fills && on > 0)) wide.active |= 1u << lane;
        else cut |= 1u << lane;
      }
      if (wide.active) visit(wide);
      if (plan.is_uniform || plan.fills || !cut) continue;
      for (int e = 0; e < plan.elements; ++e) {
        Request one;
        one.warp = warp;
        one.bytes = plan.element_bytes;
        for (int lane = 0; lane < 32; ++lane) {
          if (!(cut >> lane & 1)) continue;
          const int flat = first[u(lane)] + step * e;
          if (!elements.on[u(flat)]) continue;
          one.active |= 1u << lane;
          one.address[u(lane)] = elements.byte[u(flat)];
        }
        if (one.active) visit(one);
      }
    }
}

}  // namespace tl::machine
