// The faults of planted.txt, each planted in its kernel: how many of each kind `run` finds, and of how many it says the
// cause. A later change cannot lose one unseen.
#include <doctest/doctest.h>

#include "tests/cli/run_program.h"
#include "tests/has.h"

namespace {

namespace fs = std::filesystem;

struct Planted {
  int line = 0;  // of planted.txt
  std::string kind, kernel;
  std::vector<std::pair<std::string, std::string>> changes;
  std::vector<std::string> says;
};

std::vector<Planted> planted() {
  std::vector<Planted> all;
  std::ifstream in(fs::path(TILESCOPE_FAULTS) / "planted.txt");
  std::string line;
  for (int number = 1; std::getline(in, line); ++number) {
    const std::size_t colon = line.find(':');
    if (line.starts_with('#') || colon == std::string::npos) continue;
    const std::string key = line.substr(0, colon), value = colon + 2 <= line.size() ? line.substr(colon + 2) : "";
    if (key == "kind") all.push_back({number, value, "", {}, {}});
    else if (key == "in") all.back().kernel = value;
    else if (key == "from" || key == "and") all.back().changes.emplace_back(value, "");
    else if (key == "to" || key == "by") all.back().changes.back().second = value;
    else if (key == "says") all.back().says.push_back(value);
    else FAIL("planted.txt:", number, ": ", key);
  }
  return all;
}

std::string text_of(const std::string& kernel) { return contents_of(fs::path(TILESCOPE_FAULTS) / "kernels" / kernel); }

std::string changed_text(const Planted& p) {
  std::string text = text_of(p.kernel);
  for (const auto& [from, to] : p.changes) {
    const std::size_t at = text.find(from);
    REQUIRE_MESSAGE(at != std::string::npos, p.line);
    text.replace(at, from.size(), to);
  }
  return text;
}

Said run_of(const std::string& kernel, const std::string& text, const std::string& options = "") {
  const EmptyFolder here;
  const std::string name = fs::path(kernel).filename().string();
  std::ofstream(here.path / name) << text;
  return tilescope("run " + name + options, here);
}

}  // namespace

TEST_CASE("faults: each planted fault is found, and its cause is named") {
  struct Rate {
    int planted = 0, found = 0, explained = 0;
  };
  std::map<std::string, Rate> rates;
  for (const Planted& p : planted()) {
    CAPTURE(p.line);
    CAPTURE(p.kind);
    const Said s = run_of(p.kernel, changed_text(p));
    CAPTURE(s.out);
    CAPTURE(s.err);
    Rate& rate = rates[p.kind];
    ++rate.planted;
    rate.found += s.exit_code == 1;
    CHECK(s.exit_code == 1);
    const bool is_explained = std::all_of(p.says.begin(), p.says.end(), [&](const std::string& part) {
      CHECK_MESSAGE(has(s.out, part), part);
      return has(s.out, part);
    });
    rate.explained += is_explained && !p.says.empty();
  }
  Rate sum;
  for (const auto& [kind, r] : rates) {
    MESSAGE(kind << ": " << r.found << " of " << r.planted << " found, " << r.explained << " explained");
    sum.planted += r.planted;
    sum.found += r.found;
    sum.explained += r.explained;
  }
  MESSAGE("sum: " << sum.found << " of " << sum.planted << " found, " << sum.explained << " explained");
}

TEST_CASE("faults: without a reference, masked-off lanes that count and a sum in f16 are found") {
  const auto change = [](std::string text, const std::string& from, const std::string& to) {
    const std::size_t at = text.find(from);
    REQUIRE(at != std::string::npos);
    return text.replace(at, from.size(), to);
  };
  const std::string alone = change(text_of("layernorm.py"), "# case: expect", "# once: expect");
  CHECK(run_of("layernorm.py", alone).exit_code == 0);
  const Said s = run_of("layernorm.py", change(alone, "tl.where(mask, x - mean, 0.0)", "x - mean"));
  CHECK(s.exit_code == 1);
  CHECK_MESSAGE(has(s.out, "layernorm.py:12: tl.sum: 15 lanes that a load masked off take part"), s.out);
}

TEST_CASE("faults: the debugger stops at the store of a wrong element, and says why as run does") {
  std::string text = text_of("softmax.py");
  text.replace(text.find("tl.sum(e"), 6, "tl.max");
  const EmptyFolder here;
  std::ofstream(here.path / "softmax.py") << text;
  std::ofstream(here.path / "input") << "why y[3, 5]\ncatch wrong\nc\n";
  const Said s = tilescope("debug softmax.py", here);
  CHECK_MESSAGE(has(s.out, "softmax.py:12: tl.max: is tl.sum meant?"), s.out);
  CHECK(has(s.out, "5 in this recording"));
  CHECK(has(s.out, "tl.store of line 13 stores y[0, 0], which is wrong (and 19 more)"));
}

TEST_CASE("faults: a watchpoint is of one tensor, in every launch") {
  const EmptyFolder here;
  std::ofstream(here.path / "input") << "awatch max[1]\nc\nc\nc\nc\n";
  const Said s = tilescope("debug unfused_softmax rows=5 cols=13", here);
  CHECK(has(s.out, "max[1]: never written"));
  CHECK(has(s.out, "max[1], loaded"));
  CHECK_MESSAGE(!has(s.out, "z[0, 1]"), s.out);
}

