#include "interp/trace/recorded.h"

#include "interp/lang/narrow.h"
#include "interp/trace/read_as.h"

namespace tl::trace {

Extents::Extents(std::span<const std::int64_t> from) : rank(static_cast<int>(from.size())) {
  if (from.size() > max_rank)
    throw Error("a block of " + std::to_string(from.size()) + " axes", "a recorded block has at most six");
  for (std::size_t d = 0; d < from.size(); ++d) at[d] = from[d];
}

std::int64_t Extents::product() const {
  std::int64_t result = 1;
  for (int d = 0; d < rank; ++d) result *= (*this)[d];
  return result;
}

namespace {

std::int64_t affine_element(const RecordedValue& value, std::int64_t lane) {
  auto result = read_as<std::uint64_t>(value.bytes);  // unsigned: may wrap, as the integers did
  for (int d = value.shape.rank - 1; d >= 0; --d) {
    result += static_cast<std::uint64_t>(lane % value.shape[d]) * read_as<std::uint64_t>(value.bytes + 8 * (d + 1));
    lane /= value.shape[d];
  }
  return value.dtype == DType::int32 ? static_cast<std::int32_t>(result) : static_cast<std::int64_t>(result);
}

}  // namespace

double decode_element(DType dtype, const std::byte* at) {
  switch (dtype) {
    case DType::float32: return read_as<float>(at);
    case DType::float64: return read_as<double>(at);
    case DType::float16:
    case DType::bfloat16: return decode_narrow(dtype, read_as<std::uint16_t>(at));
    case DType::float8e4nv:
    case DType::float8e5: return decode_narrow(dtype, read_as<unsigned char>(at));
    case DType::uint64: return static_cast<double>(read_as<std::uint64_t>(at));
    default: return static_cast<double>(decode_int(dtype, at));
  }
}

std::int64_t decode_int(DType dtype, const std::byte* at) {
  switch (dtype) {
    case DType::int1: return read_as<unsigned char>(at) != 0;
    case DType::int8: return read_as<signed char>(at);
    case DType::int16: return read_as<std::int16_t>(at);
    case DType::uint8: return read_as<unsigned char>(at);
    case DType::uint16: return read_as<std::uint16_t>(at);
    case DType::uint64: return static_cast<std::int64_t>(read_as<std::uint64_t>(at));
    case DType::int32: return read_as<std::int32_t>(at);
    case DType::uint32: return read_as<std::uint32_t>(at);
    case DType::int64: return read_as<std::int64_t>(at);
    default: return static_cast<std::int64_t>(decode_element(dtype, at));
  }
}

double element_as_double(const RecordedValue& value, std::int64_t lane) {
  if (value.form == Form::affine) return static_cast<double>(affine_element(value, lane));
  const std::size_t index = value.form == Form::splat ? 0 : static_cast<std::size_t>(lane);
  return decode_element(value.dtype, value.bytes + index * value.element_bytes());
}

std::int64_t element_as_int(const RecordedValue& value, std::int64_t lane) {
  if (value.form == Form::affine) return affine_element(value, lane);
  const std::size_t index = value.form == Form::splat ? 0 : static_cast<std::size_t>(lane);
  return decode_int(value.dtype, value.bytes + index * value.element_bytes());
}

void RecordedAccess::count_lanes() {
  active = 0;
  first = 0;
  last = -1;
  if (is_tile) {
    active = 1;
    for (int d = 0; d < shape.rank; ++d) active *= std::max<std::int64_t>(0, hi[d] - lo[d]);
    if (active == 0) return;
    first = last = base;
    for (int d = 0; d < shape.rank; ++d) {
      const std::int64_t one = strides[d] * lo[d], other = strides[d] * (hi[d] - 1);
      first += std::min(one, other);
      last += std::max(one, other);
    }
    return;
  }
  const std::int64_t n = lanes();
  for (std::int64_t lane = 0; lane < n; ++lane) {
    if (mask && !mask[lane]) continue;
    first = active ? std::min(first, offsets[lane]) : offsets[lane];
    last = active ? std::max(last, offsets[lane]) : offsets[lane];
    ++active;
  }
}

bool RecordedAccess::is_active(std::int64_t lane) const {
  if (!is_tile) return !mask || mask[lane];
  for (int d = shape.rank - 1; d >= 0; --d) {
    const std::int64_t at = lane % shape[d];
    if (at < lo[d] || at >= hi[d]) return false;
    lane /= shape[d];
  }
  return true;
}

std::int64_t RecordedAccess::offset(std::int64_t lane) const {
  if (!is_tile) return offsets[lane];
  std::int64_t result = base;
  for (int d = shape.rank - 1; d >= 0; --d) {
    result += lane % shape[d] * strides[d];
    lane /= shape[d];
  }
  return result;
}

std::int64_t RecordedTrace::steps() const {
  std::int64_t result = 0;
  for (const RecordedProgram& p : programs) result += static_cast<std::int64_t>(p.steps.size());
  return result;
}

int RecordedTrace::file_index(const std::string& file) {
  for (std::size_t i = 0; i < files.size(); ++i)
    if (files[i] == file) return static_cast<int>(i);
  files.push_back(file);
  return static_cast<int>(files.size()) - 1;
}

std::string text_of(ProgramId id) {
  std::string result = "(";
  result += std::to_string(id.x);
  for (std::int64_t i : {id.y, id.z}) result.append(",").append(std::to_string(i));
  return result += ')';
}

}  // namespace tl::trace
