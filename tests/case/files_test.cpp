// Kernels of files, as their writers run them. Expected values: arithmetic by hand.
#include "tests/case/files.h"

#include <doctest/doctest.h>

#include "interp/case/npy.h"

using namespace tl::test;

TEST_CASE("files: a kernel runs by the words of the command line, without a reference") {
  const EmptyFolder here;
  write(here, "twice.h", twice());
  const Said s = tilescope("run ./twice.h x=i32[6]:iota z=out:i32[6] n=6 BLOCK=4 --grid 'cdiv(n, BLOCK)'", here);
  CHECK(s.err == "");
  CHECK(s.exit_code == 0);
  CHECK(has(s.out, "z = [0 2 4 6 8 10]"));
  CHECK(has(s.out, "ok: no fault"));
}

TEST_CASE("files: the case stands at the head, and the command line changes it part by part") {
  const EmptyFolder here;
  write(here, "twice.h", twice(iota_case));
  CHECK(has(tilescope("run twice.h", here).out, "z = [0 2 4 6 8 10]"));
  CHECK(has(tilescope("run twice.h n=3 BLOCK=1", here).out, "z = [0 2 4]"));
  CHECK(has(tilescope("run twice.h x=:ones", here).out, "z = [2 2 2 2 2 2]"));
  CHECK(has(tilescope("run twice.h x=f32 z=f32 'x=:full(0.25)' n=2", here).err, "x is given twice"));
  CHECK(has(tilescope("run twice.h 'x=f32:full(0.25)' z=f32 n=2", here).out, "z = [0.5 0.5]"));
}

TEST_CASE("files: a pointer may be None, and the kernel asks") {
  const EmptyFolder here;
  write(here, "twice.h", R"(#pragma once
#include "interp/tl.h"
struct twice_kernel {
  void operator()(auto& tl, ptr auto x_ptr, ptr auto b_ptr, ptr auto z_ptr, constexpr_ auto BLOCK) const {
    auto offs = tl.arange(0, BLOCK);
    auto x = tl.load(x_ptr + offs) * 2;
    if (!tl.is_none(b_ptr)) x += tl.load(b_ptr + offs);
    tl.store(z_ptr + offs, x);
  }
};
)");
  const std::string words = "run twice.h x=i32[4]:iota z=out:i32[4] BLOCK=4 grid=1 ";
  CHECK(has(tilescope(words + "b=None", here).out, "z = [0 2 4 6]"));
  CHECK(has(tilescope(words + "b=i32[4]:ones", here).out, "z = [1 3 5 7]"));
}

TEST_CASE("files: tensors are filled with given values, or by an expression of the element's number") {
  const EmptyFolder here;
  write(here, "twice.h", twice(iota_case));
  CHECK(has(tilescope("run twice.h n=4 'x=:values(3, -1, n, 2^2)'", here).out, "z = [6 -2 8 8]"));
  CHECK(has(tilescope("run twice.h 'x=:each(5 * i % n)'", here).out, "z = [0 10 8 6 4 2]"));
  CHECK(has(tilescope("run twice.h x=f32 z=f32 n=3 'x=:each(0.25 * i)'", here).err, "x is given twice"));
  CHECK(has(tilescope("run twice.h 'x=f32:each(0.25 * i)' z=f32 n=3", here).out, "z = [0 0.5 1]"));
  CHECK(has(tilescope("run twice.h 'x=:values(3, 1)'", here).err, "2 values for 6 elements"));
  CHECK(has(tilescope("run twice.h 'x=:each(2 * j)'", here).err, "nothing is called j"));
}

