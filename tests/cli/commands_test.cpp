// The built program from outside: exit codes, JSON parsed back, what it says. Expected values: the lecture's, and
// arithmetic.
#include <doctest/doctest.h>

#include <algorithm>
#include <nlohmann/json.hpp>
#include <sstream>

#include "tests/cli/run_program.h"
#include "tests/has.h"

using nlohmann::json;

TEST_CASE("tilescope alone explains itself with examples") {
  const Said s = tilescope("");
  CHECK(s.exit_code == 0);
  CHECK(has(s.out, "tilescope run copy_wrong_offsets n=6 block=2"));
  CHECK(tilescope("--version").out.starts_with("tilescope "));
}

TEST_CASE("every command has help with examples") {
  for (const char* command : {"list", "run", "compare", "bench", "compile", "accesses"}) {
    const Said s = tilescope(std::string(command) + " --help");
    CHECK(s.exit_code == 0);
    CHECK_MESSAGE(has(s.out, "Examples:"), command);
  }
}

TEST_CASE("new relu.py writes a kernel in Triton's Python, which runs at once and is not written over") {
  const EmptyFolder folder;
  CHECK(tilescope("new relu.py", folder).exit_code == 0);
  CHECK(has(contents_of(folder.path / "relu.py"), "@triton.jit\ndef relu_kernel("));
  CHECK(has(tilescope("run relu.py n=65", folder).out, "ok: agrees with the reference"));
  const Said again = tilescope("new relu.py", folder);
  CHECK(again.exit_code == 2);
  CHECK(has(again.err, "is there already"));
}

TEST_CASE("run: swizzle gives the lecture's order of programs, nested by shape") {
  const Said s = tilescope("run swizzle blocks_m=5 blocks_n=4 group_size=3 --json");
  CHECK(s.exit_code == 0);
  const json j = json::parse(s.out);
  CHECK(j["outputs"]["z"] == json::parse("[[0,3,6,9],[1,4,7,10],[2,5,8,11],[12,14,16,18],[13,15,17,19]]"));
  CHECK(j["kernel"] == "swizzle");
  CHECK(j["device"] == "cpu");
  CHECK(j["settings"] == json{{"blocks_m", 5}, {"blocks_n", 4}, {"group_size", 3}, {"inputs", ""}});
  CHECK(j["ok"] == true);
  CHECK(j["max_abs_error"] == 0);
  CHECK(j["programs"] == 20);
  CHECK(j["wall_ms"].is_number());
}

TEST_CASE("run: the lecture's wrong copy gives [1 2 0 0 0 0] and says why") {
  const Said s = tilescope("run copy_wrong_offsets n=6 block=2");
  CHECK(s.exit_code == 1);
  CHECK(has(s.out, "z = [1 2 0 0 0 0]"));
  CHECK(has(s.out, "z[2] is 0, the reference says 3 (4 of 6 elements differ)"));
  CHECK(has(s.out, "nothing wrote z[2..5]: each of the 3 programs stored to z[0..1]"));
  CHECK(has(s.out, "    tl.store("));  // the source line, from an empty folder
  const json why = json::parse(tilescope("run copy_wrong_offsets n=6 block=2 --json").out)["why"];
  CHECK(why["faults"][0]["kind"] == "race");
}

TEST_CASE("run: programs that start too far apart leave elements unwritten") {
  const Said s = tilescope("run copy_wrong_stride n=6 block=2");
  CHECK(s.exit_code == 1);
  CHECK(has(s.out, "only 1 of the 3 programs stored to z, z[0..1]"));
}

TEST_CASE("run: loads without masks are caught with the line, the caret and the fix") {
  const Said s = tilescope("run matmul_unmasked");
  CHECK(s.exit_code == 1);
  CHECK(has(s.out, "out of bounds"));
  CHECK(has(s.out, "holds 12 (3 x 4)"));
  CHECK(has(s.out, "fix: pass {.mask = (rows < 3) & (columns < 4)}"));
}

