// What a GPU's programs have printed, out of their records; expected lines by hand.
#include "interp/cuda/host/prints.h"

#include <doctest/doctest.h>

#include <array>
#include <cmath>
#include <cstring>

#include "interp/lang/print_record.h"
#include "interp/lang/printed.h"

using namespace tl;
using namespace tl::cuda;

namespace {

class Records {
 public:
  template <class T>
  void add(const T& value) {
    const auto* from = reinterpret_cast<const std::byte*>(&value);
    bytes_.insert(bytes_.end(), from, from + sizeof value);
    while (bytes_.size() % 8) bytes_.push_back(std::byte{0});
  }
  void begin(int x, int y, bool is_line, const char* text, int values) {
    begun_ = bytes_.size();
    const int text_bytes = whole_words(static_cast<int>(std::strlen(text)) + 1);
    add(PrintRecord{0, {x, y, 0}, is_line, text_bytes, values, 0});
    for (int i = 0; i < text_bytes; ++i)
      bytes_.push_back(i < static_cast<int>(std::strlen(text)) ? std::byte(text[i]) : std::byte{0});
  }
  void end() {
    const int size = static_cast<int>(bytes_.size() - begun_);
    std::memcpy(&bytes_[begun_], &size, sizeof size);
  }
  std::vector<std::string> lines() {
    bytes_.resize(bytes_.size() + 1000);
    return printed_lines(bytes_);
  }

 private:
  std::vector<std::byte> bytes_;
  std::size_t begun_ = 0;
};

std::string text(DType t, auto value) { return text_of_element(t, reinterpret_cast<const std::byte*>(&value)); }

}  // namespace

TEST_CASE("prints: programs in their order, of each its lines in theirs") {
  Records m;
  m.begin(1, 0, false, "offs = {}, n = {}", 2);
  m.add(PrintedValue{static_cast<int>(DType::int32), 1, {3}});
  m.add(std::array{4, 5, 6});
  m.add(PrintedValue{static_cast<int>(DType::int64), 0, {}});
  m.add(7ll);
  m.end();
  m.begin(0, 1, true, "mask = ", 1);
  m.add(PrintedValue{static_cast<int>(DType::int1), 2, {2, 1}});
  m.add(std::array{true, false});
  m.end();
  m.begin(0, 0, false, "{}: {}", 2);
  m.add(PrintedValue{-1, 1, {5}});
  m.add(std::array{'r', 'e', 'l', 'u', '\0'});
  m.add(PrintedValue{static_cast<int>(DType::float16), 0, {}});
  m.add(std::uint16_t{0x3800});
  m.end();
  m.begin(1, 0, false, "later", 0);
  m.end();
  CHECK(m.lines() == std::vector<std::string>{"relu: 0.5", "offs = [4 5 6], n = 7", "later",
                                              "pid (0, 1, 0) mask = [[True] [False]]"});
}

TEST_CASE("prints: numbers have the fewest digits that give them back, long axes their ends") {
  CHECK(text(DType::float32, 1.0f) == "1");
  CHECK(text(DType::float32, 0.1f) == "0.1");
  CHECK(text(DType::float32, 1e-5f) == "1e-05");
  CHECK(text(DType::float64, 1e20) == "1e+20");
  CHECK(text(DType::float64, 123456789.0) == "123456789");
  CHECK(text(DType::float32, -INFINITY) == "-inf");
  CHECK(text(DType::bfloat16, std::uint16_t{0x4049}) == "3.140625");
  CHECK(text(DType::float8e4nv, std::uint8_t{0x7E}) == "448");
  CHECK(text(DType::int8, std::int8_t{-3}) == "-3");
  CHECK(text(DType::uint64, ~0ull) == "18446744073709551615");
  std::vector<int> many(32);
  for (int i = 0; i < 32; ++i) many[static_cast<std::size_t>(i)] = i;
  const std::int64_t dims[] = {32};
  CHECK(text_of_block(DType::int32, reinterpret_cast<const std::byte*>(many.data()), 1, dims) ==
        "[0 1 2 ... 29 30 31]");
}
