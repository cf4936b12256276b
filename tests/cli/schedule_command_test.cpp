// tilescope schedule from outside: the lecture's counts, the documented JSON, and pictures and traces that other
// programs read.
#include <doctest/doctest.h>

#include <map>
#include <nlohmann/json.hpp>
#include <set>

#include "tests/cli/run_program.h"
#include "tests/has.h"

using nlohmann::json;

namespace {

// 9 x 9 blocks of 128 x 128. --ctas-per-sm, so that nothing is compiled.
const std::string nine_by_nine = " m=1152 n=1152 k=576 bm=128 bn=128 bk=64 --programs 9 --ctas-per-sm 1";

json schedule(const std::string& arguments) {
  const Said s = tilescope("schedule " + arguments + " --json");
  REQUIRE_MESSAGE(s.exit_code == 0, s.err);
  return json::parse(s.out);
}

std::size_t count(const std::string& text, const std::string& part) {
  std::size_t n = 0;
  for (auto at = text.find(part); at != std::string::npos; at = text.find(part, at + part.size())) ++n;
  return n;
}

}  // namespace

TEST_CASE("schedule: on 9 x 9 blocks 9 programs load 90 tiles in row-major order, 54 in groups of 3") {
  const json rows = schedule("matmul" + nine_by_nine)["distinct_block_loads"],
             groups = schedule("grouped_matmul group_size=3" + nine_by_nine)["distinct_block_loads"];
  CHECK(rows["after_programs"] == 90);
  CHECK(rows["tensors"] == json{{"a", 9}, {"b", 81}});
  CHECK(groups["after_programs"] == 54);
  CHECK(groups["tensors"] == json{{"a", 27}, {"b", 27}});
  CHECK(rows["total"] == 2 * 9 * 9);
}

TEST_CASE("schedule: what a program takes does not depend on what was compiled before") {
  const auto resources = [](const EmptyFolder& folder, const char* group_size) {
    return json::parse(tilescope(std::string("schedule swizzle --json group_size=") + group_size, folder,
                                 "XDG_CACHE_HOME=" + folder.path.string())
                           .out)["resources"];
  };
  const EmptyFolder first, second;
  const json alone = resources(first, "3");
  if (has(alone["how"].get<std::string>(), "an estimate")) {
    MESSAGE("skipped: " << alone["how"]);
    return;
  }
  resources(second, "2");
  CHECK(resources(second, "3") == alone);
  CHECK(resources(second, "3") == alone);  // now from the cache
}

TEST_CASE("schedule: the lecture's 2-D grid loads 81 tiles of A and 9 of B, and says why it is the other way round") {
  CHECK(schedule("lecture_matmul" + nine_by_nine)["distinct_block_loads"]["tensors"] == json{{"a", 81}, {"b", 9}});
  const Said s = tilescope("schedule lecture_matmul" + nine_by_nine);
  CHECK(has(s.out, "axis 0 runs fastest: program 1 is (1, 0, 0)"));
  CHECK(has(s.out, "here 81 of a and 9 of b"));
}

TEST_CASE("schedule --json has every field that the documentation lists, with figures that agree with each other") {
  const json j = schedule("matmul m=512 n=512 k=256 bm=128 bn=128 bk=64 --ctas-per-sm 2 --baselines");
  CHECK(j["gpu"] == "h200");
  CHECK(j["programs"] == 16);
  CHECK(j["waves"] == doctest::Approx(16.0 / (132 * 2)));
  CHECK(j["resident_programs_per_sm"] == 2);
  CHECK(j["dram_read_bytes"] == 2 * 512 * 256 * 2);
  CHECK(j["dram_write_bytes"].get<double>() + j["dirty_bytes_left"].get<double>() == 512 * 512 * 2);
  CHECK(j["baselines"]["wave_count_dram_read_bytes"] == 2 * 512 * 256 * 2);
  CHECK(j["baselines"]["nominal_lru_dram_read_bytes"] == 2 * 512 * 256 * 2);
  for (const char* field : {"requested_sectors", "tex_sectors", "logical_hit_rate", "raw_hit_rate"})
    CHECK_MESSAGE(j["l2"][field].is_number(), field);
  CHECK(j["l2"]["requested_sectors"] == 16 * 4 * 2 * 128 * 64 * 2 / 32);
  for (const char* field : {"model_ms", "wall_ms"}) CHECK_MESSAGE(j[field] > 0, field);
  CHECK(j["simulated"]["tile_accesses"] >= 16 * 4 * 2 + 16);
  CHECK(j["tensors"].size() == 3);
  CHECK(j["naive_product"]["vectors"] == 512 * (512 + 1));
  CHECK(schedule("matmul m=1152 n=640 k=576 --ctas-per-sm 2")["naive_product"]["vectors"] == 1152 * (640 + 1));
}