TEST_CASE("files: arrays of NumPy's bring their sizes and dtype, and are written") {
  const EmptyFolder here;
  write(here, "twice.h", twice(iota_case));
  const tl::Tensor x = tl::make_tensor("x", tl::DType::int32, {3});
  for (int i = 0; i < 3; ++i) tl::set(x, i, 10 + i);
  tl::cases::write_npy(x, (here.path / "x.npy").string());
  const Said s = tilescope("run twice.h x=@x.npy --save z=z.npy --expect 'z = x + x'", here);
  CHECK(has(s.out, "n=3"));
  CHECK(has(s.out, "z = [20 22 24]"));
  CHECK(tl::get(tl::cases::read_npy("z", (here.path / "z.npy").string()), 2) == 24);
  CHECK(tilescope("run twice.h x=@x.npy --expect z=z.npy", here).exit_code == 0);
  CHECK(has(tilescope("run twice.h x=@x.npy n=4", here).err, "\"x.npy\" is 3, and the case says 4"));
  CHECK(has(tilescope("run twice.h x=f32@x.npy", here).err, "\"x.npy\" holds i32, and the case says f32"));
}

TEST_CASE("files: a built-in kernel elsewhere runs by a case, and like the one that is built in") {
  const EmptyFolder here;
  write(here, "softmax.h", contents_of(TILESCOPE_ROOT "/kernels/softmax.h"));
  const Said by_case = tilescope(
      "run softmax.h rows=5 cols=7 input=f32[rows,cols] output=out:f32[rows,cols] input_row_stride=cols "
      "output_row_stride=cols n_rows=rows n_cols=cols BLOCK_SIZE=8 num_stages=2 grid=3 "
      "--expect 'output = exp(input) / sum(exp(input), 1)[:, None]'",
      here);
  CHECK(by_case.err == "");
  CHECK(has(by_case.out, "ok: agrees with the reference"));
  const Said like = tilescope("run softmax.h --like softmax rows=5 cols=7", here);
  CHECK(has(like.out, "ok: agrees with the reference"));
  CHECK(has(tilescope("run softmax.h --like add", here).err, "softmax_kernel does not take what add is launched with"));
}

TEST_CASE("files: a copy of a built-in kernel without a case runs as that kernel does") {
  const EmptyFolder here;
  for (const char* name : {"add", "dropout", "unfused_softmax"})
    write(here, std::string(name) + ".h", contents_of(std::string(TILESCOPE_ROOT "/kernels/") + name + ".h"));
  CHECK(has(tilescope("run add.h", here).out, "ok: agrees with the reference"));
  CHECK(has(tilescope("run add.h n=7 block=2", here).out, "like='add n=7 block=2'"));
  CHECK(has(tilescope("run dropout.h seed=5 n=100", here).out, "ok: agrees with the reference"));
  CHECK(has(tilescope("run unfused_softmax.h", here).out, "ok: agrees with the reference"));  // five launches
  CHECK(has(tilescope("run add.h x=f32[5] y=f32[5] z=out:f32[5] n=5 BLOCK_SIZE=8 grid=1", here).out, "ok: no fault"));
}

TEST_CASE("files: a kernel with a case in kernels/ is one of the list, registered nowhere") {
  const EmptyFolder here;
  std::filesystem::create_directory(here.path / "kernels");
  write(here, "kernels/twice.h", twice(iota_case));
  setenv("TILESCOPE_SOURCES", ".", 1);
  const Said list = tilescope("list", here), run = tilescope("run twice n=3", here);
  unsetenv("TILESCOPE_SOURCES");
  CHECK(has(list.out, "  twice "));
  CHECK(has(run.out, "z = [0 2 4]"));
  CHECK_FALSE(has(tilescope("list", here).out, "twice"));
}

TEST_CASE("files: --sources is where what they include comes from") {
  const EmptyFolder here;
  write(here, "twice.h", twice(iota_case));
  CHECK(has(tilescope("run twice.h --sources " TILESCOPE_ROOT, here).out, "z = [0 2 4 6 8 10]"));
  CHECK(has(tilescope("run twice.h --sources .", here).err, "holds no interp/tl.h"));
}

