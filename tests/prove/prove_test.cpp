// `run --prove`: what holds for all sizes, and kernels that are wrong at sizes that nobody runs.
#include <doctest/doctest.h>

#include "tests/cli/run_program.h"
#include "tests/has.h"

namespace {

// What --prove says of a kernel k.py; nothing where tilescope was built without z3.
Said proof_of(const std::string& text, const EmptyFolder& here = EmptyFolder()) {
  std::ofstream(here.path / "k.py") << text;
  return tilescope("run k.py --prove", here);
}
bool is_skipped(const Said& s) {
  if (!has(s.err, "without z3")) return false;
  MESSAGE("skipped: built without z3 (libz3-dev)");
  return true;
}

std::string copy(const std::string& words, const std::string& mask) {
  return "# case: " + words + R"(
@triton.jit
def copy(x_ptr, y_ptr, n, B: tl.constexpr):
    offs = tl.program_id(0) * B + tl.arange(0, B)
    x = tl.load(x_ptr + offs, mask=offs < n, other=0.0)
    tl.store(y_ptr + offs, x)" +
         mask + ")\n";
}

std::string sum_of_rows(const std::string& index) {
  return R"(# case: m=5 n=100 x=f32[m,n] y=out:f32[m] B=32 grid=m
@triton.jit
def rows(x_ptr, y_ptr, n, B: tl.constexpr):
    row = tl.program_id(0))" +
         index + R"(
    p = x_ptr + row * n + tl.arange(0, B)
    total = tl.zeros((B,), tl.float32)
    for k in range(0, n, B):
        total += tl.load(p, mask=k + tl.arange(0, B) < n, other=0.0)
        p += B
    tl.store(y_ptr + tl.program_id(0), tl.sum(total, 0))
)";
}

}  // namespace

TEST_CASE("prove: a masked copy is inside its tensors for every n, and each program stores to its own") {
  const Said s = proof_of(copy("n=100 x=f32[n] y=out:f32[n] B=64 grid=cdiv(n,B)", ", mask=offs < n"));
  if (is_skipped(s)) return;
  CHECK_MESSAGE(s.exit_code == 0, s.out << s.err);
  CHECK(has(s.out, "proven: tl.load, line 5: inside x\n"));
  CHECK(has(s.out, "proven: tl.store, line 6: inside y\n"));
  CHECK(has(s.out, "proven: tl.store, line 6: programs store to elements of y of their own\n"));
}

TEST_CASE(
    "prove: a mask that only multiples of the block can do without is missing: run shows it with the sizes told") {
  const EmptyFolder here;
  const Said s = proof_of(copy("n=128 x=f32[n] y=out:f32[n] B=64 grid=cdiv(n,B)", ""), here);
  if (is_skipped(s)) return;
  CHECK(tilescope("run k.py", here).exit_code == 0);
  CHECK(s.exit_code == 1);
  REQUIRE_MESSAGE(has(s.out, "wrong: tl.store, line 6: inside y: out of bounds"), s.out);
  const std::size_t at = s.out.find("tilescope run k.py n=");
  REQUIRE(at != std::string::npos);
  const std::string command = s.out.substr(at + 10, s.out.find(" shows it", at) - at - 10);
  const Said shown = tilescope(command, here);
  CHECK_MESSAGE(has(shown.out, "is out of bounds"), command << shown.out);
}

TEST_CASE("prove: a grid that has a program too many where the block divides n") {
  const std::string kernel = copy("n=100 x=f32[n] y=out:f32[cdiv(n,B)*B] B=64 grid=n/B+1", "");
  const Said s = proof_of(kernel);
  if (is_skipped(s)) return;
  CHECK_MESSAGE(has(s.out, "wrong: tl.store, line 6: inside y"), s.out);
  CHECK(s.exit_code == 1);
}

TEST_CASE("prove: blocks that are wider than the programs are apart store to one element") {
  const Said s = proof_of(R"(# case: n=100 x=f32[n] y=out:f32[n] B=64 S=63 grid=2
@triton.jit
def copy(x_ptr, y_ptr, n, B: tl.constexpr, S: tl.constexpr):
    offs = tl.program_id(0) * S + tl.arange(0, B)
    tl.store(y_ptr + offs, tl.load(x_ptr + offs, mask=offs < n), mask=offs < n)
)");
  if (is_skipped(s)) return;
  CHECK_MESSAGE(has(s.out, "wrong: tl.store, line 5: programs store to elements of y of their own"), s.out);
}