TEST_CASE("run --check triton: what Triton refuses is a note with its line, and the run goes on") {
  const Said s = tilescope("run " TILESCOPE_CLI_KERNELS "/early_end.py --check triton");
  CHECK(s.exit_code == 0);
  CHECK(has(s.out, "early_end.py:11: Triton has no break"));
  CHECK(has(s.out, "fix: let the loop's bounds end it"));
  CHECK(has(s.out, "ok: agrees"));
  CHECK(has(tilescope("run add --check triton").err, "--check triton reads Triton's own texts"));
}

TEST_CASE("run --print: a line for each program that the condition holds for") {
  const Said s = tilescope("run copy n=6 block=2 --print '=1'");
  CHECK(s.exit_code == 0);
  CHECK(has(s.out, "pid = 1 | offs = [2 3], mask = [True True], x = [3 4]\n"));
  CHECK_FALSE(has(s.out, "pid = 0"));
  CHECK(has(tilescope("run copy --print ''").out, "pid = 0 |"));
}

TEST_CASE("run --print names the launch of each line where there are several") {
  const std::string out = tilescope("run unfused_softmax rows=2 cols=3 --print ''").out;
  CHECK(has(out, "launch 1 of 5, "));
  CHECK(has(out, "launch 5 of 5, "));
}

TEST_CASE("help COMMAND is COMMAND --help; a trace of a run that failed is kept, and the exit code is 1") {
  CHECK(tilescope("help run").out == tilescope("run --help").out);
  CHECK(tilescope("help").out == tilescope("").out);
  const EmptyFolder folder;
  CHECK(tilescope("trace matmul_unmasked -o t", folder).exit_code == 1);
  CHECK(std::filesystem::file_size(folder.path / "t") > 0);
}

TEST_CASE("run: order, seed, threads, checks and show are taken, anywhere on the line") {
  CHECK(tilescope("run --order shuffled --seed 3 add n=100 --check all block=32").exit_code == 0);
  CHECK(tilescope("run add n=100 block=32 --order reversed --threads 1").exit_code == 0);
  CHECK(has(tilescope("run copy --show x").out, "x = [1 2 3 4 5 6]"));
}

TEST_CASE("run --json: a large output is null, and no colour reaches a pipe") {
  const json j = json::parse(tilescope("run add n=5000 --json").out);
  CHECK(j["outputs"]["z"].is_null());
  CHECK_FALSE(has(tilescope("run copy").out, "\x1b"));
}

TEST_CASE("list names every kernel with its settings, as text and as JSON") {
  const json all = json::parse(tilescope("list --json").out);
  CHECK(all.size() >= 20);
  CHECK(has(tilescope("list").out, "softmax"));
  const json swizzle = json::parse(tilescope("list swizzle --json").out);
  CHECK(swizzle["settings"].size() == 6);  // warps and registers are every kernel's
}

TEST_CASE("compare measures the interpreter against the reference, and exits 1 on a mismatch") {
  const Said s = tilescope("compare softmax rows=3 cols=37 --json");
  CHECK(s.exit_code == 0);
  const json j = json::parse(s.out);
  CHECK(j["sides"][0]["name"] == "interpreter");
  CHECK(j["sides"][0]["checked"] == 3 * 37);
  CHECK(tilescope("compare copy_wrong_offsets").exit_code == 1);
}