// Two rows of three pixels, as every program reads PNG: red, green, blue / black, white, (1, 2, 3).
TEST_CASE("files: a picture is three planes of bytes") {
  const EmptyFolder here;
  const unsigned char png[] = {0x89, 0x50, 0x4e, 0x47, 0x0d, 0x0a, 0x1a, 0x0a, 0x00, 0x00, 0x00, 0x0d, 0x49, 0x48, 0x44,
                               0x52, 0x00, 0x00, 0x00, 0x03, 0x00, 0x00, 0x00, 0x02, 0x08, 0x02, 0x00, 0x00, 0x00, 0x12,
                               0x16, 0xf1, 0x4d, 0x00, 0x00, 0x00, 0x1f, 0x49, 0x44, 0x41, 0x54, 0x78, 0x01, 0x01, 0x14,
                               0x00, 0xeb, 0xff, 0x00, 0xff, 0x00, 0x00, 0x00, 0xff, 0x00, 0x00, 0x00, 0xff, 0x00, 0x00,
                               0x00, 0x00, 0xff, 0xff, 0xff, 0x01, 0x02, 0x03, 0x3b, 0xe2, 0x06, 0x01, 0x2b, 0x9c, 0x97,
                               0x1e, 0x00, 0x00, 0x00, 0x00, 0x49, 0x45, 0x4e, 0x44, 0xae, 0x42, 0x60, 0x82};
  std::ofstream(here.path / "picture.png", std::ios::binary).write(reinterpret_cast<const char*>(png), std::ssize(png));
  write(here, "twice.h",
        twice("// case: n=18 BLOCK=32 x=u8[3, h, w] z=out:u8[18] grid=1\n",
              "tl.store(z_ptr + offs, x, {.mask = mask});"));
  const Said s = tilescope("run twice.h x=@picture.png --save z=z.npy", here);
  CHECK(s.err == "");
  const tl::Tensor z = tl::cases::read_npy("z", (here.path / "z.npy").string());
  const std::vector<int> planes{255, 0, 0, 0, 255, 1, 0, 255, 0, 0, 255, 2, 0, 0, 255, 0, 255, 3};
  for (int i = 0; i < 18; ++i) CHECK(tl::get(z, i) == planes[static_cast<std::size_t>(i)]);
  CHECK(has(tilescope("run twice.h x=@nowhere.png", here).err, "nowhere.png"));
}

TEST_CASE("files: a text that leaves out the language's include, and a helper's that stands before it, compile") {
  const EmptyFolder here;
  write(here, "triple.h", "#pragma once\nauto triple(auto& tl, auto x) { return x + x + x; }\n");
  write(here, "bare.h", R"(#include "triple.h"
// case: n=5 BLOCK=4 x=f32[n]:iota z=out:f32[n] grid=2 expect='z = 3 * x'
struct bare {
  void operator()(auto& tl, ptr auto x_ptr, ptr auto z_ptr, int_ auto n, constexpr_ auto BLOCK) const {
    auto offs = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK);
    tl.store(z_ptr + offs, triple(tl, tl.load(x_ptr + offs, {.mask = offs < n})), {.mask = offs < n});
  }
};
)");
  CHECK(has(tilescope("run bare.h", here).out, "ok: agrees"));
  const Said compiled = tilescope("compile bare.h", here);
  CHECK((compiled.exit_code == 0 || has(compiled.err, "NVRTC")));
}

