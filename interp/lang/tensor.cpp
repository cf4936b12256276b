#include "interp/lang/tensor.h"

#include <sys/mman.h>

#include <algorithm>
#include <atomic>
#include <cmath>
#include <cstdlib>
#include <cstring>
#include <limits>
#include <new>

#include "interp/lang/error.h"
#include "interp/lang/free_memory.h"
#include "interp/lang/narrow.h"
#include "interp/lang/poison.h"
#include "interp/lang/stop_scope.h"

namespace tl {

namespace {

std::vector<std::int64_t> row_major(const std::vector<std::int64_t>& shape) {
  std::vector<std::int64_t> strides(shape.size(), 1);
  for (int i = static_cast<int>(shape.size()) - 2; i >= 0; --i) strides[i] = strides[i + 1] * shape[i + 1];
  return strides;
}

constexpr std::size_t alignment = 256;

thread_local int shapes_only = 0;
std::atomic<std::size_t> promised = 0;  // bytes of all tensors that hold data

}  // namespace

ShapesOnly::ShapesOnly() { ++shapes_only; }
ShapesOnly::~ShapesOnly() { --shapes_only; }

Tensor make_tensor(std::string name, DType dtype, std::vector<std::int64_t> shape) {
  auto strides = row_major(shape);
  return make_tensor(std::move(name), dtype, std::move(shape), std::move(strides));
}

Tensor make_tensor(std::string name, DType dtype, std::vector<std::int64_t> shape, std::vector<std::int64_t> strides) {
  Tensor t{.name = std::move(name), .dtype = dtype, .shape = std::move(shape), .strides = std::move(strides)};
  // In doubles first: sizes that a person mistypes overflow 64 bits.
  double elems = 1;
  for (std::size_t i = 0; i < t.shape.size(); ++i)
    elems += static_cast<double>(t.shape[i] - 1) * static_cast<double>(t.strides[i]);
  const double bytes = elems * size_in_bytes(dtype);
  const auto too_large = [&] {
    return Error("tensor \"" + t.name + "\" of " + std::to_string(bytes / 1e9) + " GB does not fit in memory",
                 "choose smaller sizes");
  };
  if (bytes > 1e15) throw too_large();
  t.storage_elems = t.elems() == 0 ? 0 : static_cast<std::int64_t>(elems);
  const std::size_t size = (static_cast<std::size_t>(t.storage_bytes()) + alignment - 1) / alignment * alignment;
  if (shapes_only) {  // addresses that cost nothing until somebody writes there all the same
    const std::size_t mapped = size ? size : alignment;
    void* p = mmap(nullptr, mapped, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
    if (p == MAP_FAILED) throw too_large();
    t.storage = std::shared_ptr<std::byte[]>(static_cast<std::byte*>(p), [mapped](std::byte* q) { munmap(q, mapped); });
    t.holds_data = false;
    return t;
  }
  // Linux promises more memory than there is, and kills the process that uses it: what was promised to other tensors
  // and is not in use yet does not count as free.
  if (bytes > 1e8 &&
      bytes + std::max(0., static_cast<double>(promised) - used_memory()) > free_memory().value_or(INFINITY))
    throw too_large();
  auto* p = static_cast<std::byte*>(std::aligned_alloc(alignment, size ? size : alignment));
  if (!p) throw too_large();
  use_large_pages(p, size);
  promised += size;
  t.storage = std::shared_ptr<std::byte[]>(p, [size](std::byte* q) {
    promised -= size;
    std::free(q);
  });
  return t;
}

std::int64_t offset_of(const Tensor& t, std::int64_t i) {
  std::int64_t offset = 0;
  for (std::size_t axis = t.shape.size(); axis-- > 0; i /= t.shape[axis]) offset += i % t.shape[axis] * t.strides[axis];
  return offset;
}

Tensor packed(const Tensor& t) {
  Tensor p = make_tensor(t.name, t.dtype, t.shape);
  const std::size_t size = static_cast<std::size_t>(size_in_bytes(t.dtype));
  for (std::int64_t i = 0; i < t.elems(); ++i)
    std::memcpy(p.data() + static_cast<std::size_t>(i) * size,
                t.data() + static_cast<std::size_t>(offset_of(t, i)) * size, size);
  return p;
}

std::vector<Tensor> packed(const std::vector<Tensor>& all) {
  std::vector<Tensor> out;
  for (const Tensor& t : all) out.push_back(packed(t));
  return out;
}

Tensor none_tensor(std::string name) {
  Tensor t = make_tensor(std::move(name), DType::float32, {0});
  t.is_none = true;
  return t;
}

Tensor clone(const Tensor& t) {
  if (t.is_none) return none_tensor(t.name);
  Tensor c = make_tensor(t.name, t.dtype, {t.storage_elems});  // a view's memory may go on behind its shape
  c.shape = t.shape;
  c.strides = t.strides;
  if (c.holds_data && t.holds_data)
    in_chunks(t.storage_bytes(), [&](std::int64_t from, std::int64_t to) {
      std::memcpy(c.data() + from, t.data() + from, static_cast<std::size_t>(to - from));
    });
  return c;
}

std::vector<std::byte> poison_of(DType dtype) {
  if (dtype == DType::int1) return {};
  const Tensor one{.name = "",
                   .dtype = dtype,
                   .shape = {1},
                   .strides = {1},
                   .storage_elems = 1,
                   .storage = std::make_shared<std::byte[]>(8)};
  if (is_float(dtype)) set(one, 0, std::numeric_limits<double>::quiet_NaN());
  else std::memset(one.data(), 0xA5, 8);
  if (is_float(dtype) && size_in_bytes(dtype) > 1)
    one.data()[0] ^= std::byte{0x25};  // a payload that no computed NaN has
  return {one.data(), one.data() + size_in_bytes(dtype)};
}

void poison(const Tensor& t) {
  if (!t.holds_data) return;
  if (t.dtype == DType::int1) return void(std::memset(t.data(), 1, static_cast<std::size_t>(t.storage_bytes())));
  const std::vector<std::byte> element = poison_of(t.dtype);
  const auto bytes = static_cast<std::size_t>(t.storage_bytes());
  std::size_t done = std::min(bytes, element.size());
  std::memcpy(t.data(), element.data(), done);
  for (std::size_t n; done < bytes; done += n) {  // doubled, up to what stays in a cache
    end_if_stopped();
    n = std::min({done, bytes - done, std::size_t{1} << 15});
    std::memcpy(t.data() + done, t.data(), n);
  }
}

double get(const Tensor& t, std::int64_t i) {
  switch (t.dtype) {
    case DType::int1: return t.as<unsigned char>()[i] != 0;
    case DType::int32: return t.as<std::int32_t>()[i];
    case DType::int64: return static_cast<double>(t.as<std::int64_t>()[i]);
    case DType::uint8: return t.as<std::uint8_t>()[i];
    case DType::int8: return t.as<std::int8_t>()[i];
    case DType::int16: return t.as<std::int16_t>()[i];
    case DType::uint16: return t.as<std::uint16_t>()[i];
    case DType::uint64: return static_cast<double>(t.as<std::uint64_t>()[i]);
    case DType::uint32: return t.as<std::uint32_t>()[i];
    case DType::float16:
    case DType::bfloat16: return decode_narrow(t.dtype, t.as<std::uint16_t>()[i]);
    case DType::float8e4nv:
    case DType::float8e5: return decode_narrow(t.dtype, t.as<std::uint8_t>()[i]);
    case DType::float32: return t.as<float>()[i];
    case DType::float64: return t.as<double>()[i];
  }
  return 0;
}

void set(const Tensor& t, std::int64_t i, double v) {
  switch (t.dtype) {
    case DType::int1: t.as<unsigned char>()[i] = v != 0; break;
    case DType::int32: t.as<std::int32_t>()[i] = float_to_int32(v); break;
    case DType::int64: t.as<std::int64_t>()[i] = float_to_int64(v); break;
    case DType::uint8: t.as<std::uint8_t>()[i] = float_to_uint8(v); break;
    case DType::int8: t.as<std::int8_t>()[i] = float_to_int8(v); break;
    case DType::int16: t.as<std::int16_t>()[i] = float_to_int16(v); break;
    case DType::uint16: t.as<std::uint16_t>()[i] = float_to_uint16(v); break;
    case DType::uint64: t.as<std::uint64_t>()[i] = float_to_uint64(v); break;
    case DType::uint32: t.as<std::uint32_t>()[i] = float_to_uint32(v); break;
    case DType::float16:
    case DType::bfloat16: t.as<std::uint16_t>()[i] = encode_narrow(t.dtype, v); break;
    case DType::float8e4nv:
    case DType::float8e5: t.as<std::uint8_t>()[i] = static_cast<std::uint8_t>(encode_narrow(t.dtype, v)); break;
    case DType::float32: t.as<float>()[i] = static_cast<float>(v); break;
    case DType::float64: t.as<double>()[i] = v; break;
  }
}

}  // namespace tl
