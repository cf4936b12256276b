// NumPy's files; the bytes are those that its format says (numpy.lib.format, version 1.0).
#include "interp/case/npy.h"

#include <doctest/doctest.h>
#include <stdlib.h>

#include <filesystem>
#include <fstream>

#include "interp/lang/error.h"

using namespace tl;
using namespace tl::cases;

namespace {

struct Folder {
  Folder() {
    std::string pattern = (std::filesystem::temp_directory_path() / "tilescope_npy_XXXXXX").string();
    if (mkdtemp(pattern.data())) path = pattern;
  }
  ~Folder() { std::filesystem::remove_all(path); }
  std::string file(const std::string& bytes) const {
    std::ofstream(path / "x.npy", std::ios::binary) << bytes;
    return (path / "x.npy").string();
  }
  std::filesystem::path path;
};

std::string npy(std::string header, const std::string& data) {
  header.resize(117, ' ');
  header += '\n';
  return std::string("\x93NUMPY\x01\x00\x76\x00", 10) + header + data;
}
std::string npy(const std::string& descr, const std::string& order, const std::string& shape, const std::string& data) {
  return npy("{'descr': '" + descr + "', 'fortran_order': " + order + ", 'shape': " + shape + ", }", data);
}

std::string refusal_of_array(const std::string& bytes) {
  const Folder here;
  try {
    read_npy("x", here.file(bytes));
  } catch (const Error& e) {
    const std::string what = e.what();
    CHECK_FALSE(e.fix.empty());
    return what.substr(what.find(": ") + 2);
  }
  return "";
}

}  // namespace

TEST_CASE("npy: dtype, shape and values come from the file") {
  const Folder here;
  // 1, -2 and 0.5 as binary16: 3c00, c000, 3800
  const Tensor t = read_npy("x", here.file(npy("<f2", "False", "(1, 3)", std::string("\x00\x3c\x00\xc0\x00\x38", 6))));
  CHECK(t.dtype == DType::float16);
  CHECK(t.shape == std::vector<std::int64_t>{1, 3});
  CHECK(get(t, 0) == 1);
  CHECK(get(t, 1) == -2);
  CHECK(get(t, 2) == 0.5);
  const Tensor i =
      read_npy("x", here.file(npy("<i8", "False", "(1,)", std::string("\xff\xff\xff\xff\xff\xff\xff\xff", 8))));
  CHECK(i.dtype == DType::int64);
  CHECK(get(i, 0) == -1);
}

TEST_CASE("npy: what cannot be read says what it is, and what to do in Python") {
  const std::string two(8, '\0');
  CHECK(refusal_of_array(npy("<f4", "False", "(3,)", two)) == "it is cut short");
  CHECK(refusal_of_array(npy("<f4", "False", "(2,)", two).substr(0, 60)) == "it is cut short");
  CHECK(refusal_of_array(npy("<f4", "True", "(2, 1)", two)) == "it is in Fortran's order, columns first");
  CHECK(refusal_of_array(npy(">f4", "False", "(2,)", two)) == "its numbers are big-endian (>f4)");
  CHECK(refusal_of_array(npy("|O", "False", "(2,)", two)) ==
        "it holds Python objects, pickled, and reading such could run anything");
  CHECK(refusal_of_array(npy("<c8", "False", "(1,)", two)) == "the language has no dtype <c8");
  CHECK(refusal_of_array(npy("{'descr': [('a', '<f4')], 'fortran_order': False, 'shape': (2,), }", two)) ==
        "its elements are records of several fields");
  CHECK(refusal_of_array(npy("<f4", "False", "(0, 4)", "")) == "it holds no elements");
  CHECK(refusal_of_array(npy("<f4", "False", "(2", two)) == "its header is damaged");
  CHECK(refusal_of_array("PK\x03\x04" + std::string(40, 'x')) == "it is an .npz, an archive of several arrays");
  CHECK(refusal_of_array("hello, world") == "it is not an .npy file");
  CHECK(refusal_of_array("") == "it is not an .npy file");
}

TEST_CASE("npy: what is written is read again, and begins at a multiple of 64 bytes") {
  const Folder here;
  const std::string path = (here.path / "y.npy").string();
  for (const auto& shape : {std::vector<std::int64_t>{5}, {2, 3}, {1, 2, 3, 4}}) {
    const Tensor t = make_tensor("y", DType::float32, shape);
    for (std::int64_t i = 0; i < t.elems(); ++i) set(t, i, static_cast<double>(i) / 4);
    write_npy(t, path);
    const Tensor again = read_npy("y", path);
    CHECK(again.shape == shape);
    CHECK(get(again, t.elems() - 1) == static_cast<double>(t.elems() - 1) / 4);
    CHECK(read_npy_header(path).data % 64 == 0);
  }
}

TEST_CASE("npy: bf16 is written as float32, which NumPy knows") {
  const Folder here;
  const std::string path = (here.path / "y.npy").string();
  const Tensor t = make_tensor("y", DType::bfloat16, {2});
  set(t, 0, 1.5);
  set(t, 1, -3);
  write_npy(t, path);
  const Tensor again = read_npy("y", path);
  CHECK(again.dtype == DType::float32);
  CHECK(get(again, 0) == 1.5);
  CHECK(get(again, 1) == -3);
}
