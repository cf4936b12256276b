// The machine model's commands from outside: the lecture's counts, the JSON that the documentation lists, files that
// other programs read.
#include <doctest/doctest.h>

#include <map>
#include <nlohmann/json.hpp>
#include <sstream>

#include "tests/cli/run_program.h"
#include "tests/has.h"

using nlohmann::json;

TEST_CASE("bytes and sectors are whole numbers in every JSON") {
  for (const char* command : {"schedule softmax --ctas-per-sm 2", "counters grouped_matmul m=200 n=300 k=50 --model",
                              "roofline transpose m=300 n=200", "accesses softmax", "coalesce softmax"}) {
    const json whole = json::parse(tilescope(std::string(command) + " --json").out).flatten();
    for (const auto& item : whole.items()) {
      const std::string& name = item.key();
      const json& value = item.value();
      if (value.is_number() && (name.ends_with("_bytes") || name.ends_with("_sectors") || has(name, "requested_bytes")))
        CHECK_MESSAGE(value.is_number_integer(), command << ": " << name);
    }
  }
}

TEST_CASE("coalesce: on a chip that our CUDA path does not run on, it is said; on the others nothing is") {
  CHECK(has(tilescope("coalesce attention --gpu t4").out, "our CUDA path needs compute capability 8.0, t4 has 7.5"));
  CHECK(json::parse(tilescope("coalesce add --gpu v100 --json").out).contains("note"));
  CHECK_FALSE(json::parse(tilescope("coalesce add --gpu a100_80 --json").out).contains("note"));
}

TEST_CASE("accesses: the legend names the ways that are taken") {
  CHECK_FALSE(has(tilescope("accesses add n=1000").out, "tma:"));
  CHECK(has(tilescope("accesses persistent_matmul").out, "tma: by a descriptor;"));
}

TEST_CASE("occupancy: by hand as CUDA's calculator has it, and none is exit code 1 with the reason") {
  const json j = json::parse(tilescope("occupancy --registers 168 --smem 98304 --warps 8 --json").out)["launches"][0];
  CHECK(j["ctas_per_sm"] == 1);  // 168 registers: 65536 / (8 * 5376) = 1
  CHECK(j["limited_by"] == "registers");
  const Said none = tilescope("occupancy --registers 300 --warps 4");
  CHECK(none.exit_code == 1);
  CHECK(has(none.out, "the device allows 255"));
}

TEST_CASE("coalesce: an add asks for 16 sectors with 16 bytes a lane, 4 with one element a lane, all of it used") {
  const json lines = json::parse(tilescope("coalesce add n=1048576 --json").out)["launches"][0]["lines"];
  REQUIRE(lines.size() == 3);
  for (const json& l : lines) {
    CHECK(l["cuda"]["sectors_per_request"] == 16);
    CHECK(l["one_lane_an_element"]["sectors_per_request"] == 4);
    CHECK(l["cuda"]["efficiency"] == 1);
  }
  CHECK(has(tilescope("coalesce transpose").out, "a request"));
}

TEST_CASE(
    "banks: 32 x 32 f32 collides 32 ways read down its columns, padded and XOR not at all; other shapes and dtypes "
    "too") {
  const json j = json::parse(tilescope("banks --tile 32x32 --dtype f32 --json").out)["placements"];
  CHECK(j[0]["transposed_read"]["ways"] == 32);
  CHECK(j[1]["transposed_read"]["conflicts"] == 0);
  CHECK(j[2]["transposed_read"]["conflicts"] == 0);
  const json halves = json::parse(tilescope("banks --tile 16x64 --dtype f16 --bytes 8 --json").out);
  CHECK(halves["placements"][0]["store"]["conflicts"] == 0);
  CHECK(has(tilescope("banks --tile 1024x1024").out, "more than a CTA of NVIDIA H200 SXM may have"));
}

TEST_CASE("roofline: an add is limited by DRAM, and the other estimate is explained beside it") {
  const Said s = tilescope("roofline add n=67108864 --json");
  const json l = json::parse(s.out)["launches"][0];
  CHECK(l["limited_by"] == "DRAM");
  CHECK(l["dram_bytes"] == doctest::Approx(3 * 4.0 * 67108864).epsilon(0.01));
  CHECK(has(l["why_they_differ"], "published rate"));
  CHECK(l["schedule_model_ms"].get<double>() == doctest::Approx(l["estimate_ms"].get<double>()).epsilon(0.1));
}