TEST_CASE("repro: one file fails as the run did, with the seed, what was included, and the input of a file") {
  const EmptyFolder here;
  std::filesystem::create_directory(here.path / "elsewhere");
  write(here, "triple.h", "#pragma once\nauto triple(auto& tl, auto x) { return x + x + x; }\n");
  write(here, "wrong.h",
        "#include \"triple.h\"\n" + twice("// case: n=5 BLOCK=4 x=f32[n] z=out:f32[n] grid=2 expect='z = 2 * x'\n",
                                          "tl.store(z_ptr + offs, triple(tl, x), {.mask = mask});"));
  const tl::Tensor x = tl::make_tensor("x", tl::DType::float32, {3});
  for (int i = 0; i < 3; ++i) tl::set(x, i, 0.5 + i);
  tl::cases::write_npy(x, (here.path / "x.npy").string());
  const Said made = tilescope("repro wrong.h x=@x.npy -o elsewhere/bug.h", here);
  CHECK(made.err == "");
  CHECK(made.exit_code == 0);
  CHECK(has(made.out, "z[0] is 1.5, the reference says 1 (3 of 3 elements differ)"));
  for (const char* name : {"wrong.h", "triple.h", "x.npy"}) std::filesystem::remove(here.path / name);
  const Said again = tilescope("run elsewhere/bug.h", here);
  CHECK(again.exit_code == 1);
  CHECK(has(again.out, "z[0] is 1.5, the reference says 1 (3 of 3 elements differ)"));
}

TEST_CASE("repro: random inputs, built-in kernels, faults; what does not fail is told") {
  const EmptyFolder here;
  const auto line_of = [](const std::string& text, const std::string& start) {
    const std::size_t at = text.find(start);
    return at == text.npos ? "" : text.substr(at, text.find('\n', at) - at);
  };
  write(here, "half.h", twice("// case: n=5 BLOCK=4 x=f32[n] z=out:f32[n] grid=2 expect='z = x / 2'\n"));
  const Said half = tilescope("repro half.h --seed 7 -o bug.h", here);
  CHECK(line_of(half.out, "wrong: ").size() > 20);
  CHECK(line_of(tilescope("run bug.h", here).out, "wrong: ") == line_of(half.out, "wrong: "));
  CHECK(line_of(tilescope("run half.h --seed 8", here).out, "wrong: ") != line_of(half.out, "wrong: "));
  CHECK(tilescope("repro copy_wrong_stride n=8 -o copy.h", here).exit_code == 0);
  CHECK(has(tilescope("run copy.h", here).out, "wrong: z[2] is 0, the reference says 3"));
  CHECK(tilescope("repro grey image=nowhere.png -o grey.h", here).exit_code == 2);  // no run, no file
  CHECK_FALSE(std::filesystem::exists(here.path / "grey.h"));
  CHECK(tilescope("repro copy_wrong_offsets --check race --order sequential -o race.h", here).exit_code == 0);
  CHECK(has(contents_of(here.path / "race.h"), "tilescope run race.h --order sequential --check race"));
  const Said right = tilescope("repro add -o right.h", here);
  CHECK(right.exit_code == 2);
  CHECK(has(right.err, "there is nothing to reproduce"));
  CHECK_FALSE(std::filesystem::exists(here.path / "right.h"));
  CHECK(has(tilescope("repro copy_wrong_stride -o copy.h", here).err, "copy.h is there already"));
}

TEST_CASE("files: every command takes one") {
  const EmptyFolder here;
  write(here, "twice.h", twice(iota_case));
  CHECK(has(tilescope("list twice.h", here).out, "BLOCK"));
  CHECK(has(tilescope("trace twice.h -o t.tltrace", here).out, "2 programs"));
  CHECK(tilescope("compare twice.h --device cpu", here).exit_code == 0);
  for (const char* command : {"accesses twice.h", "schedule twice.h", "coalesce twice.h", "occupancy twice.h",
                              "export twice.h --panel offsets -o f.svg", "bench twice.h --ms 1"}) {
    const Said s = tilescope(command, here);
    CHECK_MESSAGE(s.exit_code == 0, command << ": " << s.err);
  }
  write(here, "input", "n\ninfo locals\n");
  CHECK(has(tilescope("debug twice.h", here).out, "offs"));
}

