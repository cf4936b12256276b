#include "interp/cuda/host/prints.h"

#include <algorithm>
#include <array>
#include <cstring>

#include "interp/lang/print_record.h"
#include "interp/lang/printed.h"

namespace tl::cuda {

namespace {

struct Line {
  std::array<int, 3> program;  // z, y, x
  std::string text;
};

std::string value_at(const std::byte*& at) {
  PrintedValue v;
  std::memcpy(&v, at, sizeof v);
  at += sizeof v;
  const std::byte* const elements = at;
  if (v.dtype < 0) {
    at += whole_words(v.dims[0]);
    return reinterpret_cast<const char*>(elements);
  }
  const auto dtype = static_cast<DType>(v.dtype);
  std::int64_t dims[6], count = 1;
  for (int i = 0; i < v.rank; ++i) count *= dims[i] = v.dims[i];
  at += whole_words(static_cast<int>(count) * size_in_bytes(dtype));
  return text_of_block(dtype, elements, v.rank, dims);
}

std::string line_of(const PrintRecord& record, const std::byte* at) {
  const std::string text = reinterpret_cast<const char*>(at);
  at += record.text_bytes;
  std::string line;
  if (record.is_line) {
    const int* p = record.program;
    line = "pid (" + std::to_string(p[0]) + ", " + std::to_string(p[1]) + ", " + std::to_string(p[2]) + ") " + text;
    for (int i = 0; i < record.values; ++i) line += (i ? ", " : "") + value_at(at);
    return line;
  }
  for (std::size_t i = 0; i < text.size(); ++i) {
    if (text.compare(i, 2, "{}") != 0) line += text[i];
    else {
      line += value_at(at);
      ++i;
    }
  }
  return line;
}

}  // namespace

std::vector<std::string> printed_lines(std::span<const std::byte> records) {
  std::vector<Line> lines;
  for (std::size_t at = 0; at + sizeof(PrintRecord) <= records.size();) {
    PrintRecord record;
    std::memcpy(&record, &records[at], sizeof record);
    if (record.bytes == 0) break;
    lines.push_back(
        {{record.program[2], record.program[1], record.program[0]}, line_of(record, &records[at] + sizeof record)});
    at += static_cast<std::size_t>(record.bytes);
  }
  std::stable_sort(lines.begin(), lines.end(), [](const Line& a, const Line& b) { return a.program < b.program; });
  std::vector<std::string> texts;
  for (Line& line : lines) texts.push_back(std::move(line.text));
  return texts;
}

}  // namespace tl::cuda
