#include "interp/cuda/host/loaded_kernel.h"

#include <algorithm>
#include <cstring>
#include <deque>
#include <utility>

#include "interp/cuda/host/expression.h"
#include "interp/cuda/host/reports.h"
#include "interp/cuda/host/tensor_map.h"
#include "interp/lang/print_record.h"

namespace tl::cuda {

namespace {

// The bytes of the entry's parameters, one a parameter: cuLaunchKernel takes their addresses and knows their sizes.
class Parameters {
 public:
  template <class T>
  void push(const T& value) {
    static_assert(sizeof(T) <= sizeof(Slot) && alignof(T) <= alignof(Slot));
    std::memcpy(slots_.emplace_back().bytes, &value, sizeof value);
    addresses_.push_back(&slots_.back());
  }
  void** addresses() { return addresses_.data(); }

 private:
  struct alignas(64) Slot {
    std::byte bytes[128] = {};
  };
  std::deque<Slot> slots_;  // its elements stay where they are
  std::vector<void*> addresses_;
};

// TensorPointers of device/entry.h: the address, then as many extents and strides as there are axes.
struct TensorPointers {
  std::int64_t words[11] = {};
};

TensorPointers pointers_to(const Tensor& t, CUdeviceptr address) {
  TensorPointers p;
  std::size_t i = 0;
  p.words[i++] = static_cast<std::int64_t>(address);
  for (const auto extent : t.shape) p.words[i++] = extent;
  for (const auto stride : t.strides) p.words[i++] = stride;
  return p;
}

struct PushArgument {
  const Gpu& gpu;
  const LoadedKernel::AddressOf& address_of;
  bool tensor_maps;
  Parameters& out;

