#include "interp/cuda/host/cache.h"

#include <doctest/doctest.h>

#include <fstream>
#include <thread>

#include "tests/cuda/environment.h"

using namespace tl::cuda;
namespace fs = std::filesystem;

namespace {

Compiled some_kernel(const std::string& cubin) {
  Compiled c;
  c.entry = "_Z5entryv", c.cubin = cubin, c.ptx = ".version 9.0", c.log = "ptxas info";
  return c;
}

fs::path only_file(const std::string& folder) { return fs::directory_iterator(folder + "/tilescope")->path(); }

}  // namespace

TEST_CASE("the cache's fingerprint is FNV-1a with 128 bits") {
  // The offset basis, and "a", "foobar" of the authors' test vectors.
  CHECK(fingerprint("") == "6c62272e07bb014262b821756295c58d");
  CHECK(fingerprint("a") == "d228cb696f1a8caf78912b704e4a8964");
  CHECK(fingerprint("foobar") == "343e1662793c64bf6f0d3597ba446f18");
}

TEST_CASE("what was written to the cache is read back, bytes of every value included") {
  tl::test::Folder folder;
  tl::test::Variable cache("XDG_CACHE_HOME", folder.path);
  const std::string cubin(
      "\x7f"
      "ELF\0\n\xff 12\n",
      11);
  write_cache("recipe", some_kernel(cubin));
  const auto read = read_cache("recipe");
  REQUIRE(read);
  CHECK(read->cubin == cubin);
  CHECK(read->entry == "_Z5entryv");
  CHECK(read->from_cache);
  CHECK_FALSE(read_cache("another recipe"));
}

TEST_CASE("a damaged file of the cache counts as absent, wherever it is cut or changed") {
  tl::test::Folder folder;
  tl::test::Variable cache("XDG_CACHE_HOME", folder.path);
  write_cache("recipe", some_kernel("cubin"));
  const auto path = only_file(folder.path);
  std::ifstream in(path, std::ios::binary);
  const std::string whole{std::istreambuf_iterator<char>(in), {}};
  for (std::size_t i = 0; i < whole.size(); ++i) {
    std::ofstream(path, std::ios::binary) << whole.substr(0, i);
    CHECK_FALSE(read_cache("recipe"));
    std::string changed = whole;
    changed[i] ^= 1;
    std::ofstream(path, std::ios::binary) << changed;
    CHECK_FALSE(read_cache("recipe"));
  }
}

TEST_CASE("writers of the same kernel at the same time leave one whole file") {
  tl::test::Folder folder;
  tl::test::Variable cache("XDG_CACHE_HOME", folder.path);
  const std::string cubin(100000, 'x');
  {
    std::vector<std::jthread> writers;
    for (int i = 0; i < 8; ++i) writers.emplace_back([&] { write_cache("recipe", some_kernel(cubin)); });
  }
  const auto read = read_cache("recipe");
  REQUIRE(read);
  CHECK(read->cubin == cubin);
  CHECK(std::distance(fs::directory_iterator(folder.path + "/tilescope"), {}) == 1);
}

TEST_CASE("a cache that cannot be written is no error") {
  tl::test::Variable cache("XDG_CACHE_HOME", "/proc/nowhere");
  write_cache("recipe", some_kernel("cubin"));
  CHECK_FALSE(read_cache("recipe"));
}
