#include "interp/case/npy.h"

#include <fmt/format.h>

#include <bit>
#include <charconv>
#include <cstring>
#include <numeric>

#include "interp/lang/error.h"
#include "interp/lang/input_file.h"
#include "interp/lang/output_file.h"
#include "interp/lang/text.h"

namespace tl::cases {
namespace {

static_assert(std::endian::native == std::endian::little, "elements are taken as they lie in the file");

constexpr std::uintmax_t most_bytes = std::uintmax_t{64} << 30;

struct Descr {
  const char* numpy;
  DType dtype;
};
constexpr Descr descrs[] = {{"|b1", DType::int1},    {"<i4", DType::int32},   {"<i8", DType::int64},
                            {"|u1", DType::uint8},   {"<u4", DType::uint32},  {"<f2", DType::float16},
                            {"<f4", DType::float32}, {"<f8", DType::float64}, {"|i1", DType::int8},
                            {"<i2", DType::int16},   {"<u2", DType::uint16},  {"<u8", DType::uint64}};

// What the header's dictionary says; its text is Python's, and written by NumPy always alike.
class Header {
 public:
  Header(const std::string& path, const std::string& bytes) : path_(path) {
    if (bytes.size() < 10 || !bytes.starts_with("\x93NUMPY"))
      refuse(bytes.starts_with("PK") ? "it is an .npz, an archive of several arrays" : "it is not an .npy file",
             "save one array: np.save(\"x.npy\", x)");
    const auto byte = [&](std::size_t i) { return static_cast<std::size_t>(static_cast<unsigned char>(bytes[i])); };
    const bool is_first = byte(6) == 1;  // the version: later ones have a longer length
    const std::size_t begin = is_first ? 10 : 12;
    if (bytes.size() < begin) cut();
    const std::size_t length =
        is_first ? byte(8) | byte(9) << 8 : byte(8) | byte(9) << 8 | byte(10) << 16 | byte(11) << 24;
    if (bytes.size() - begin < length) cut();
    text_ = bytes.substr(begin, length);
    made_.data = begin + length;
  }

  NpyHeader read() {
    const std::string order = after("'fortran_order':");
    if (order.starts_with("True"))
      refuse("it is in Fortran's order, columns first", "np.save(\"x.npy\", np.ascontiguousarray(x))");
    if (!order.starts_with("False")) damaged();
    read_shape();
    made_.dtype = dtype();
    return made_;
  }
  [[noreturn]] void cut() const { refuse("it is cut short", "save it again, and see that the disk was not full"); }

 private:
  [[noreturn]] void refuse(const std::string& why, const std::string& fix) const {
    throw Error(fmt::format("\"{}\" cannot be read: {}", path_, why), fix);
  }
  [[noreturn]] void damaged() const { refuse("its header is damaged", "np.save(\"x.npy\", x) writes a whole one"); }

  std::string after(const char* key) const {
    const std::size_t at = text_.find(key);
    if (at == std::string::npos) damaged();
    return trimmed(text_.substr(at + std::strlen(key)));
  }

  void read_shape() {
    const std::string list = after("'shape':");
    if (!list.starts_with("(") || list.find(')') == std::string::npos) damaged();
    const char* at = list.data() + 1;
    const char* const end = list.data() + list.find(')');
    double elems = 1;
    while (at < end) {
      if (*at == ' ' || *at == ',' || *at == 'L') {
        ++at;
        continue;
      }
      std::int64_t extent = 0;
      const auto [stop, error] = std::from_chars(at, end, extent);
      if (error != std::errc{} || extent < 0) damaged();
      made_.shape.push_back(extent);
      elems *= static_cast<double>(extent);
      at = stop;
    }
    if (elems == 0) refuse("it holds no elements", "save an array that has some");
    if (elems > 1e12) damaged();
    if (made_.shape.size() > 4)
      refuse(fmt::format("it has {} axes", made_.shape.size()), "x.reshape(-1, n): 4 at most");
  }

  DType dtype() const {
    const std::string descr = after("'descr':");
    if (!descr.starts_with("'"))
      refuse("its elements are records of several fields", "np.save each field on its own: x[\"field\"]");
    const std::string name = descr.substr(1, descr.find('\'', 1) - 1);
    for (const Descr& d : descrs)
      if (name == d.numpy) return d.dtype;
    if (name.starts_with("|O"))
      refuse("it holds Python objects, pickled, and reading such could run anything",
             "np.save(\"x.npy\", x.astype(np.float32))");
    if (name.starts_with(">"))
      refuse(fmt::format("its numbers are big-endian ({})", name),
             "np.save(\"x.npy\", x.astype(x.dtype.newbyteorder(\"<\")))");
    refuse(fmt::format("the language has no dtype {}", name),
           "np.save(\"x.npy\", x.astype(np.float32)), or np.int32, np.uint8, np.float16 and their wider kin");
  }

  std::string path_, text_;
  NpyHeader made_;
};

std::string bytes_of(const std::string& path) {
  return read_regular_file(path, most_bytes, "give the path of a .npy file");
}

}  // namespace

NpyHeader read_npy_header(const std::string& path) { return Header(path, bytes_of(path)).read(); }

Tensor read_npy(const std::string& name, const std::string& path) {
  const std::string bytes = bytes_of(path);
  Header header(path, bytes);
  const NpyHeader h = header.read();
  const Tensor t = make_tensor(name, h.dtype, h.shape);
  const auto wanted = static_cast<std::size_t>(t.storage_bytes());
  if (bytes.size() - h.data < wanted) header.cut();
  if (t.holds_data) std::memcpy(t.data(), bytes.data() + h.data, wanted);
  return t;
}

void write_npy(const Tensor& t, const std::string& path) {
  const char* descr = "<f4";
  bool is_numpys = false;
  for (const Descr& d : descrs)
    if (d.dtype == t.dtype) {
      descr = d.numpy;
      is_numpys = true;
    }
  std::string shape;
  for (const std::int64_t n : t.shape) shape += fmt::format("{}, ", n);
  if (t.shape.size() > 1) shape.resize(shape.size() - 2);
  std::string header = fmt::format("{{'descr': '{}', 'fortran_order': False, 'shape': ({}), }}", descr, trimmed(shape));
  header.append(63 - (10 + header.size()) % 64, ' ');  // the elements begin at a multiple of 64
  header += '\n';
  std::string bytes("\x93NUMPY\x01\x00", 8);
  bytes += static_cast<char>(header.size() & 0xff);
  bytes += static_cast<char>(header.size() >> 8);
  bytes += header;
  const std::int64_t size = is_numpys ? size_in_bytes(t.dtype) : 4;
  for (std::int64_t i = 0; i < t.elems(); ++i) {
    const std::int64_t element = offset_of(t, i);
    if (is_numpys) {
      bytes.append(reinterpret_cast<const char*>(t.data() + element * size), static_cast<std::size_t>(size));
    } else {
      const float value = static_cast<float>(get(t, element));
      bytes.append(reinterpret_cast<const char*>(&value), sizeof value);
    }
  }
  write_file(path, bytes);
}

}  // namespace tl::cases