  void operator()(const TensorArgument& a) const { out.push(a.tensor.is_none ? CUdeviceptr{0} : address_of(a.tensor)); }
  void operator()(const FloatArgument& a) const { out.push(a.value); }
  void operator()(const ConstantArgument&) const { out.push('\0'); }  // an empty struct has a byte
  void operator()(const RealConstantArgument&) const { out.push('\0'); }
  void operator()(const TextConstantArgument&) const { out.push('\0'); }
  void operator()(const DtypeConstantArgument&) const { out.push('\0'); }
  void operator()(const IntArgument& a) const {
    if (a.dtype == DType::int64) out.push(a.value);
    else out.push(static_cast<std::int32_t>(a.value));
  }
  void operator()(const DescriptorArgument& a) const {
    if (tensor_maps) out.push(make_tensor_map(gpu, a, address_of(a.tensor)));
    else out.push(pointers_to(a.tensor, address_of(a.tensor)));
  }
};

// One level's ring behind the other.
rules::RingPlan plan_of(const Rings& rings) {
  rules::RingPlan plan{};
  int base = 0;
  for (std::size_t level = 0; level < rules::ring_levels; ++level) {
    const rules::RingUse& use = rings.levels[level];
    plan.base[level] = std::exchange(base, base + use.slots * use.bytes);
    plan.slot_bytes[level] = use.bytes;
    plan.tiles[level] = use.tiles;
  }
  return plan;
}

}  // namespace

void check_grid(const Launch& launch) {
  const Grid& g = launch.grid;
  const auto text = [&] { return std::to_string(g.x) + " x " + std::to_string(g.y) + " x " + std::to_string(g.z); };
  if (g.x < 1 || g.y < 1 || g.z < 1)
    throw Error("the grid of " + launch.kernel + " is empty: " + text() + " programs", "choose sizes of at least 1");
  if (g.x > 2147483647 || g.y > 65535 || g.z > 65535)
    throw Error("the grid of " + launch.kernel + ", " + text() + " programs, is larger than 2147483647 x 65535 x 65535",
                "choose larger blocks");
}

LoadedKernel::LoadedKernel(const Gpu& gpu, std::shared_ptr<const Compiled> compiled)
    : gpu_(gpu), compiled_(std::move(compiled)), plan_(plan_of(read_rings(compiled_->ptx))) {
  const Resources& r = compiled_->resources;
  if (const int bytes = r.static_shared_bytes + r.dynamic_shared_bytes; bytes > gpu.info.shared_bytes_per_program)
    throw Error(compiled_->kernel + " needs " + std::to_string(bytes) + " bytes of shared memory a program; " +
                    gpu.info.name + " has " + std::to_string(gpu.info.shared_bytes_per_program),
                "choose smaller blocks or fewer num_stages");
  if (r.registers * r.threads > 65536)
    throw Error(compiled_->kernel + " needs " + std::to_string(r.registers) + " registers in each of " +
                    std::to_string(r.threads) + " threads; an SM has 65536",
                "choose smaller blocks, or fewer num_warps");
  gpu.check(gpu.api.cuModuleLoadData(&module_, compiled_->cubin.data()), compiled_->kernel);
  gpu.check(gpu.api.cuModuleGetFunction(&function_, module_, compiled_->entry.c_str()), compiled_->kernel);
  gpu.check(
      gpu.api.cuFuncSetAttribute(function_, CU_FUNC_ATTRIBUTE_MAX_DYNAMIC_SHARED_SIZE_BYTES, r.dynamic_shared_bytes),
      compiled_->kernel);
  // Only a kernel with a tl.device_assert has the variable.
  if (compiled_->ptx.find(std::string(" ") + assertions_symbol + "[") != std::string::npos)
    set_pointer(assertions_symbol, reinterpret_cast<CUdeviceptr>(gpu.assertion));
}

LoadedKernel::LoadedKernel(LoadedKernel&& other) noexcept
    : gpu_(other.gpu_),
      compiled_(std::move(other.compiled_)),
      plan_(other.plan_),
      module_(std::exchange(other.module_, nullptr)),
      function_(other.function_) {}

LoadedKernel::~LoadedKernel() {
  if (module_ && !gpu_.abandoned) gpu_.api.cuModuleUnload(module_);
}

void LoadedKernel::start(const Launch& launch, const AddressOf& address_of, CUstream stream) const {
  Parameters parameters;
  parameters.push(plan_);
  for (const auto& argument : launch.arguments)
    std::visit(PushArgument{gpu_, address_of, compiled_->tensor_maps, parameters}, argument);
  gpu_.check(
      gpu_.api.cuLaunchKernel(function_, static_cast<unsigned>(launch.grid.x), static_cast<unsigned>(launch.grid.y),
                              static_cast<unsigned>(launch.grid.z), static_cast<unsigned>(compiled_->resources.threads),
                              1, 1, static_cast<unsigned>(compiled_->resources.dynamic_shared_bytes), stream,
                              parameters.addresses(), nullptr),
      launch.kernel);
}

void LoadedKernel::set_pointer(const char* symbol, CUdeviceptr address) const {
  CUdeviceptr variable = 0;
  gpu_.check(gpu_.api.cuModuleGetGlobal(&variable, nullptr, module_, symbol), compiled_->kernel);
  gpu_.check(gpu_.api.cuMemcpyHtoD(variable, &address, sizeof address), compiled_->kernel);
}

bool LoadedKernel::prints() const {
  return compiled_->ptx.find(std::string(" ") + prints_symbol + "[") != std::string::npos;
}

namespace {
struct PrintBuffer {  // device/print.h
  std::byte* memory;
  int taken, lost;
};
}  // namespace

void LoadedKernel::clear_prints() const {
  if (!prints()) return;
  const PrintBuffer fresh{gpu_.print_memory(), 0, 0};
  std::memset(fresh.memory, 0, print_buffer_bytes);
  CUdeviceptr variable = 0;
  gpu_.check(gpu_.api.cuModuleGetGlobal(&variable, nullptr, module_, prints_symbol), compiled_->kernel);
  gpu_.check(gpu_.api.cuMemcpyHtoD(variable, &fresh, sizeof fresh), compiled_->kernel);
  gpu_.check(gpu_.api.cuCtxSynchronize(), compiled_->kernel);  // the launch's stream does not wait for the copy
}

bool LoadedKernel::lost_prints() const {
  if (!prints()) return false;
  PrintBuffer used{};
  CUdeviceptr variable = 0;
  gpu_.check(gpu_.api.cuModuleGetGlobal(&variable, nullptr, module_, prints_symbol), compiled_->kernel);
  gpu_.check(gpu_.api.cuMemcpyDtoH(&used, variable, sizeof used), compiled_->kernel);
  return used.lost != 0;
}

int LoadedKernel::programs_per_sm() const {
  int programs = 0;
  const Resources& r = compiled_->resources;
  gpu_.check(gpu_.api.cuOccupancyMaxActiveBlocksPerMultiprocessor(&programs, function_, r.threads,
                                                                  static_cast<std::size_t>(r.dynamic_shared_bytes)),
             compiled_->kernel);
  return programs;
}

}  // namespace tl::cuda
