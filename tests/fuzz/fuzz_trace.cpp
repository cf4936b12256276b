// Whatever the bytes, the reader gives a trace or an Error, and what it gives can be walked. Checksums are mended, so
// that mutations get past them.
#include <cstring>
#include <sstream>
#include <vector>

#include "interp/trace/bytes.h"
#include "interp/trace/file.h"
#include "interp/trace/magic.h"
#include "interp/trace/memory.h"

using namespace tl::trace;

namespace {

// Makes every chunk's checksum fit its payload.
void mend(std::vector<std::byte>& bytes) {
  if (bytes.size() < 12) return;
  std::memcpy(bytes.data(), file_magic.data(), file_magic.size());
  bytes[8] = std::byte{file_version};
  bytes[9] = bytes[10] = bytes[11] = std::byte{0};
  for (std::size_t at = 12; at + 16 <= bytes.size();) {
    std::uint64_t length = 0;
    for (int i = 0; i < 8; ++i)
      length |= static_cast<std::uint64_t>(bytes[at + 4 + static_cast<std::size_t>(i)]) << (8 * i);
    if (length > bytes.size() - at - 16) return;
    const std::span<const std::byte> all(bytes);
    const std::uint32_t crc = crc32(all.subspan(at + 12, static_cast<std::size_t>(length)), crc32(all.subspan(at, 4)));
    for (int i = 0; i < 4; ++i)
      bytes[at + 12 + static_cast<std::size_t>(length) + static_cast<std::size_t>(i)] =
          static_cast<std::byte>(crc >> (8 * i));
    at += 16 + static_cast<std::size_t>(length);
  }
}

void walk(const RecordedTrace& t) {
  double sum = 0;
  for (const RecordedProgram& p : t.programs) {
    for (const RecordedValue& v : p.values)
      if (v.is_kept()) sum += element_as_double(v, v.shape.product() - 1);
    for (const Step& s : p.steps) sum += static_cast<double>(p.operands(s).size() + p.results(s).size());
  }
  Memory memory(t);
  for (std::size_t p = 0; p < t.programs.size(); ++p)
    memory.seek({p, static_cast<std::uint32_t>(t.programs[p].steps.size())});
  if (!t.programs.empty()) memory.seek({0, 0});
  std::ostringstream out;
  write(t, out);
  static volatile double sink;
  sink = sum;
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  std::vector<std::byte> bytes(size);
  if (size) std::memcpy(bytes.data(), data, size);
  for (const bool mended : {false, true}) {
    if (mended) mend(bytes);
    try {
      walk(read(bytes));
    } catch (const tl::Error&) {
    }
  }
  return 0;
}
