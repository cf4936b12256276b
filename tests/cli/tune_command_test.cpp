// tilescope tune, and --tuned: what it prints, what it refuses, its exit codes.
#include <doctest/doctest.h>
#include <sys/stat.h>

#include <nlohmann/json.hpp>

#include "tests/cli/run_program.h"

using nlohmann::json;

namespace {

// A folder whose cache is its own.
struct OwnFolder {
  EmptyFolder folder;
  Said operator()(const std::string& arguments) const {
    return tilescope(arguments, folder, "XDG_CACHE_HOME='" + (folder.path / "cache").string() + "'");
  }
  void write(const std::string& name, const std::string& text) const { std::ofstream(folder.path / name) << text; }
};

constexpr const char* relu = R"(// relu
// case: x=f32[n] y=out:f32[n] n=5000 BLOCK=1024 grid=cdiv(n, BLOCK) expect='y = max(x, 0)'
// case: configs='BLOCK=64,256 warps=4; pointwise(BLOCK=n)' config_refuse='BLOCK > n / 10' config_key=n
#pragma once
#include "interp/tl.h"
struct relu_kernel {
  void operator()(auto& tl, tl::ptr auto x_ptr, tl::ptr auto y_ptr, tl::int_ auto n, tl::constexpr_ auto BLOCK) const {
    auto offsets = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK);
    auto mask = offsets < n;
    tl.store(y_ptr + offsets, tl.maximum(tl.load(x_ptr + offsets, {.mask = mask}), 0.f), {.mask = mask});
  }
};
)";

}  // namespace

TEST_CASE("tune names a winner among the given configs, with why beside each time") {
  const Said said = OwnFolder()("tune matmul m=256 n=256 k=256 --configs bm=32,64 bn=64 bk=32 warps=4");
  CHECK(said.exit_code == 0);
  CHECK(has(said.out, "2 configs ranked by the model"));
  CHECK(has(said.out, "limited by"));
  CHECK(has(said.out, "winner: bm="));
}

TEST_CASE("tune --json has every trial, and the winner's is the least time") {
  const Said said = OwnFolder()("tune softmax rows=100 cols=1000 --json");
  const json j = json::parse(said.out);
  REQUIRE(j["trials"].size() == 12);
  for (const json& t : j["trials"]) CHECK(t["model"]["ms"] >= j["winner_ms"]);
  CHECK(j["trials"][0]["standing"] == "winner");
}

TEST_CASE("a winner is kept, shown, taken by --tuned, and forgotten") {
  const OwnFolder in;
  CHECK_FALSE(has(in("tune add n=5000").out, "kept on"));
  CHECK(has(in("tune add n=5000").out, "kept on"));
  CHECK_FALSE(has(in("tune add n=5000 --no-cache").out, "kept on"));
  CHECK(has(in("tune --show").out, "n=5000"));
  const Said run = in("run add n=5000 --tuned");
  CHECK(run.exit_code == 0);
  CHECK(has(run.err, "tuned: block="));
  const json bench = json::parse(in("bench add n=5000 --tuned --ms 1 --json").out);
  REQUIRE(bench["points"].size() == 2);
  CHECK(bench["points"][0]["kernel"] == "add");
  CHECK(bench["points"][1]["kernel"] == "add tuned");
  CHECK(has(in("tune --forget").out, "1 winner forgotten"));
  CHECK(has(in("tune --show").out, "no winner is kept yet"));
}

TEST_CASE("timed on the interpreter, configs alike there are timed once") {
  const Said said = OwnFolder()("tune add n=4096 --configs block=64,1024 warps=4,8 --device cpu --ms 2 --json");
  CHECK(said.exit_code == 0);
  int timed = 0;
  const json j = json::parse(said.out);
  for (const json& t : j["trials"]) timed += t.contains("measured");
  CHECK(timed == 2);
}

TEST_CASE("--sweep tells what one winner for all sizes costs") {
  const Said said = OwnFolder()("tune matmul --sweep m=n=k=256:1024:x2");
  CHECK(said.exit_code == 0);
  CHECK(has(said.out, "regret"));
  CHECK(has(said.out, "one config for all sizes"));
}

