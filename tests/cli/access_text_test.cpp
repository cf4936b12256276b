// Tiles as people read them; and `tilescope accesses` from outside.
#include "interp/report/access_text.h"

#include <doctest/doctest.h>

#include <nlohmann/json.hpp>

#include "tests/cli/run_program.h"
#include "tests/has.h"

using namespace tl;
using report::access_text;

namespace {

trace::Extents extents(std::vector<std::int64_t> list) { return trace::Extents(list); }

// A record of one tile access of a 100 x 64 matrix "a".
trace::AccessRecord one(trace::AccessKind kind, std::vector<std::int64_t> shape, std::vector<std::int64_t> strides,
                        std::vector<std::int64_t> lo, std::vector<std::int64_t> hi) {
  trace::AccessRecord r;
  r.tensors.push_back({});
  r.tensors[0].name = "a";
  r.tensors[0].shape = {100, 64};
  r.tensors[0].strides = {64, 1};
  trace::AccessPattern p;
  p.kind = kind;
  p.tensor = 0;
  p.shape = extents(shape);
  p.strides = extents(strides);
  p.lo = extents(lo);
  p.hi = extents(hi);
  r.patterns.push_back(p);
  return r;
}

constexpr auto load = trace::AccessKind::load, store = trace::AccessKind::store;

}  // namespace

TEST_CASE("access text: a tile in the tensor's rows and columns, moving with the iteration") {
  const auto r = one(load, {32, 16}, {64, 1}, {0, 0}, {32, 16});
  CHECK(access_text(r, {0, 0, 0}) == "load a[0:32, 0:16]");
  CHECK(access_text(r, {0, 64 * 3 + 5, 16}) == "load a[3:35, 16i+5:16i+21]");
  CHECK(access_text(r, {0, 0, 64 * 32}) == "load a[32i:32i+32, 0:16]");
}

TEST_CASE("access text: what a mask leaves of a block") {
  CHECK(access_text(one(load, {32, 16}, {64, 1}, {0, 0}, {4, 16}), {0, 96 * 64, 0}) == "load a[96:100 of 32, 0:16]");
  CHECK(access_text(one(load, {32, 16}, {64, 1}, {0, 3}, {32, 16}), {0, 0, 0}) == "load a[0:32, 3:16 of 16]");
  CHECK(access_text(one(store, {32, 16}, {64, 1}, {0, 0}, {0, 0}), {0, 0, 0}) == "store a[nothing of 32 x 16]");
}

TEST_CASE("access text: transposed, strided, one row, one element, across rows") {
  CHECK(access_text(one(load, {16, 32}, {1, 64}, {0, 0}, {16, 32}), {0, 0, 0}) == "load a[0:32, 0:16]^T");
  CHECK(access_text(one(load, {8}, {4}, {0}, {8}), {0, 64, 0}) == "load a[1, 0:29:4]");
  CHECK(access_text(one(load, {64}, {1}, {0}, {64}), {0, 128, 64}) == "load a[i+2, 0:64]");
  CHECK(access_text(one(load, {}, {}, {}, {}), {0, 130, 0}) == "load a[2, 2]");
  CHECK(access_text(one(load, {64}, {1}, {0}, {64}), {0, 10, 0}) == "load a.flat[10:74]");
  CHECK(access_text(one(load, {8}, {0}, {0}, {8}), {0, 64, 3}) == "load a.flat[3i+64 in 8 lanes]");
  CHECK(access_text(one(load, {8}, {0}, {0}, {5}), {0, 64, 0}) == "load a.flat[64 in 5 of 8 lanes]");
}

TEST_CASE("access text: lists of lanes show the first ones") {
  auto r = one(load, {4}, {}, {}, {});
  r.patterns[0].is_tile = false;
  const std::int64_t offsets[] = {0, 7, 3, 3};
  r.patterns[0].offsets = offsets;
  CHECK(access_text(r, {0, 5, 0}) == "load a.flat[5 + {0, 7, 3, 3}], 4 lanes");
  const unsigned char mask[] = {1, 1, 0, 1};
  r.patterns[0].mask = mask;
  CHECK(access_text(r, {0, 5, 2}) == "load a.flat[2i+5 + {0, 7, 3, 3}], 3 of 4 lanes");
}

TEST_CASE("accesses: a matrix product that no machine here could hold is listed at once") {
  const Said s = tilescope("accesses grouped_matmul m=32768 n=32768 k=16384 bm=256 bn=128 bk=64 --pid '=1'");
  CHECK(s.exit_code == 0);
  CHECK(has(s.out, "program 1\n  256 x { "));
  CHECK(has(s.out, "load a[256:512, 64i:64i+64]"));
  CHECK(has(s.out, "store c[256:512, 0:128]"));
}

TEST_CASE("accesses: JSON gives patterns, and programs as segments") {
  const auto j = nlohmann::json::parse(tilescope("accesses transpose m=100 n=37 --pid '=3,=1' --json").out);
  const auto& launch = j["launches"][0];
  CHECK(launch["accesses"] == 16);
  CHECK(launch["requested_bytes"]["read"] == 100 * 37 * 4);
  CHECK(launch["programs"].size() == 1);
  CHECK(launch["programs"][0]["program"] == nlohmann::json{3, 1, 0});
  const auto& accesses = launch["programs"][0]["segments"][0]["accesses"];
  CHECK(accesses[0]["base"] == 96 * 37 + 32);
  CHECK(launch["patterns"][accesses[0]["pattern"].get<std::size_t>()]["hi"] == nlohmann::json{4, 5});
}

TEST_CASE("accesses: wrong use and a kernel's fault have their exit codes") {
  CHECK(tilescope("accesses matmull").exit_code == 2);
  CHECK(has(tilescope("accesses matmull").err, "did you mean"));
  CHECK(tilescope("accesses add --pid 'x'").exit_code == 2);
  CHECK(tilescope("accesses matmul_unmasked m=100 n=100 k=100").exit_code == 1);
  CHECK(has(tilescope("accesses add n=10 --pid '=7'").out, "no program is =7"));
}
