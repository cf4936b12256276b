// The compiler's form of interp/tl.h, which the cache keeps from the second compilation on: who takes it, and what
// becomes of a damaged one.
#include <doctest/doctest.h>

#include "interp/hostcc/compiler.h"
#include "tests/case/files.h"

using namespace tl::test;

namespace {

// A folder with a cache of its own and a compiler that notes the headers it reads.
struct Place {
  Place() {
    write(here, "c++",
          "#!/bin/sh\n" + tl::hostcc::find_compiler() +
              " -H \"$@\" 2>\"${0%/*}/headers\"; status=$?; grep -v '^[.!x]' \"${0%/*}/headers\" >&2; exit $status\n");
    std::filesystem::permissions(here.path / "c++", std::filesystem::perms::owner_all);
  }
  // A kernel that the cache does not hold.
  Said run(const std::string& body = "tl.store(z_ptr + offs, x + x, {.mask = mask});") {
    write(here, "twice.h", twice(iota_case, body + "  // " + std::to_string(++runs)));
    return tilescope("run twice.h", here, "XDG_CACHE_HOME=\"$PWD/cache\" TILESCOPE_CXX=\"$PWD/c++\"");
  }
  bool took_precompiled() const { return has(contents_of(here.path / "headers"), "! "); }  // as g++ -H marks it
  std::filesystem::path kept() const {
    for (const auto& entry : std::filesystem::directory_iterator(here.path / "cache/tilescope/headers"))
      if (!has(contents_of(entry.path()), "one compilation was")) return entry.path();
    return {};
  }
  EmptyFolder here;
  int runs = 0;
};

}  // namespace

#ifndef __clang__

TEST_CASE(
    "precompiled: the first compilation reads tl.h, the second keeps what it has read, and the others take that") {
  Place place;
  CHECK(has(place.run().out, "z = [0 2 4 6 8 10]"));
  CHECK_FALSE(place.took_precompiled());
  for (int again = 0; again < 2; ++again) {
    CHECK(has(place.run().out, "z = [0 2 4 6 8 10]"));
    CHECK(place.took_precompiled());
  }
  std::filesystem::remove(place.here.path / "headers");
  --place.runs;  // the same text is not compiled again
  CHECK(has(place.run().out, "z = [0 2 4 6 8 10]"));
  CHECK_FALSE(std::filesystem::exists(place.here.path / "headers"));
}

TEST_CASE("precompiled: an error is told as without it") {
  Place place;
  const std::string wrong = "tl.store(z_ptr + offs, x + y, {.mask = mask});";
  const Said first = place.run(wrong);
  CHECK_FALSE(place.took_precompiled());
  place.run();
  CHECK(has(first.err, "twice.h:"));
  --place.runs;
  --place.runs;  // the same text
  CHECK(place.run(wrong).err == first.err);
  CHECK(place.took_precompiled());
}

TEST_CASE("precompiled: another kind of compilation has its own, and a variable that leads to other headers, too") {
  Place place;
  for (int i = 0; i < 2; ++i) place.run();
  setenv("CPLUS_INCLUDE_PATH", place.here.path.c_str(), 1);
  place.run();
  unsetenv("CPLUS_INCLUDE_PATH");
  CHECK_FALSE(place.took_precompiled());
}

TEST_CASE("precompiled: one that is damaged counts as absent, wherever it is cut or changed") {
  Place place;
  for (int i = 0; i < 2; ++i) place.run();
  const std::string whole = contents_of(place.kept()), half = whole.substr(0, whole.size() / 2);
  std::string changed = whole;
  changed[half.size()] ^= 1;
  for (const std::string& damaged : {whole.substr(0, 3), half, changed}) {
    CAPTURE(damaged.size());
    std::ofstream(place.kept(), std::ios::binary) << damaged;
    CHECK(has(place.run().out, "z = [0 2 4 6 8 10]"));
    CHECK(contents_of(place.kept()) != damaged);  // made again
  }
}

TEST_CASE("precompiled: where the compiler cannot take it, it reads the header") {
  Place place;
  write(
      place.here, "c++",
      "#!/bin/sh\nif ls \"$TMPDIR/include/interp/tl.h.gch\"; then echo '<stdin>:1: fatal error: had to relocate PCH'\n"
      "exit 1\nfi >&2\nexec " +
          tl::hostcc::find_compiler() + " \"$@\"\n");
  for (int i = 0; i < 3; ++i) CHECK(has(place.run().out, "z = [0 2 4 6 8 10]"));
}

#endif