TEST_CASE("files: a kernel whose data decides what it touches is followed with its values, each time from the first") {
  const EmptyFolder here;
  write(here, "once.h", R"(// case: x=i32[8]:iota done=inout:i32[2]:zeros z=out:i32[8] N=8 grid=1
#include "interp/tl.h"
struct once {
  void operator()(auto& tl, ptr auto x, ptr auto done, ptr auto z, constexpr_ auto N) const {
    auto i = tl.load(x + tl.arange(0, N));
    tl.store(z + i, i);
    if (tl.load(done) == 0) tl.atomic_xchg(done + 1, 1);
    tl.atomic_xchg(done, 1);
  }
};
)");
  for (const char* command : {"accesses", "schedule", "coalesce"}) {
    const Said s = tilescope(std::string(command) + " once.h", here);
    CHECK_MESSAGE(s.exit_code == 0, command << ": " << s.err);
    CHECK_MESSAGE(has(s.out, "z"), command << ": " << s.out);
  }
  CHECK(has(tilescope("accesses once.h", here).out, "depends on what tl.load at once.h:5 reads of \"x\""));
  write(here, "places.h", R"(// case: a=f16[16,16] p=i32[1]:zeros z=out:f32[16,16] N=16 grid=1
#include "interp/tl.h"
struct places {
  void operator()(auto& tl, ptr auto a, ptr auto p, ptr auto z, constexpr_ auto N) const {
    if (tl.load(p) != 0) return;
    auto offs = tl.arange(0, N)(_, None) * N + tl.arange(0, N)(None, _);
    auto x = tl.load(a + offs);
    tl.store(z + offs, tl.dot(x, x));
  }
};
)");
  CHECK(has(tilescope("banks places.h", here).out, "dot's left side"));
}

TEST_CASE("files: a fault is told at its line") {
  const EmptyFolder here;
  write(here, "twice.h", twice(iota_case, "tl.store(z_ptr + offs, x + x);"));
  const Said s = tilescope("run twice.h", here);
  CHECK(s.exit_code == 1);
  CHECK(has(s.out, "twice.h:9"));
  CHECK(has(s.out, "out of bounds"));
}

TEST_CASE("new: what it writes runs, is right, and is not written twice") {
  const EmptyFolder here;
  CHECK(tilescope("new relu", here).exit_code == 0);
  CHECK(has(contents_of(here.path / ".clangd"), "-std=c++20"));
  CHECK(has(tilescope("run relu.h", here).out, "ok: agrees with the reference"));
  CHECK(has(tilescope("run relu.h n=4097 BLOCK=256 x=f16 y=f16", here).out, "ok: agrees with the reference"));
  CHECK(has(tilescope("new relu", here).err, "relu.h is there already"));
  CHECK(has(tilescope("new re-lu", here).err, "cannot be a kernel's name"));
}

TEST_CASE("files: an inout tensor holds its values before each run") {
  const EmptyFolder here;
  write(here, "total.h",
        R"(// case: n=10 BLOCK=4 x=i32[n]:iota z=inout:i32[1]:full(7) grid=cdiv(n, BLOCK) expect='z = z + sum(x)'
#include "interp/tl.h"
struct total {
  void operator()(auto& tl, auto x, auto z, auto n, tl::constexpr_ auto BLOCK) const {
    auto offs = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK);
    tl.atomic_add(z, tl.sum(tl.load(x + offs, {.mask = offs < n, .other = 0}), 0));
  }
};
)");
  const Said s = tilescope("run total.h", here);
  CHECK(s.err == "");
  CHECK(has(s.out, "z = [52]"));
  CHECK(has(s.out, "ok: agrees with the reference"));
}

TEST_CASE("files: headers beside a kernel are found, and a text that was saved anew is compiled anew") {
  const EmptyFolder here;
  write(here, "helper.h", "auto changed(auto& tl, auto x) { return tl.maximum(x, 1); }\n");
  write(here, "twice.h",
        "#include \"helper.h\"\n" + twice(iota_case, "tl.store(z_ptr + offs, changed(tl, x), {.mask = mask});"));
  CHECK(has(tilescope("run twice.h", here).out, "z = [1 1 2 3 4 5]"));
  write(here, "helper.h", "auto changed(auto& tl, auto x) { return tl.minimum(x, 1); }\n");
  CHECK(has(tilescope("run twice.h", here).out, "z = [0 1 1 1 1 1]"));
}