TEST_CASE("the model's commands refuse what cannot be, with the fix") {
  struct Case {
    const char *arguments, *fact, *fix;
  };
  for (const Case& c : {
           Case{"schedule add --gpu h20", "no device \"h20\"", "did you mean h200?"},
           Case{"schedule add --gpu ''", "--gpu needs a value", "--gpu NAME|FILE.json"},
           Case{"schedule add --gpu none.json", "cannot be read", "name a JSON file that exists"},
           Case{"schedule add --gpu none.json", "cannot be read", "a100_80"},
           Case{"schedule add --gpu /tmp", "the device file /tmp cannot be read: it is a folder", "name a JSON file"},
           Case{"schedule add --svg -", "--svg writes a file, and \"-\" names none", "for example --svg schedule.svg"},
           Case{"schedule add --ctas-per-sm 0", "--ctas-per-sm cannot be \"0\"", "write --ctas-per-sm N, from 1"},
           Case{"schedule mine.h", "\"mine.h\" cannot be read", "a name of `tilescope list`"},
           Case{"debug kernels/add.h", "\"kernels/add.h\" cannot be read", "add is built in"},
           Case{"counters --cases /tmp", "\"/tmp\" cannot be read", "give a file"},
           Case{"schedule add --ctas-per-sm 0", "--ctas-per-sm cannot be \"0\"", "--ctas-per-sm N"},
           Case{"schedule add --ctas-per-sm 33", "--ctas-per-sm is 33", "from 1 to 16"},
           Case{"schedule add --programs -1", "--programs cannot be \"-1\"", "--programs N"},
           Case{"schedule add --compare block", "--compare takes a setting", "group_size=1"},
           Case{"schedule add --compare =1", "--compare takes a setting", "group_size=1"},
           Case{"schedule add --compare blok=1", "no setting \"blok\"", "block"},
           Case{"schedule add n=2^30 block=128", "a grid of 8,388,608 programs", "blocks 4 times as large"},
           Case{"accesses copy n=2^30", "a grid of 536,870,912 programs", "blocks 188 times as large"},
           Case{"coalesce copy n=2^30", "a grid of 536,870,912 programs", "blocks 188 times as large"},
           Case{"roofline copy n=2^30", "a grid of 536,870,912 programs", "blocks 188 times as large"},
           Case{"banks copy n=2^30", "keeps no tile", "transpose"},
           Case{"export copy n=2^30 --panel timeline", "a grid of 536,870,912 programs", "blocks 188 times as large"},
           Case{"coalesce add --line 99", "no load or store stands on line 99", "choose from"},
           Case{"banks", "takes a kernel or a tile", "--tile 32x32"},
           Case{"banks --tile 0x32", "not a number from 1 to 4096", "--tile 32x32"},
           Case{"banks --tile 32x32 --dtype f31", "no dtype \"f31\"", "f32"},
           Case{"banks --tile 32x32 --gpu nope", "no device \"nope\"", "h200"},
           Case{"occupancy --registers 0 --warps 4", "--registers cannot be \"0\"", "from 1 to 65536"},
           Case{"schedule matmul m=32768 n=32768 k=65504 bm=256 bn=256 dtype=f32 --ctas-per-sm 1 --gpu t4",
                "take 19.99 GiB, and NVIDIA T4 has 14.9 GiB", "smaller sizes"},
           Case{"schedule add --svg a --chrome a", "--svg and --chrome both name \"a\"", "name two files"},
           Case{"banks add", "keeps no tile in shared memory", "transpose"},
           Case{"occupancy", "takes a kernel, or --registers", "--warps 8"},
           Case{"roofline add --gpu nothing", "no device \"nothing\"", "h200"},
           Case{"counters", "takes a kernel or a list of cases", "--cases FILE"},
       }) {
    const Said s = tilescope(c.arguments);
    CHECK_MESSAGE(s.exit_code == 2, c.arguments);
    CHECK_MESSAGE(s.out.empty(), c.arguments);
    CHECK_MESSAGE(has(s.err, c.fact), c.arguments << ": " << s.err);
    CHECK_MESSAGE(has(s.err.substr(std::min(s.err.size(), s.err.find("\n  fix: "))), c.fix),
                  c.arguments << ": " << s.err);
  }
}

TEST_CASE("banks: a padded tile by hand, 33 columns, is shown without xor, and xor is refused with the way out") {
  const Said s = tilescope("banks --tile 32x33");
  CHECK(s.exit_code == 0);
  CHECK(has(s.out, "xor exchanges chunks of rows whose bytes are a power of two; these have 132"));
  const Said refused = tilescope("banks --tile 32x33 --placement xor");
  CHECK(refused.exit_code == 2);
  CHECK(has(refused.err, "--placement padded"));
}