TEST_CASE("a file's case declares configs, what to refuse and the key") {
  const OwnFolder in;
  in.write("relu.h", relu);
  const Said said = in("tune relu.h --json");
  REQUIRE(said.exit_code == 0);
  const json j = json::parse(said.out);
  CHECK(j["key"] == "n=5000");
  REQUIRE(j["trials"].size() == 3);  // 64, 256 w4, and pointwise's 256 w4 and 128 w4, one of them twice
  for (const json& t : j["trials"]) CHECK(t["standing"] != "refused");
  CHECK(has(in("run relu.h --tuned").err, "tuned: BLOCK="));
}

TEST_CASE("a file's case ranks configs by a model of its own, as Triton's perf_model does") {
  const OwnFolder in;
  in.write("relu.h", relu);
  CHECK(has(in("tune relu.h config_model='1.0 / BLOCK' --configs BLOCK=64,128,256").out, "winner: BLOCK=256"));
  CHECK(has(in("tune relu.h config_model=BLOCK --configs BLOCK=64,128,256").out, "winner: BLOCK=64,"));
  CHECK(has(in("tune relu.h --configs BLOCK=64,128 config_model=BLOCK").err, "write it before --configs"));
}

TEST_CASE("a file's config that is wrong is refused, with what is wrong") {
  const OwnFolder in;
  std::string text = relu;
  text.replace(text.find("offsets < n;"), 12, "offsets < n - (BLOCK / 256);");
  in.write("bad.h", text);
  const Said said = in("tune bad.h --configs BLOCK=64,256,1024 --refuse 'BLOCK > 4096'");
  CHECK(said.exit_code == 0);
  CHECK(has(said.out, "2 refused"));
  CHECK(has(said.out, "winner: BLOCK=64"));
}

TEST_CASE("a block that holds a small row and not the one that was asked for never wins") {
  const OwnFolder in;
  // Twice BLOCK columns, whatever there are: 4000 are more than 2 x 512.
  in.write("two.h", R"(#include "interp/tl.h"
// case: x=f32[rows, cols] y=out:f32[rows, cols] rows=16 cols=4000 BLOCK=2048 grid=rows expect='y = x * 2'
struct two {
  void operator()(auto& tl, tl::ptr auto x_ptr, tl::ptr auto y_ptr, tl::int_ auto cols, tl::constexpr_ auto BLOCK) const {
    for (int i = 0; i < 2; ++i) {
      auto c = i * BLOCK + tl.arange(0, BLOCK);
      auto x = tl.load(x_ptr + tl.program_id(0) * cols + c, {.mask = c < cols});
      tl.store(y_ptr + tl.program_id(0) * cols + c, x * 2.0, {.mask = c < cols});
    }
  }
};
)");
  const Said said = in("tune two.h --configs BLOCK=256,512,2048");
  CHECK(said.exit_code == 0);
  CHECK(has(said.out, "winner: BLOCK=2048"));
  CHECK(has(said.out, "wrong at these sizes"));
  CHECK(has(in("tune two.h --configs BLOCK=64,128").err, "all configs were refused"));
}

TEST_CASE("a block that a case computes is compared beyond its end, too") {
  const OwnFolder in;
  in.write("row.h", R"(#include "interp/tl.h"
// case: x=f32[rows, cols] y=out:f32[rows, cols] rows=100000 cols=1000 BLOCK=next_power_of_2(cols) grid=rows expect='y = x'
struct row {
  void operator()(auto& tl, tl::ptr auto x_ptr, tl::ptr auto y_ptr, tl::int_ auto cols, tl::constexpr_ auto BLOCK) const {
    auto c = tl.arange(0, BLOCK);
    auto x = tl.load(x_ptr + tl.program_id(0) * cols + c, {.mask = c < cols});
    tl.store(y_ptr + tl.program_id(0) * cols + c, x, {.mask = c < cols});
  }
};
)");
  CHECK(has(in("tune row.h --configs BLOCK=512,1024").out, "refused BLOCK=512: wrong at"));
}