TEST_CASE("prove: a loop is followed for any number of turns, and i32 offsets wrap where 64 bits do not") {
  const Said narrow = proof_of(sum_of_rows("")), wide = proof_of(sum_of_rows(".to(tl.int64)"));
  if (is_skipped(narrow)) return;
  CHECK_MESSAGE(
      has(narrow.out,
          "proven: tl.load, line 8: inside x: while tensors hold at most 2^30 elements; beyond, line 5: i32 wraps: m="),
      narrow.out);
  CHECK_MESSAGE(has(wide.out, "proven: tl.load, line 8: inside x\n"), wide.out);
  CHECK(has(wide.out, "proven: tl.store, line 10: inside y\n"));
}

TEST_CASE("prove: a mask of the first turn alone lets later turns leave the row") {
  std::string kernel = sum_of_rows("");
  kernel.replace(kernel.find("k + tl.arange"), 4, "");
  const Said s = proof_of(kernel);
  if (is_skipped(s)) return;
  CHECK_MESSAGE(has(s.out, "wrong: tl.load, line 8: inside x"), s.out);
}

TEST_CASE("prove: rows and columns of blocks are apart, by products of sizes") {
  const Said s = proof_of(R"(# case: m=40 n=50 x=f32[m,n] y=out:f32[m,n] BM=16 BN=32 grid=cdiv(m,BM),cdiv(n,BN)
@triton.jit
def tiles(x_ptr, y_ptr, m, n, BM: tl.constexpr, BN: tl.constexpr):
    r = tl.program_id(0) * BM + tl.arange(0, BM)
    c = tl.program_id(1) * BN + tl.arange(0, BN)
    mask = (r < m)[:, None] & (c < n)[None, :]
    at = r[:, None] * n + c[None, :]
    tl.store(y_ptr + at, tl.load(x_ptr + at, mask=mask), mask=mask)
)");
  if (is_skipped(s)) return;
  CHECK_MESSAGE(has(s.out, "proven: tl.store, line 8: programs store to elements of y of their own"), s.out);
}

TEST_CASE("prove: what follows from data is not proven, nor what a branch that nobody took does") {
  const Said gather = proof_of(R"(# case: n=100 m=30 i=i32[n]:each(i%m) x=f32[m] y=out:f32[n] B=64 grid=cdiv(n,B)
@triton.jit
def gather(i_ptr, x_ptr, y_ptr, n, B: tl.constexpr):
    offs = tl.program_id(0) * B + tl.arange(0, B)
    i = tl.load(i_ptr + offs, mask=offs < n, other=0)
    tl.store(y_ptr + offs, tl.load(x_ptr + i, mask=offs < n), mask=offs < n)
)");
  if (is_skipped(gather)) return;
  CHECK(gather.exit_code == 0);
  CHECK_MESSAGE(has(gather.out, "not proven: tl.load, line 6: inside x: its offsets follow from data"), gather.out);
  const Said branch = proof_of(R"(# case: n=100 y=out:f32[n] B=64 grid=cdiv(n,B)
@triton.jit
def branch(y_ptr, n, B: tl.constexpr):
    offs = tl.program_id(0) * B + tl.arange(0, B)
    if n > 5000:
        tl.store(y_ptr + offs + n, 0.0)
    tl.store(y_ptr + offs, 1.0, mask=offs < n)
)");
  CHECK_MESSAGE(has(branch.out, "not proven: every branch is taken by a program of this case: none goes as one of n="),
                branch.out);
}