TEST_CASE("files: a problem in C++ beside a kernel has its settings, reference and sweeps") {
  const EmptyFolder here;
  write(here, "twice.h", twice());
  write(here, "twice.cpp", R"(#include "twice.h"

#include "kernels/problems/build.h"

namespace tl::problems {

Problem twice() {
  const auto make = [](const Settings& s, std::uint64_t seed) {
    const std::int64_t n = s.integer("n"), block = s.integer("block");
    const Tensor x = uniform_tensor("x", DType::float32, {n}, seed, 0), z = make_tensor("z", DType::float32, {n});
    Instance instance;
    instance.inputs = {x};
    instance.outputs = {z};
    instance.launches = {make_launch<twice_kernel>("twice.h", {cdiv(n, block)}, {}, TensorArgument{x},
                                                   TensorArgument{z}, integer(n), constant(block))};
    instance.tolerances = {{0, 0}};
    instance.reference_at = reference_by_element([x](std::int64_t i) { return 2 * get(x, i); });
    return complete(std::move(instance));
  };
  return {"twice", "z = 2 x", "twice.h",
          {{"n", "100", Setting::Kind::integer, "elements", 1, 1 << 30},
           {"block", "16", Setting::Kind::integer, "elements a program; a power of two", 1, 1 << 20, true}}, make};
}

}  // namespace tl::problems
)");
  const Said s = tilescope("run twice.h n=5 block=4", here);
  CHECK(s.err == "");
  CHECK(has(s.out, "ok: agrees with the reference (max abs error 0)"));
  CHECK(has(tilescope("run twice.h blok=4", here).err, "did you mean block?"));
  CHECK(tilescope("bench twice.h --sweep n=64:256:x2 --ms 1", here).exit_code == 0);
  write(here, "input", "n\nn\ninfo locals\n");
  CHECK(has(tilescope("debug twice.h", here).out, "offs"));
  write(here, "twice.cpp", "#include \"twice.h\"\n");
  CHECK(has(tilescope("run twice.h", here).err, "twice.cpp defines no tl::problems::twice()"));
}

TEST_CASE("files: a bench begins each repetition from the values of an inout tensor") {
  const EmptyFolder here;
  write(here, "moves.h", R"(#pragma once
#include "interp/tl.h"
// case: at=inout:i32[1]:zeros z=out:i32[4] grid=1
struct moves_kernel {  // outside z when it runs once more from where it ended
  void operator()(auto& tl, ptr auto at_ptr, ptr auto z_ptr) const {
    auto at = tl.load(at_ptr);
    tl.store(z_ptr + at + tl.arange(0, 4_c), 1);
    tl.store(at_ptr, at + 4);
  }
};
)");
  const Said s = tilescope("bench moves.h --ms 1", here);
  CHECK(s.err == "");
  CHECK(s.exit_code == 0);
}

TEST_CASE("repro: of a kernel in Python it is Python, and names the file of its helpers") {
  const EmptyFolder here;
  write(here, "helpers.py", "import triton\n@triton.jit\ndef twice(x):\n    return x + x\n");
  write(here, "wrong.py",
        "# case: n=5 x=f32[n]:iota z=out:f32[n] grid=1\nimport triton\nimport triton.language as tl\n"
        "from helpers import twice\n@triton.jit\ndef wrong(x_ptr, z_ptr, n):\n    offs = tl.arange(0, 8)\n"
        "    tl.store(z_ptr + offs, twice(tl.load(x_ptr + offs)), mask=offs < n)\n");
  CHECK(has(tilescope("repro wrong.py -o bug.h", here).err,
            "the text of wrong.py is Python\n  fix: end its name in .py"));
  const Said made = tilescope("repro wrong.py n=6 -o bug.py", here);
  CHECK(made.err == "");
  CHECK(has(made.out, "it needs helpers.py beside it"));
  const std::string text = contents_of(here.path / "bug.py");
  CHECK(has(text, "# was: n=5"));
  CHECK(has(text, "# case wrong: n=6\n"));
  CHECK(!has(text, "//"));
  CHECK(has(tilescope("run bug.py", here).out, "bug.py:8: tl.load: lane 6 of program 0 is out of bounds"));
}