TEST_CASE("bench measures both sides and keeps the sweep as CSV and as a plot") {
  const EmptyFolder folder;
  const Said s =
      tilescope("bench add copy --sweep n=1024:4096:x2 --ms 1 --threads 1 --json --csv t.csv --plot t.svg", folder);
  CHECK(s.exit_code == 0);
  const json j = json::parse(s.out);
  REQUIRE(j["points"].size() == 6);
  CHECK(j["points"][0]["settings"]["n"] == 1024);
  CHECK(j["points"][0]["bytes"] == 3 * 4 * 1024);
  CHECK(j["points"][0]["repetitions"] >= 5);
  CHECK(j["points"][0]["p20_ms"] <= j["points"][0]["p80_ms"]);
  const std::string csv = contents_of(folder.path / "t.csv");
  CHECK(std::count(csv.begin(), csv.end(), '\n') == 7);
  CHECK(contents_of(folder.path / "t.svg").starts_with("<svg"));
}

TEST_CASE("compile reads a folder's kernels, and a text that does not compile is a failed run, told at its line") {
  const EmptyFolder folder;
  if (const Said s = tilescope("compile copy", folder); s.exit_code != 0) {
    CHECK(s.exit_code == 1);
    MESSAGE("skipped: " << s.err);
    return;
  }
  std::filesystem::create_directory(folder.path / "kernels");
  std::ofstream(folder.path / "kernels/copy.h") << "#pragma once\n#include \"interp/tl.h\"\nthis is no kernel\n";
  const Said s = tilescope("compile copy --sources .", folder);
  CHECK(s.exit_code == 1);
  CHECK(has(s.err, "kernels/copy.h:3"));
  const Said same = tilescope("compile copy", folder, "TILESCOPE_SOURCES=.");
  CHECK(same.exit_code == 1);
  CHECK(has(same.err, "kernels/copy.h:3"));
  CHECK(tilescope("compile copy --sources nowhere", folder).exit_code == 2);
}

TEST_CASE("bench --record keeps a run where the kernels are, and only there") {
  const EmptyFolder folder;
  CHECK(tilescope("bench add n=1024 --ms 1 --record", folder).exit_code == 2);
  std::filesystem::create_directory(folder.path / "kernels");
  CHECK(tilescope("bench add n=1024 --ms 1 --record", folder).exit_code == 0);
  int files = 0;
  for (const auto& entry : std::filesystem::directory_iterator(folder.path / "kernels/recorded")) {
    const json j = json::parse(contents_of(entry.path()));
    CHECK(j["command"] == "tilescope bench add n=1024 --ms 1");
    CHECK(j["points"].size() == 1);
    ++files;
  }
  CHECK(files == 1);
}

TEST_CASE("sum takes more than 2^26 elements, and is exact") {
  const Said s = tilescope("run sum n=2^27 --json");
  REQUIRE(s.exit_code == 0);
  CHECK(json::parse(s.out)["max_abs_error"] == 0);
}

TEST_CASE("without a GPU, bench shows what was recorded on one, never as measured here") {
  const EmptyFolder folder;
  const std::string no_gpu = "TILESCOPE_LIBCUDA=/nonexistent";
  const Said nothing = tilescope("bench transpose --device cuda", folder, no_gpu);
  CHECK(nothing.exit_code == 1);
  CHECK(has(nothing.err, "libcuda.so.1 was not found"));
  std::filesystem::create_directory(folder.path / "kernels");
  std::filesystem::copy(TILESCOPE_RECORDED, folder.path / "kernels/recorded");
  const Said s = tilescope("bench add --device cuda", folder, no_gpu);
  CHECK(s.exit_code == 1);
  CHECK(has(s.out,
            "RECORDED on NVIDIA H200 (driver 580.159.04), 2026-01-31, by `tilescope bench add n=2^28 --device cuda`; "
            "not measured here"));
  CHECK(has(s.out, "4027"));  // GB/s: 3 * 2^30 bytes in 0.8 ms
  CHECK(has(s.out, "0.50"));  // a copy in half that time
  CHECK(has(s.err, "nothing was measured here"));
}

