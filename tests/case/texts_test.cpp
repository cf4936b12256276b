// Words of a case that are texts or tables of addresses, and what is said of wrong ones. Expected values: arithmetic by
// hand.
#include <doctest/doctest.h>

#include "tests/case/files.h"

using namespace tl::test;

TEST_CASE("files: a constant may be a text that the kernel compares with, or a float") {
  const EmptyFolder here;
  write(here, "act.h", R"(#pragma once
#include "interp/tl.h"
// case: x=f32[4]:values(-2,-1,1,2) y=out:f32[4] ACTIVATION=relu SCALE=0.5 BLOCK=4 grid=1 expect=act_loop
struct act_kernel {
  void operator()(auto& tl, ptr auto x_ptr, ptr auto y_ptr, constexpr_ auto ACTIVATION, constexpr_ auto SCALE,
                  constexpr_ auto BLOCK) const {
    auto offs = tl.arange(0, BLOCK);
    auto x = tl.load(x_ptr + offs);
    if (ACTIVATION == "relu") x = tl.maximum(x, 0);
    if (ACTIVATION == "square") x = x * x;
    tl.store(y_ptr + offs, x * SCALE);
  }
};
void act_loop(auto& args) {
  auto x = args["x"], y = args["y"];
  for (int i = 0; i < 4; ++i) {
    double v = x(i);
    if (args.is("ACTIVATION", "relu")) v = v > 0 ? v : 0;
    if (args.is("ACTIVATION", "square")) v *= v;
    y(i) = v * args("SCALE");
  }
}
)");
  CHECK(has(tilescope("run act.h", here).out, "y = [0 0 0.5 1]"));
  CHECK(has(tilescope("run act.h ACTIVATION=square SCALE=1", here).out, "y = [4 1 1 4]"));
  CHECK(has(tilescope("run act.h 'ACTIVATION=\"none\"'", here).out, "y = [-1 -0.5 0.5 1]"));
  CHECK(has(tilescope("list act.h", here).out, "\"relu\""));
  const Said wrong = tilescope("run act.h ACTIVATION=sqare", here);
  CHECK(has(wrong.err, "nothing is called sqare, and the kernel compares with \"relu\", \"square\""));
  CHECK(has(wrong.err, "did you mean square?"));
  CHECK(has(tilescope("run act.h BLOCK=0.5", here).err, "no whole number"));
  CHECK(
      has(tilescope("run act.h 'BLOCK=\"four\"'", here).err, "is a float or a text, and a size or axis is an integer"));
}

// Near 2059 fp16 has 2058 and 2060, whose significand is even, and bf16 2048 and 2064.
TEST_CASE("files: a constant may be a dtype, or an infinity") {
  const EmptyFolder here;
  write(here, "cut.h", R"(#pragma once
#include "interp/tl.h"
// case: x=f32[2]:values(2059,1) y=out:f32[2] ACC=f16 LOW=-inf BLOCK=2 grid=1
struct cut_kernel {
  void operator()(auto& tl, ptr auto x_ptr, ptr auto y_ptr, constexpr_ auto ACC, constexpr_ auto LOW,
                  constexpr_ auto BLOCK) const {
    auto offs = tl.arange(0, BLOCK);
    auto x = tl.load(x_ptr + offs).to(ACC).to(tl.float32);
    tl.store(y_ptr + offs, tl.where(offs < 1, x + 1, LOW));
  }
};
)");
  CHECK(has(tilescope("run cut.h", here).out, "y = [2061 -inf]"));
  CHECK(has(tilescope("run cut.h ACC=tl.bfloat16 LOW=0.5", here).out, "y = [2065 0.5]"));
  CHECK(has(tilescope("run cut.h ACC=float32 LOW=inf", here).out, "y = [2060 inf]"));
  CHECK(has(tilescope("run cut.h ACC=f17", here).err, "nothing is called f17"));
}

TEST_CASE("files: a tensor of addresses leads to other tensors of the case, which are checked and written") {
  const EmptyFolder here;
  write(here, "table.h", R"(#pragma once
#include "interp/tl.h"
// case: a=f32[2]:iota b=f32[2]:ones c=out:f32[2] d=out:f32[2] from=i64[2]:addresses(a,b) to=i64[2]:addresses(c,d)
// case: BLOCK=2 grid=2 expect='c = 3 * a; d = 3 * b'
struct table_kernel {
  void operator()(auto& tl, ptr auto from_ptr, ptr auto to_ptr, constexpr_ auto BLOCK) const {
    auto offs = tl.arange(0, BLOCK);
    auto x = tl.load(from_ptr + tl.program_id(0)).to(tl.pointer_type(tl.float32));
    auto y = tl.load(to_ptr + tl.program_id(0)).to(tl.pointer_type(tl.float32));
    tl.store(y + offs, tl.load(x + offs) * 3);
  }
};
)");
  const Said right = tilescope("run table.h", here);
  CHECK(has(right.out, "ok: agrees with the reference"));
  CHECK(has(right.out, "d = [3 3]"));
  CHECK(has(tilescope("run table.h BLOCK=4", here).err + tilescope("run table.h BLOCK=4", here).out,
            "element 2 of \"a\", which holds 2"));
  CHECK(has(tilescope("run table.h 'from=i64[2]:addresses(a,e)'", here).err, "no tensor of the case is called e"));
  CHECK(has(tilescope("run table.h 'from=i64[2]:addresses(a)'", here).err, "1 addresses for 2 elements"));
  CHECK(has(tilescope("run table.h 'from=i32[2]:addresses(a,b)'", here).err, "an address is not i32"));
}

TEST_CASE("files: every missing array is named, and an option in a case says which word it is") {
  const EmptyFolder here;
  write(here, "twice.h", twice(iota_case));
  const Said missing = tilescope("run twice.h x=@one.npy z=out:@two.npy", here);
  CHECK(has(missing.err, "one.npy"));
  CHECK(has(missing.err, "two.npy"));
  write(here, "option.h", twice("// case: x=i32[6]:iota z=out:i32[6] n=6 BLOCK=4 --grid=2\n"));
  CHECK(has(tilescope("run option.h", here).err, "a word of a case is name=value: grid=2"));
}

TEST_CASE("files: what a kernel prints: lines of chosen programs, of every program, once") {
  const EmptyFolder here;
  write(here, "says.h", R"(#pragma once
#include "interp/tl.h"
// case: y=out:f32[4] NAME=halves BLOCK=2 grid=2
struct says_kernel {
  void operator()(auto& tl, ptr auto y_ptr, constexpr_ auto NAME, constexpr_ auto BLOCK) const {
    auto offs = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK);
    if (NAME == "halves") tl.static_print("{} of {}", NAME, BLOCK);
    tl.device_print("offs = ", offs, offs < 3);
    tl.print_if("half = {}", "=1", offs.to(tl.float32) / 2);
    tl.store(y_ptr + offs, offs.to(tl.float32));
  }
};
)");
  const std::string out = tilescope("run says.h --order sequential", here).out;
  CHECK(has(out,
            "halves of 2\npid (0, 0, 0) offs = [0 1], [True True]\npid (1, 0, 0) offs = [2 3], [True False]\n"
            "half = [1 1.5]\n"));
}