TEST_CASE("schedule --compare lays a changed setting beside the first") {
  const Said s = tilescope("schedule grouped_matmul group_size=3 --compare group_size=1" + nine_by_nine);
  CHECK(s.exit_code == 0);
  CHECK(has(s.out, "group_size=3"));
  CHECK(has(s.out, "group_size=1"));
  const json j = schedule("grouped_matmul group_size=3 --compare group_size=1" + nine_by_nine);
  CHECK(j["compare"][0]["changed"] == "group_size=1");
  CHECK(j["compare"][0]["distinct_block_loads"]["after_programs"] == 90);
}

TEST_CASE("schedule: lines fit a terminal of 80 columns") {
  const Said s =
      tilescope("schedule grouped_matmul m=4096 n=4096 k=256 bm=64 bn=64 bk=64 --ctas-per-sm 2 --compare group_size=1");
  int lines = 0;
  for (std::size_t at = s.out.find("\n\n", s.out.find("\n\n") + 2) + 2, end; at < s.out.size();
       at = end + 1, ++lines) {  // below the headlines
    end = std::min(s.out.find('\n', at), s.out.size());
    CHECK_MESSAGE(end - at <= 80, s.out.substr(at, end - at));
  }
  CHECK(lines > 40);
}

TEST_CASE("schedule: what tensor maps look up on top of what is asked for is told, and adds up") {
  const json j = schedule("attention --ctas-per-sm 1"), l2 = j["l2"];
  CHECK(l2["promoted_sectors"] > 0);
  CHECK(l2["requested_sectors"].get<std::int64_t>() - l2["l1_hit_sectors"].get<std::int64_t>() -
            l2["merged_sectors"].get<std::int64_t>() + l2["promoted_sectors"].get<std::int64_t>() ==
        l2["tex_sectors"]);
  CHECK(has(j["explanations"].dump(), "a tensor map asks L2 for 256 bytes"));
  CHECK_FALSE(has(schedule("softmax --ctas-per-sm 1")["explanations"].dump(), "256 bytes"));
}

TEST_CASE("schedule --svg draws; every element that is opened is closed") {
  const EmptyFolder folder;
  CHECK(tilescope("schedule matmul --ctas-per-sm 2 --svg s.svg", folder).exit_code == 0);
  const std::string svg = contents_of(folder.path / "s.svg");
  CHECK(svg.starts_with("<svg"));
  CHECK(svg.ends_with("</svg>\n"));
  CHECK(count(svg, "<g>") + count(svg, "<g ") == count(svg, "</g>"));
  CHECK(count(svg, "<text") == count(svg, "</text>"));
  CHECK(has(svg, "model"));
}

TEST_CASE("schedule --chrome: SM rows, programs and their steps, flows with both ends, counters") {
  const EmptyFolder folder;
  CHECK(tilescope("schedule grouped_matmul m=512 n=512 k=1024 bm=128 bn=128 bk=64 --ctas-per-sm 2 --chrome t.json",
                  folder)
            .exit_code == 0);
  const json events = json::parse(contents_of(folder.path / "t.json"))["traceEvents"];
  std::map<std::string, int> kinds;
  std::set<json> begun, ended;
  int named_sms = 0;
  double before = 0;
  for (const json& e : events) {
    CHECK(e.value("ts", 0.0) >= before);
    before = e.value("ts", before);
    const std::string kind = e["ph"];
    ++kinds[kind];
    if (kind == "M" && e["name"] == "thread_name") named_sms += has(e["args"]["name"].get<std::string>(), "SM ");
    if (kind == "X") CHECK(e["dur"] >= 0);
    if (kind == "s") begun.insert(e["id"]);
    if (kind == "f") ended.insert(e["id"]);
  }
  CHECK(named_sms >= 16);
  CHECK(kinds["X"] >= 16 + 16 * 16);  // programs and their steps
  CHECK(kinds["C"] > 0);
  CHECK(begun.size() > 0);
  CHECK(begun == ended);
}

TEST_CASE("schedule: bytes written are those that were stored, also by blocks smaller than a line") {
  for (const char* block : {"8", "16", "64", "1024"}) {
    CAPTURE(block);
    const json j =
        json::parse(tilescope(std::string("schedule add n=65536 block=") + block + " --ctas-per-sm 8 --json").out);
    CHECK(j["dram_read_bytes"] == 2 * 65536 * 4);
    CHECK(j["dram_write_bytes"].get<double>() + j["dirty_bytes_left"].get<double>() == 65536 * 4);
  }
}