TEST_CASE("a config that crashes the kernel is refused, and the others go on") {
  const OwnFolder in;
  std::string text = relu;
  text.replace(text.find("auto mask"), 4,
               "volatile int* nowhere = nullptr;\n    if (BLOCK == 256_c) *nowhere = 3;\n    auto");
  in.write("crash.h", text);
  const Said said = in("tune crash.h --configs BLOCK=128,256,512");
  CHECK(said.exit_code == 0);
  CHECK(has(said.out, "refused BLOCK=256: it crashed: it read or wrote through a null pointer"));
  CHECK(has(said.out, "winner: BLOCK="));
}

TEST_CASE("tune leaves no process behind, however it is ended") {
  std::string text = relu;
  text.replace(text.find("auto mask"), 4,
               "if (open(\"pipe\", O_WRONLY) >= 0) for (volatile int i = 0;; i = 0) {}\n    auto");
  for (const char* signal : {"TERM", "INT", "HUP", "KILL"}) {
    const OwnFolder in;
    REQUIRE(mkfifo((in.folder.path / "pipe").c_str(), 0600) == 0);
    in.write("loop.h", "#include <fcntl.h>\n" + text);
    // The pipe is read to its end once nobody holds it.
    const Said said = tilescope("tune loop.h --device cpu 2> said & exec 3< pipe; kill -" + std::string(signal) +
                                    " $!; wait $!; echo $?; timeout 60 cat <&3 && echo gone; }",
                                in.folder, "{");
    CHECK_MESSAGE(said.out.ends_with("gone\n"), signal);
  }
}

TEST_CASE("a single config on the interpreter is right, and not timed") {
  const OwnFolder in;
  CHECK(has(in("tune add n=4096 --configs block=64 --device cpu").out, "model of h200, none was measured"));
  CHECK(has(in("tune --show").out, "not timed"));
}

TEST_CASE("words of tuning that are wrong in a file are refused at their line") {
  const OwnFolder in;
  for (const auto& [wrong, fact] : {std::pair{"configs='BLOK=3'", "no parameter \"BLOK\""},
                                    {"configs='BLOCK='", "relu.h:3: configs \"BLOCK=\": a value is missing"},
                                    {"configs='BLOCK=64' config_key=q", "the key \"q\" names no setting"},
                                    {"configs='BLOCK=64' config_top_k=0", "relu.h:3: config_top_k=0"},
                                    {"configs='BLOCK=64' config_refuse='q > 3'", "relu.h:3: config_refuse"},
                                    {"", "relu.h declares none"}}) {
    std::string text = relu;
    const auto from = text.find("configs="), to = text.find('\n', from);
    in.write("relu.h", text.replace(from, to - from, wrong));
    const Said said = in("tune relu.h");
    const std::string words = wrong;
    CAPTURE(words);
    CHECK(said.exit_code == 2);
    CHECK(has(said.err, fact));
  }
}

TEST_CASE("bad input to tune is refused with a fix") {
  const OwnFolder in;
  struct Wrong {
    const char *arguments, *fact, *fix;
  };
  for (const Wrong& w : {Wrong{"tune", "needs to know which kernel", "tilescope tune matmul"},
                         {"tune copy", "there are no configs", "--configs"},
                         {"tune add --configs blok=4", "no setting \"blok\"", "did you mean block?"},
                         {"tune add --configs block=48", "not a power of two", "block=64"},
                         {"tune add --configs block", "not NAME=VALUES", "bm=64,128"},
                         {"tune add --configs 'pontwise(block=n)'", "no generator", "pointwise"},
                         {"tune add block=64 --configs block=64,128", "block is given", "leave one of them out"},
                         {"tune add --top-k 0", "--top-k cannot be \"0\"", "25%"},
                         {"tune add --top-k few", "--top-k cannot be \"few\"", "25%"},
                         {"tune add --key m", "the key \"m\" names no setting", "its settings"},
                         {"tune add --top-k 200%", "--top-k cannot be \"200%\"", "25%"},
                         {"tune add --configs ';'", "--configs names none", "--configs"},
                         {"tune add --refuse 'blok > 3'", "blok names no setting", "did you mean block?"},
                         {"tune add --gpu h300", "h300", ""},
                         {"tune add --plot p.svg", "--device model measures nothing", "--device cpu"}}) {
    CAPTURE(w.arguments);
    const Said said = in(w.arguments);
    CHECK(said.exit_code == 2);
    CHECK(has(said.err, w.fact));
    CHECK(has(said.err, w.fix));
  }
}