TEST_CASE("files: a text is read whatever editor wrote it: a byte order mark, lines that end with \\r\\n or \\r") {
  const EmptyFolder here;
  const std::string python =
      "# case: n=4 x=i32[n]:iota y=out:i32[n] grid=1 expect='y = x + 1'\n@triton.jit\ndef next(x_ptr, y_ptr):\n"
      "    # one more\n    tl.store(y_ptr + tl.arange(0, 4), tl.load(x_ptr + tl.arange(0, 4)) + 1)\n";
  const auto ended = [](const std::string& text, const std::string& end) {
    std::string out = "\xef\xbb\xbf";
    for (const char c : text) out += c == '\n' ? end : std::string(1, c);
    return out;
  };
  for (const char* end : {"\n", "\r\n", "\r"}) {
    write(here, "next.py", ended(python, end));
    const Said s = tilescope("run next.py", here);
    CHECK_MESSAGE(has(s.out, "ok: agrees with the reference"), s.out << s.err);
  }
  write(here, "twice.h", ended(twice(iota_case), "\r\n"));
  const Said s = tilescope("run twice.h", here);
  CHECK_MESSAGE(has(s.out, "ok: "), s.out << s.err);
}

TEST_CASE("banks: a block that is loaded along one axis and stored along the other goes through shared memory") {
  const EmptyFolder here;
  const auto kernel = [](const std::string& store) {
    return "# case: M=64 N=64 x=f32[M,N] y=out:f32[N,M] grid=1\n@triton.jit\ndef turn(x_ptr, y_ptr, M: tl.constexpr, "
           "N: tl.constexpr):\n    i = tl.arange(0, M)[:, None]\n    j = tl.arange(0, N)[None, :]\n"
           "    tl.store(y_ptr + " +
           store + ", tl.load(x_ptr + i * N + j))\n";
  };
  write(here, "turn.py", kernel("j * M + i"));
  const Said s = tilescope("banks turn.py", here);
  CHECK_MESSAGE(has(s.out, "block stored along its other axis"), s.out << s.err);
  CHECK(has(s.out, "64 x 64 f32, 4 bytes a lane"));
  write(here, "turn.py", kernel("i * N + j"));
  CHECK(has(tilescope("banks turn.py", here).err, "keeps no tile in shared memory"));
}

TEST_CASE("files: the source panel shows a kernel's Python") {
  const EmptyFolder here;
  write(here, "half.py",
        "# case: n=5 x=f32[n] z=out:f32[n] grid=1\nimport triton\nimport triton.language as tl\n@triton.jit\n"
        "def half(x_ptr, z_ptr, n):\n    offs = tl.arange(0, 8)\n    x = tl.load(x_ptr + offs, mask=offs < n)\n"
        "    tl.store(z_ptr + offs, x / 2, mask=offs < n)\n");
  CHECK(tilescope("export half.py --panel source -o half.svg", here).err == "");
  const std::string svg = contents_of(here.path / "half.svg");
  CHECK(has(svg, "half.py before step 8 of program 0"));
  CHECK(has(svg, "line 7 loaded 20 B in 8 lanes, 3 of them masked off"));
  CHECK(has(svg, ">    x = tl.load(x_ptr + offs, mask=offs &lt; n)</text>"));
}