TEST_CASE(
    "without a GPU, bench draws the recorded points of the sweep that is asked for, and says where there are none") {
  const EmptyFolder folder;
  const std::string no_gpu = "TILESCOPE_LIBCUDA=/nonexistent", lines = "bench unfused_softmax softmax --device cuda ";
  const Said s = tilescope(lines + "rows=4096 --sweep cols=1024:2048:+128 --plot a.svg --csv a.csv", folder, no_gpu);
  CHECK(s.exit_code == 1);
  CHECK(has(contents_of(folder.path / "a.svg"), "recorded on NVIDIA H200"));
  const std::string points = contents_of(folder.path / "a.csv");
  CHECK(std::ranges::count(points, '\n') == 1 + 2 * 9);
  CHECK(has(points, ",1920,"));
  CHECK(!has(points, ",2176,"));
  CHECK(!has(points, "tuned"));
  const Said none = tilescope(lines + "rows=4096 --sweep cols=100:300:+100 --plot b.svg", folder, no_gpu);
  CHECK(none.exit_code == 1);
  CHECK(has(none.err, "none of these points was recorded"));
  CHECK(!std::filesystem::exists(folder.path / "b.svg"));
}

TEST_CASE("without a GPU, bench's JSON keeps recorded points apart from measured ones") {
  const EmptyFolder folder;
  std::filesystem::create_directory(folder.path / "kernels");
  std::filesystem::copy(TILESCOPE_RECORDED, folder.path / "kernels/recorded");
  const json j = json::parse(tilescope("bench add --device cuda --json", folder, "TILESCOPE_LIBCUDA=/nonexistent").out);
  CHECK_FALSE(j.contains("points"));
  REQUIRE(j["recorded"].size() >= 1);
  CHECK(j["recorded"][0]["driver"] == "580.159.04");
  CHECK(j["recorded"][0]["points"][0]["median_ms"] == 0.8);
}

TEST_CASE("bench --recording times the run beside itself with one program recorded") {
  const Said s = tilescope("bench add n=4096 block=128 --recording --ms 1 --json");
  CHECK(s.exit_code == 0);
  const json point = json::parse(s.out)["points"][0];
  CHECK(point["peer"]["name"] == "one program recorded");
  CHECK(point["ratio"] > 0);
  CHECK(tilescope("bench add --recording --device cuda").exit_code == 2);
}

TEST_CASE("the interpreter refuses a kernel's text that it was not built with, however the folder was named") {
  const EmptyFolder folder;
  std::filesystem::create_directory(folder.path / "kernels");
  std::ofstream(folder.path / "kernels/copy.h") << "// another copy\n";
  for (const char* command : {"run copy", "debug copy", "compare copy", "bench copy --ms 1"}) {
    const Said s = tilescope(command, folder, "TILESCOPE_SOURCES=.");
    CHECK(s.exit_code == 2);
    CHECK(has(s.err, "kernels/copy.h is another in --sources or TILESCOPE_SOURCES"));
  }
  CHECK(has(tilescope("run copy --sources .", folder).err, "fix: add --device cuda"));
  CHECK(tilescope("run add --sources .", folder).exit_code == 0);  // whose text is as it was
}

TEST_CASE("run shows all outputs, or the tensor that is asked for") {
  const std::string all = tilescope("run attention heads=1 seq=64").out;
  CHECK(has(all, "\nm f32[1, 64] ="));
  CHECK(has(all, "\no f16[64, 64] ="));
  CHECK_FALSE(has(tilescope("run attention heads=1 seq=64 --show o").out, "\nm "));
}

TEST_CASE("bench says whether it looked at a sample; compare says what the kernel accumulates in") {
  CHECK(has(tilescope("bench add n=4096 --ms 1").out, "checked: a sample of "));
  CHECK(has(tilescope("bench add n=60 --ms 1").out, "checked: every element of the outputs"));
  CHECK(json::parse(tilescope("compare matmul m=16 n=16 k=16 bm=16 bn=16 bk=16 --json").out)["accumulates"] == "f32");
  CHECK(json::parse(tilescope("compare copy --json").out)["accumulates"].is_null());
}

