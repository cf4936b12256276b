#include "interp/trace/recorded.h"

#include "interp/lang/narrow.h"
#include "interp/trace/read_as.h"

namespace tl::trace {

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
  for_each_active_run(*this, [&](std::int64_t, std::int64_t element, std::int64_t stride, std::int64_t length) {
    const std::int64_t end = element + stride * (length - 1);
    first = active ? std::min({first, element, end}) : std::min(element, end);
    last = active ? std::max({last, element, end}) : std::max(element, end);
    active += length;
  });
}

const std::byte* RecordedAccess::effect_of(std::int64_t lane, int element_bytes) const {
  std::int64_t before = 0;
  for_each_active_lane(*this, [&](std::int64_t other, std::int64_t) { before += other < lane; });
  return effect + before * element_bytes;
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