TEST_CASE("where all configs are refused each reason is told, and the exit code is 1") {
  const Said said = OwnFolder()("tune add --refuse 'block > 0'");
  CHECK(said.exit_code == 1);
  CHECK(has(said.out, "and 7 more: --refuse 'block > 0'"));
  CHECK(has(said.err, "all configs were refused"));
}

TEST_CASE("without a GPU a recorded session is shown, labelled as such, and --plot draws it") {
  if (tilescope("run add --device cuda").exit_code == 0) return;  // here is one
  const OwnFolder in;
  std::filesystem::create_directories(in.folder.path / "kernels/recorded");
  const auto point = [](int block, double ms) {
    return json{{"kernel", "add"},    {"settings", {{"n", 65536}, {"block", block}, {"warps", 4}}},
                {"bytes", 786432},    {"flops", 65536},
                {"median_ms", ms},    {"p20_ms", ms},
                {"p80_ms", ms},       {"min_ms", ms},
                {"repetitions", 9},   {"right", true},
                {"method", "made up"}};
  };
  in.write("kernels/recorded/tune-add.json", json{{"device", "NVIDIA H200"},
                                                  {"driver", "580"},
                                                  {"date", "2026-01-01"},
                                                  {"command", "tilescope tune add n=65536 --device cuda"},
                                                  {"tilescope", "0.1"},
                                                  {"points", {point(1024, 0.02), point(2048, 0.01)}}}
                                                 .dump());
  const Said said = in("tune add --device cuda --plot dots.svg");
  CHECK(said.exit_code == 1);
  CHECK(has(said.out, "RECORDED on NVIDIA H200 (driver 580), 2026-01-01"));
  CHECK(has(said.out, "winner: block=2048 warps=4, 10.0 us"));
  CHECK_FALSE(has(said.out, "kept:"));
  CHECK(has(said.err, "nothing was measured here"));
  CHECK(has(contents_of(in.folder.path / "dots.svg"), "measured, us"));
}

TEST_CASE("without a GPU and without a recording, --device cuda is told with what helps") {
  if (tilescope("run add --device cuda").exit_code == 0) return;
  const Said said = OwnFolder()("tune swizzle --configs warps=1,2 --device cuda");
  CHECK(said.exit_code == 1);
  CHECK(has(said.err, "leave out --device cuda"));
}

TEST_CASE("several --sweep of bench make a grid of points") {
  const Said said = OwnFolder()("bench add --sweep n=1000,2000 --sweep block=64,128 --ms 1 --json --plot p.svg");
  REQUIRE(said.exit_code == 0);
  const json points = json::parse(said.out)["points"];
  REQUIRE(points.size() == 4);
  CHECK(points[1]["settings"]["n"] == 1000);
  CHECK(points[1]["settings"]["block"] == 128);
  CHECK(points[2]["settings"]["n"] == 2000);
}

TEST_CASE(
    "tune --placement: without xor a transposed operand costs its configs twice the time, and the winner is not kept") {
  const OwnFolder in;
  const auto tuned = [&](const std::string& placement) {
    return in("tune transposed_matmul m=1024 n=512 k=768 dtype=f32 --configs bm=64 bn=64 bk=64 --gpu t4" + placement);
  };
  const auto ms = [&](const std::string& placement) {
    return json::parse(tuned(placement + " --no-cache --no-checks --json").out)["winner_ms"].get<double>();
  };
  CHECK(ms(" --placement none") / ms("") == doctest::Approx(2).epsilon(0.2));
  CHECK(ms(" --placement xor") == ms(""));
  CHECK(has(tuned(" --placement none").out, "not kept: our CUDA path places operands by xor"));
  CHECK(has(in("tune --show").out, "no winner is kept yet"));
}