TEST_CASE("a recording that a limit stopped is a failed run, and a file of no program's values says so") {
  const EmptyFolder folder;
  const Said s = tilescope("trace sum --step-limit 3 -o a.tltrace", folder);
  CHECK(s.exit_code == 1);
  CHECK(has(s.out, "program 0 took 3 ops, its limit"));
  CHECK(json::parse(tilescope("trace sum --step-limit 3 -o a.tltrace --json", folder).out)["faults"][0]["kind"] ==
        "stopped");
  CHECK(
      has(tilescope("trace copy n=20 block=2 -o a.tltrace --values '=300'", folder).out, "no program matches '=300'"));
}

TEST_CASE("bench: what was measured before a failure is kept, and one file is not written twice") {
  const EmptyFolder folder;
  const Said s = tilescope("bench matmul_unmasked --sweep m=16,3 n=16 k=16 --ms 1 --csv z.csv", folder);
  CHECK(s.exit_code == 1);
  CHECK(has(s.err, "1 of 2 points were measured, then matmul_unmasked m=3 failed"));
  CHECK(has(s.err, "out of bounds"));
  CHECK(std::filesystem::exists(folder.path / "z.csv"));
  const Said same = tilescope("bench add --sweep n=100,200 --ms 1 --csv same --plot ./same", folder);
  CHECK(same.exit_code == 2);
  CHECK(has(same.err, "--csv and --plot both name same"));
}

TEST_CASE("debug --json tells a refused command from one that was carried out") {
  const EmptyFolder folder;
  std::ofstream(folder.path / "input") << "n\np nosuch\nn\nq\n";
  std::istringstream lines(tilescope("debug copy_wrong_offsets --json", folder).out);
  std::vector<json> answers;
  for (std::string line; std::getline(lines, line);) answers.push_back(json::parse(line));
  REQUIRE(answers.size() == 5);
  CHECK(answers[1]["ok"] == true);
  CHECK(answers[2]["ok"] == false);
  CHECK(has(answers[2]["error"]["fact"], "nosuch"));
  CHECK(answers[3]["ok"] == true);
}

TEST_CASE("debug --json answers each command with an object that says where it stands") {
  const EmptyFolder folder;
  std::ofstream(folder.path / "input") << "n\nrc\nq\n";
  const Said s = tilescope("debug copy_wrong_offsets --json", folder);
  REQUIRE(s.exit_code == 0);
  std::istringstream lines(s.out);
  std::vector<json> answers;
  for (std::string line; std::getline(lines, line);) answers.push_back(json::parse(line));
  REQUIRE(answers.size() == 4);
  CHECK(answers[0]["output"].get<std::string>().find("recorded 3 programs") != std::string::npos);
  CHECK(answers[1]["command"] == "n");
  CHECK(answers[1]["step"] == 1);
  CHECK(answers[1]["next"]["line"] == 10);
  CHECK(answers[2]["program"] == json{0, 0, 0});
}

TEST_CASE("--device: what records is the interpreter, what is compiled is for the GPU, compare takes either") {
  for (const char* refused :
       {"debug copy --device cuda", "trace copy -o t --device cuda", "compile copy --device cpu"}) {
    const Said s = tilescope(refused);
    CHECK(s.exit_code == 2);
    CHECK(s.err.find("leave --device out") != std::string::npos);
  }
  const auto compared = json::parse(tilescope("compare copy --device cpu --json").out);
  CHECK(compared["sides"].size() == 1);
  CHECK(compared["sides"][0]["name"] == "interpreter");
  CHECK_FALSE(compared.contains("no_gpu"));
}

TEST_CASE("export writes SVG to a device, whose name says nothing") {
  const Said s = tilescope("export add n=64 block=16 --panel memory -o /dev/stdout");
  CHECK(s.exit_code == 0);
  CHECK(s.out.find("<svg ") < 200);
}
