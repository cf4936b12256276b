// A host tensor: what a launch is given and what it writes.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <numeric>
#include <string>
#include <vector>

#include "interp/lang/dtype.h"

namespace tl {

// A handle: copies share the storage. Strides count elements.
struct Tensor {
  std::string name;
  DType dtype = DType::float32;
  std::vector<std::int64_t> shape = {};
  std::vector<std::int64_t> strides = {};
  std::int64_t storage_elems =
      0;  // elements that may be addressed; more than the product of `shape` when rows are padded
  std::shared_ptr<std::byte[]> storage = {};
  bool holds_data = true;        // false: made under ShapesOnly
  bool is_none = false;          // the argument None: of no element, its dtype means nothing
  bool holds_addresses = false;  // of other tensors of the launch, by address_of

  std::byte* data() const { return storage.get(); }
  template <class T>
  T* as() const {
    return reinterpret_cast<T*>(storage.get());
  }
  std::int64_t elems() const {
    return std::accumulate(shape.begin(), shape.end(), std::int64_t{1}, std::multiplies<>{});
  }
  std::int64_t storage_bytes() const { return storage_elems * size_in_bytes(dtype); }
};

// The address of the launch's tensor of that number, as a tensor of addresses holds it: the same in every run. A GPU
// gets the address in its own memory instead.
constexpr std::int64_t address_of(int tensor) { return std::int64_t{tensor + 1} << 40; }
// The tensor that an address belongs to, which may lie beyond its ends.
struct Addressed {
  int tensor;
  std::int64_t byte;
};
constexpr Addressed addressed_by(std::int64_t address) {
  const std::int64_t number = (address + (std::int64_t{1} << 39)) >> 40;
  return {static_cast<int>(number) - 1, address - (number << 40)};
}

// A row-major tensor, its storage uninitialized and 256-byte aligned. Throws Error when the machine's memory cannot
// hold it.
Tensor make_tensor(std::string name, DType dtype, std::vector<std::int64_t> shape);
// The same with strides of one's own; `storage_elems` is the largest offset plus one.
Tensor make_tensor(std::string name, DType dtype, std::vector<std::int64_t> shape, std::vector<std::int64_t> strides);
Tensor none_tensor(std::string name);
Tensor clone(const Tensor& t);
// The storage's element that is the i-th in row-major order.
std::int64_t offset_of(const Tensor& t, std::int64_t i);
// A row-major copy.
Tensor packed(const Tensor& t);
std::vector<Tensor> packed(const std::vector<Tensor>& all);
// Fills storage with a pattern no kernel writes by luck (NaN for floats, 0xA5 bytes for integers).
void poison(const Tensor& t);

// While one lives, make_tensor on this thread gives tensors that hold no data: their pages are never touched, and what
// fills tensors (poison, clone, the problems' inputs) leaves them alone. For callers that need a problem's launches
// and not its results.
class ShapesOnly {
 public:
  ShapesOnly();
  ~ShapesOnly();
  ShapesOnly(const ShapesOnly&) = delete;
};

// One element as a double, and back with the dtype's rounding; `offset` is linear, in elements.
double get(const Tensor& t, std::int64_t offset);
void set(const Tensor& t, std::int64_t offset, double value);

}  // namespace tl