TEST_CASE("faults: what torch or Triton do otherwise is told although the reference agrees") {
  const EmptyFolder here;
  std::ofstream(here.path / "top.py")
      << R"(# case: n=8 x=f32[n]:values(0,2,nan,1,5,3,-1,4) y=out:f32[1] grid=1 expect='y = 5'
@triton.jit
def top(x_ptr, y_ptr, n: tl.constexpr):
    tl.store(y_ptr, tl.max(tl.load(x_ptr + tl.arange(0, n)), 0))
)";
  const Said s = tilescope("run top.py", here);
  CHECK(s.exit_code == 1);
  CHECK_MESSAGE(has(s.out, "top.py:4: tl.max: NaN takes part in program 0"), s.out);
  std::ofstream(here.path / "rows.h")
      << R"(// case: m=64 k=511 x=bf16[m, k] y=out:f32[m] grid=1 expect='y = sum(x[:, :64], 1)'
#include "interp/tl.h"
struct rows {
  void operator()(auto& tl, tl::ptr auto x_ptr, tl::ptr auto y_ptr, tl::int_ auto m, tl::int_ auto k) const {
    auto d = tl.make_tensor_descriptor(x_ptr, tl.tuple(m, k), tl.tuple(k, 1), tl.shape(64_c, 64_c));
    tl.store(y_ptr + tl.arange(0, 64_c), tl.sum(d.load({0, 0}).to(tl.float32), 1_c));
  }
};
)";
  const Said t = tilescope("run rows.h", here);
  CHECK_MESSAGE(has(t.out, "rows.h:5: tl.make_tensor_descriptor: program 0's descriptor has a stride of 1022 bytes"),
                t.out << t.err);
}

TEST_CASE("faults: hashes and checksums that wrap give no alarm without a reference; a difference that wraps does") {
  const EmptyFolder here;
  const auto run = [&](const std::string& types, const std::string& result) {
    std::ofstream(here.path / "wraps.py") << "# case: n=64 " + types + R"( grid=1
@triton.jit
def wraps(x_ptr, y_ptr, n: tl.constexpr):
    offs = tl.arange(0, n)
    x = tl.load(x_ptr + offs)
    tl.store(y_ptr + offs, )" + result + ")\n";
    return tilescope("run wraps.py", here);
  };
  for (const auto& [types, result] :
       {std::pair("x=i32[n]:each(i*100000+7) y=out:i32[n]", "x * 1664525 + 1013904223"),
        std::pair("x=u32[n]:each(i*100000+7) y=out:f32[n]", "(x * 1664525 + 7).to(tl.float32) / 4294967296.0"),
        std::pair("x=u32[n]:each(i*100000+7) y=out:u32[n]", "(x * 1664525 + 7) % 17"),
        std::pair("x=i32[n]:each(i*37) y=out:u8[n]", "tl.cumsum(x, 0).to(tl.uint8)")}) {
    const Said s = run(types, result);
    CHECK_MESSAGE(s.exit_code == 0, s.out);
  }
  CHECK(has(run("x=u8[n]:iota y=out:f32[n]", "(x - 60).to(tl.float32)").out, "-: u8 wraps"));
  CHECK(has(run("x=i32[n]:each(i*70000) y=out:i64[n]", "(x * 70000).to(tl.int64)").out, "*: i32 wraps"));
}

TEST_CASE("faults: a race is no cause among the values that the programs give one after the other") {
  const EmptyFolder here;
  std::ofstream(here.path / "carry.py") << R"(# case: n=64 B=4 x=inout:i32[n]:iota grid=n/B
@triton.jit
def carry(x_ptr, B: tl.constexpr):
    offs = tl.program_id(0) * B + tl.arange(0, B)
    before = tl.load(x_ptr + tl.program_id(0) * B - 1, mask=tl.program_id(0) > 0, other=0)
    tl.debug_barrier()
    tl.store(x_ptr + offs, tl.load(x_ptr + offs) + before)
)";
  const Said s = tilescope("run carry.py --expect 'x = 2'", here);
  CHECK_MESSAGE(has(s.out, "carry.py:5: tl.load: program 1 races with program 0"), s.out);
  CHECK_MESSAGE(!has(s.out, "program 2 races"), s.out);  // a place is told once
}

TEST_CASE("faults: the right kernels give no alarm, in any order of programs") {
  const fs::path kernels = fs::path(TILESCOPE_FAULTS) / "kernels";
  for (const auto& file : fs::recursive_directory_iterator(kernels)) {
    if (file.is_directory()) continue;
    for (const char* options : {"", " --check all", " --order reversed --check all", " --order shuffled --seed 2"}) {
      const Said s =
          run_of(fs::relative(file.path(), kernels).string(), text_of(fs::relative(file.path(), kernels)), options);
      CHECK_MESSAGE(s.exit_code == 0, file.path().filename() << options << "\n" << s.out << s.err);
    }
  }
}

TEST_CASE("faults: races of programs that wait are found with the programs in order alone") {
  for (const Planted& p : planted()) {
    if (!p.kernel.starts_with("waiting/")) continue;
    const Said s = run_of(p.kernel, changed_text(p), " --check race --order sequential");
    CHECK_MESSAGE((has(s.out, "races with") && !has(s.out, "with --order")), p.line << "\n" << s.out << s.err);
  }
}