namespace {

std::string block_pointers(const std::string& checked, const std::string& step) {
  return R"(# case: m=40 n=150 x=f32[m,n] y=out:f32[m] BM=16 BN=32 grid=cdiv(m,BM)
@triton.jit
def rows(x_ptr, y_ptr, m, n, BM: tl.constexpr, BN: tl.constexpr):
    p = tl.make_block_ptr(x_ptr, (m, n), (n, 1), (tl.program_id(0) * BM, 0), (BM, BN), (1, 0))
    total = tl.zeros((BM,), tl.float32)
    for k in range(0, n, BN):
        total += tl.sum(tl.load(p, boundary_check=)" +
         checked + R"(, padding_option="zero"), 1)
        p = tl.advance(p, (0, )" +
         step + R"())
    q = tl.make_block_ptr(y_ptr, (m,), (1,), (tl.program_id(0) * BM,), (BM,), (0,))
    tl.store(q, total, boundary_check=(0,))
)";
}

}  // namespace

TEST_CASE("prove: block pointers are followed through loops, by the axes that are checked") {
  const Said s = proof_of(block_pointers("(0, 1)", "BN"));
  if (is_skipped(s)) return;
  CHECK_MESSAGE(has(s.out, "proven: tl.load, line 7: inside x"), s.out);
  CHECK_MESSAGE(has(s.out, "proven: tl.store, line 10: inside y"), s.out);
  CHECK_MESSAGE(has(s.out, "proven: tl.store, line 10: programs store to elements of y of their own"), s.out);
  const Said one = proof_of(block_pointers("(1,)", "BN"));
  CHECK_MESSAGE(has(one.out, "wrong: tl.load, line 7: inside x: out of bounds"), one.out);
}

TEST_CASE("prove: tiles of descriptors are inside, and those of two programs are apart or not") {
  const auto said = [](const std::string& step) {
    return proof_of(R"(# case: n=100 x=f32[n]:tile[32] y=out:f32[n]:tile[32] grid=cdiv(n,32)
@triton.jit
def tiles(x, y):
    i = tl.program_id(0) * )" +
                    step + R"(
    y.store([i], x.load([i]) * 2)
)");
  };
  const Said s = said("32"), near = said("16");
  if (is_skipped(s)) return;
  CHECK_MESSAGE(has(s.out, "proven: tl.store, line 5: inside y"), s.out);
  CHECK_MESSAGE(has(s.out, "proven: tl.store, line 5: programs store to elements of y of their own"), s.out);
  CHECK_MESSAGE(has(near.out, "wrong: tl.store, line 5: programs store to elements of y of their own"), near.out);
}

TEST_CASE("prove: a program reads what is proven as JSON") {
  const EmptyFolder here;
  std::ofstream(here.path / "k.py") << copy("n=128 x=f32[n] y=out:f32[n] B=64 grid=cdiv(n,B)", "");
  const Said s = tilescope("run k.py --prove --json", here);
  if (is_skipped(s)) return;
  CHECK(s.exit_code == 1);
  CHECK_MESSAGE(has(s.out, R"({"verdict":"wrong","claim":"tl.store, line 6: inside y","reason":"out of bounds)"),
                s.out);
  CHECK(has(s.out, R"("case":["n=)"));
}

TEST_CASE("prove: tiles that overlap along an axis are shown with sizes near the case's, where formulas are too hard") {
  const EmptyFolder here;
  const auto tiles = [&](const std::string& step) {
    return proof_of(R"(# case: m=40 n=47 x=f32[m,n] y=out:f32[m,n] BM=8 BN=16 grid=(cdiv(m,BM),cdiv(n,BN))
@triton.jit
def tiles(x_ptr, y_ptr, m, n, BM: tl.constexpr, BN: tl.constexpr):
    r = tl.program_id(0) * BM + tl.arange(0, BM)
    c = tl.program_id(1) * )" +
                        step + R"( + tl.arange(0, BN)
    mask = (r[:, None] < m) & (c[None, :] < n)
    at = r[:, None] * n + c[None, :]
    tl.store(y_ptr + at, tl.load(x_ptr + at, mask=mask), mask=mask)
)",
                    here);
  };
  const Said right = tiles("BN");
  if (is_skipped(right)) return;
  CHECK_MESSAGE(has(right.out, "proven: tl.store, line 8: programs store to elements of y of their own"), right.out);
  const Said s = tiles("(BN - 1)");
  CHECK_MESSAGE(has(s.out, "wrong: tl.store, line 8: programs store to elements of y of their own"), s.out);
  const std::size_t at = s.out.find("tilescope run ");
  REQUIRE(at != std::string::npos);
  const std::string shown = s.out.substr(at + 10, s.out.find(" shows", at) - at - 10);
  CHECK(has(tilescope(shown, here).out, "races with program"));
}