TEST_CASE("coalesce, banks and roofline fit a terminal of 80 columns") {
  for (const char* command : {"coalesce attention", "coalesce dropout", "banks transposed_matmul", "banks transpose",
                              "roofline matmul --gpu t4"}) {
    std::istringstream lines(tilescope(command).out);
    for (std::string line; std::getline(lines, line);)
      if (line.find(".h:") == std::string::npos && line.find('=') == std::string::npos && !line.starts_with("    "))
        CHECK_MESSAGE(line.size() <= 80, command << ": " << line);
  }
}

TEST_CASE("occupancy follows no programs: any grid will do") {
  const Said s = tilescope("occupancy copy n=2^30 --gpu t4");
  CHECK(s.exit_code == 0);
  CHECK(has(s.out, "8 CTAs an SM, 32 of 32 warps (100 %), limited by threads"));
}

TEST_CASE("a block of thousands of elements a thread is estimated, not compiled for minutes") {
  const Said s = tilescope("schedule add n=1000 block=1048576");
  CHECK(s.exit_code == 0);
  if (has(s.out, "toolkit")) MESSAGE("skipped: this machine compiles nothing");
  else CHECK(has(s.out, "too large"));
}

TEST_CASE("coalesce: each load is told at its own line, one in a lambda of its statement, too") {
  const auto lines = [](const std::string& kernel) {
    std::map<std::string, int> of;
    const json report = json::parse(tilescope("coalesce " + kernel + " --json").out);
    for (const json& l : report["launches"][0]["lines"]) {
      if (l["access"] == "load") of[l["tensor"]] = l["line"];
      CHECK(l["file"] == "kernels/" + kernel + ".h");
    }
    return of;
  };
  CHECK(lines("matmul") == std::map<std::string, int>{{"a", 29}, {"b", 30}});
  CHECK(lines("persistent_matmul") == std::map<std::string, int>{{"a", 32}, {"b", 33}});
  CHECK(tilescope("coalesce matmul --line 29").exit_code == 0);
}

TEST_CASE("roofline: the longest time of the table is the estimate, and SMs without work are told") {
  const json l = json::parse(tilescope("roofline grey --json").out)["launches"][0];
  CHECK(l["resources"][0]["ms"] == l["estimate_ms"]);
  CHECK(l["resources"][0]["resource"] == l["limited_by"]);
  CHECK(has(tilescope("roofline grey").out, "on 40 of 132 SMs"));
}

TEST_CASE("an article's product on a T4: its transposed operand costs twice the time as it is, and none XORed") {
  const auto ms = [](const char* kernel, const char* placement) {
    const Said said =
        tilescope(std::string("schedule ") + kernel +
                  " m=1024 n=512 k=768 bm=64 bn=64 bk=64 dtype=f32 --gpu t4 --json --placement " + placement);
    return json::parse(said.out)["model_ms"].get<double>();
  };
  const double plain = ms("block_pointer_matmul", "none");
  // Measured there, at 8192 x 6144 x 4096: 261.9 ms for 130.8.
  CHECK(ms("transposed_matmul", "none") / plain == doctest::Approx(261.9 / 130.8).epsilon(0.15));
  CHECK(ms("transposed_matmul", "xor") / plain == doctest::Approx(1).epsilon(0.02));
}

TEST_CASE("what sets the time is named with its share, and where nothing is busy it is latency") {
  const json busy = json::parse(tilescope("schedule add n=67108864 --json").out)["limit"],
             idle = json::parse(tilescope("schedule add n=100 --json").out)["limit"];
  CHECK(busy["limited_by"] == "DRAM");
  CHECK(busy["share"] > busy["next_share"]);
  CHECK(busy["no_eligible_warp"] >
        0.5);  // four bytes take a tenth of the places in the issue that DRAM leaves time for
  CHECK(idle["limited_by"] == "latency");
}

TEST_CASE("loads of a product are counted as the lecture's picture shows them: 4 x 6 by 6 x 4 in blocks of 2") {
  const Said said = tilescope("schedule matmul m=4 n=4 k=6 bm=2 bn=2 bk=2");
  // By hand: 16 elements x 12 numbers; 4 programs x 3 steps x 8; with the row kept 4 x 5 vectors of 6.
  CHECK(has(said.out, "192 B, 2 times"));
  CHECK(has(said.out, "1.25 times"));
}