TEST_CASE("schedule: a grid that no GPU runs, and one that the model cannot hold, are refused with what fits") {
  const Said across = tilescope("schedule lecture_matmul m=16 n=1048576 k=16 bm=16 bn=16 bk=16");
  CHECK(across.exit_code == 2);
  CHECK(has(across.err, "the grid 1 x 65536 x 1 is larger than a GPU's"));
  const Said huge = tilescope("schedule add n=1073741824 block=256");
  CHECK(huge.exit_code == 2);
  CHECK(has(huge.err, "a grid of 4,194,304 programs"));
  CHECK(has(huge.err, "in some 481 bytes"));
  CHECK(has(huge.err, "make the blocks 2 times as large"));
}

TEST_CASE(
    "schedule: persistent programs are as many as the modelled GPU's SMs hold, their stages as many as fit there") {
  const auto programs = [](const std::string& gpu) {
    return schedule("persistent_matmul m=4096 n=4096 k=512 --ctas-per-sm 1 --gpu " + gpu)["programs"].get<int>();
  };
  CHECK(programs("h200") == 132);
  CHECK(programs("rtx4090") == 128);  // 99 KiB a program: less than an H200's four stages take
  CHECK(programs("v100") == 80);
  CHECK(schedule("softmax rows=8192 warps=8 --ctas-per-sm 4 --gpu v100")["programs"] ==
        80 * 8);  // 2048 threads, 256 a program
}

TEST_CASE("schedule: a persistent kernel's blocks have their programs' numbers, both halves of a block the same") {
  const Said s = tilescope("schedule persistent_matmul group_size=3" + nine_by_nine);
  CHECK(has(s.out, "each with the number of its program\n   0  0  3  3  6  6  9  9"));  // down the group's 3 rows
                                                                                        // first: (0, 1) is program 3
  CHECK_FALSE(has(s.out, " 161"));
}

TEST_CASE("schedule: a 2-D grid that multiplies nothing is told nothing of matrices") {
  const Said s = tilescope("schedule grey --ctas-per-sm 2");
  CHECK(has(s.out, "axis 0 runs fastest"));
  CHECK_FALSE(has(s.out, "right matrix"));
}

TEST_CASE("schedule --json of several launches: above them only what adds up; no tensor twice") {
  const json j = schedule("unfused_softmax --ctas-per-sm 2");
  CHECK(j["launches"].size() == 5);
  CHECK_FALSE(j.contains("functor"));
  double read = 0, ms = 0;
  for (const json& l : j["launches"]) {
    read += l["dram_read_bytes"].get<double>();
    ms += l["model_ms"].get<double>();
  }
  CHECK(j["dram_read_bytes"].get<double>() == doctest::Approx(read));
  CHECK(j["model_ms"].get<double>() == doctest::Approx(ms));
  std::set<std::string> names;
  const json attention = schedule("attention --ctas-per-sm 1");
  for (const json& t : attention["tensors"]) CHECK_MESSAGE(names.insert(t["name"]).second, t["name"]);
}

TEST_CASE("schedule: an H200 is no slower than an H100, and that no slower than an A100") {
  for (const char* sizes : {" m=2048 n=2048 k=2048 bm=64 bn=64 bk=32", " m=1152 n=1152 k=576 bm=128 bn=128 bk=64"}) {
    const auto ms = [&](const std::string& gpu) {
      return schedule("matmul --ctas-per-sm 2 --gpu " + gpu + sizes)["model_ms"].get<double>();
    };
    CHECK(ms("h200") <= 1.01 * ms("h100"));
    CHECK(ms("h100") <= ms("a100_80"));
  }
}

TEST_CASE("schedule --compare --svg draws each side into a file of its own") {
  const EmptyFolder folder;
  CHECK(tilescope("schedule grouped_matmul --ctas-per-sm 2 --compare group_size=1 --svg s.svg", folder).exit_code == 0);
  CHECK(has(contents_of(folder.path / "s.svg"), "group_size=8"));
  CHECK(has(contents_of(folder.path / "s-group_size=1.svg"), "group_size=1 "));
}

TEST_CASE("schedule --benched: long launches between two events after a flush, short ones in a graph with a warm L2") {
  const std::string small = "add --ctas-per-sm 8 block=1024 n=2^20", large = "add --ctas-per-sm 8 block=1024 n=2^24";
  const std::string said = tilescope("schedule " + large + " --benched").out;
  CHECK(has(said, "`bench` times it"));
  CHECK(has(said, "us for two events"));
  CHECK(!has(said, "L2 is empty"));
  CHECK(has(tilescope("schedule " + small + " --benched").out, "in a graph of launches, L2 warm"));
  const auto ms = [](const std::string& arguments) { return schedule(arguments)["model_ms"].get<double>(); };
  CHECK(ms(large + " --benched") > ms(large));
  CHECK(ms(small + " --benched") < ms(small));
}
