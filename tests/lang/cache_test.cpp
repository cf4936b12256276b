// What is read back from the cache is what was written there by this user, or nothing.
#include "interp/lang/cache.h"

#include <doctest/doctest.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

#include <filesystem>
#include <fstream>
#include <thread>

#include "interp/lang/input_file.h"
#include "interp/lang/unfinished.h"

using namespace tl;
namespace fs = std::filesystem;

namespace {

// A cache of a test's own.
struct Cache {
  Cache() { setenv("XDG_CACHE_HOME", folder.path().c_str(), 1); }
  ~Cache() { unsetenv("XDG_CACHE_HOME"); }
  fs::path made() const { return folder.path() / "tilescope/made"; }
  fs::path only_file() const { return fs::directory_iterator(made())->path(); }
  TemporaryFolder folder;
};

using Fields = std::vector<std::string>;

}  // namespace

TEST_CASE("the cache's fingerprint is FNV-1a with 128 bits") {
  // The offset basis, and "a", "foobar" of the authors' test vectors.
  CHECK(fingerprint("") == "6c62272e07bb014262b821756295c58d");
  CHECK(fingerprint("a") == "d228cb696f1a8caf78912b704e4a8964");
  CHECK(fingerprint("foobar") == "343e1662793c64bf6f0d3597ba446f18");
}

TEST_CASE("what was written to the cache is read back, bytes of every value included") {
  const Cache cache;
  const Fields fields{std::string("\x7f\0\n\xff 12\n", 8), "", "log"};
  write_cache("recipe", fields);
  CHECK(read_cache("recipe", 3) == fields);
  for (const std::size_t other : {2, 4}) CHECK_FALSE(read_cache("recipe", other));
  CHECK_FALSE(read_cache("another recipe", 3));
}

TEST_CASE("a file of the cache is found where it lies, unless a bit of it is another") {
  const Cache cache;
  CHECK(cached_file("recipe", "made") == "");
  std::string bytes(1000, 'x');
  write_cached_file("recipe", bytes, "made");
  const auto path = cached_file("recipe", "made");
  REQUIRE(path == cache.only_file());
  const std::string whole = read_regular_file(path);
  CHECK(whole.starts_with(bytes));
  for (std::size_t i = 0; i < whole.size(); ++i) {
    std::string changed = whole;
    changed[i] ^= 0x40;
    std::ofstream(path, std::ios::binary) << changed;
    CHECK(cached_file("recipe", "made") == "");
    std::ofstream(path, std::ios::binary) << whole.substr(0, i);
    CHECK(cached_file("recipe", "made") == "");
  }
}

TEST_CASE("a damaged file of the cache counts as absent, wherever it is cut or changed") {
  const Cache cache;
  write_cache("recipe", {"cubin", "log"});
  const auto path = cache.only_file();
  const std::string whole = read_regular_file(path);
  for (std::size_t i = 0; i < whole.size(); ++i) {
    std::ofstream(path, std::ios::binary) << whole.substr(0, i);
    CHECK_FALSE(read_cache("recipe", 2));
    std::string changed = whole;
    changed[i] ^= 1;
    std::ofstream(path, std::ios::binary) << changed;
    CHECK_FALSE(read_cache("recipe", 2));
  }
  write_cache("recipe", {"cubin", "log"});
  CHECK(read_cache("recipe", 2));
}

TEST_CASE("a file under another recipe's name counts as absent") {
  const Cache cache;
  write_cache("recipe", {"cubin"});
  fs::copy_file(cache.only_file(), cache.made() / fingerprint("other"));
  CHECK_FALSE(read_cache("other", 1));
}

TEST_CASE("writers of the same kernel at the same time leave one whole file") {
  const Cache cache;
  const Fields fields{std::string(100000, 'x')};
  {
    std::vector<std::jthread> writers;
    for (int i = 0; i < 8; ++i) writers.emplace_back([&] { write_cache("recipe", fields); });
  }
  CHECK(read_cache("recipe", 1) == fields);
  CHECK(std::distance(fs::directory_iterator(cache.made()), {}) == 1);
}

TEST_CASE("a cache that cannot be written is no error") {
  setenv("XDG_CACHE_HOME", "/proc/nowhere", 1);
  write_cache("recipe", {"cubin"});
  CHECK_FALSE(read_cache("recipe", 1));
  unsetenv("XDG_CACHE_HOME");
}

TEST_CASE("a cache that others can write, or own, is not read") {
  const Cache cache;
  write_cache("recipe", {"cubin"});
  CHECK(read_cache("recipe", 1));
  chmod(cache.made().c_str(), 0777);
  CHECK_FALSE(read_cache("recipe", 1));
  chmod(cache.made().c_str(), 0700);
  CHECK(read_cache("recipe", 1));
  chmod(cache.only_file().c_str(), 0620);
  CHECK_FALSE(read_cache("recipe", 1));
  chmod(cache.only_file().c_str(), 0600);
  if (chown(cache.made().c_str(), 1234, 1234) == 0) CHECK_FALSE(read_cache("recipe", 1));
}

TEST_CASE("without a home, and with a relative folder, there is no cache: the current folder is left alone") {
  const std::string home = getenv("HOME") ? getenv("HOME") : "";
  const TemporaryFolder here;
  const fs::path before = fs::current_path();
  fs::current_path(here.path());
  unsetenv("HOME");
  for (const char* relative : {"", ".", "cache"}) {
    setenv("XDG_CACHE_HOME", relative, 1);
    write_cache("recipe", {"cubin"});
    CHECK(fs::is_empty(here.path()));
    CHECK_FALSE(read_cache("recipe", 1));
  }
  unsetenv("XDG_CACHE_HOME");
  fs::current_path(before);
  if (!home.empty()) setenv("HOME", home.c_str(), 1);
}
