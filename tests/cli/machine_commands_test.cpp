// The machine model's commands from outside: the lecture's counts, the JSON that the documentation lists, files that
// other programs read.
#include <doctest/doctest.h>

#include <map>
#include <nlohmann/json.hpp>
#include <set>
#include <sstream>

#include "tests/cli/run_program.h"

using nlohmann::json;

namespace {

bool has(const std::string& text, const std::string& part) { return text.find(part) != std::string::npos; }

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

TEST_CASE(
    "schedule: another group_size is not compiled again: it takes the registers of the first, and says so until it was "
    "compiled") {
  const EmptyFolder folder;
  const auto how = [&](const std::string& command, const char* group_size) {
    return tilescope(command + " swizzle group_size=" + group_size + " --json", folder,
                     "XDG_CACHE_HOME=" + folder.path.string());
  };
  const auto resources = [&](const char* group_size) {
    return json::parse(how("schedule", group_size).out)["resources"];
  };
  const json first = resources("2");
  if (has(first["how"].get<std::string>(), "an estimate")) {
    MESSAGE("skipped: " << first["how"]);
    return;
  }
  CHECK(first["how"] == "compiled for sm_90a");
  CHECK(resources("3")["how"] ==
        "compiled for sm_90a with group_size=2, which has the same tiles; `tilescope compile` with these settings "
        "makes it exact");
  CHECK(resources("3")["registers"] == first["registers"]);
  CHECK(has(how("roofline", "3").out, "compiled for sm_90a with group_size=2"));
  CHECK(how("compile", "3").exit_code == 0);
  CHECK(resources("3")["how"] == "compiled for sm_90a");
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
  CHECK_FALSE(has(tilescope("accesses add n=1000").out, "cp.async"));
  CHECK(has(tilescope("accesses matmul").out, "stage: by cp.async into shared memory;"));
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
  const std::string svg = read_file(folder.path / "s.svg");
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
  const json events = json::parse(read_file(folder.path / "t.json"))["traceEvents"];
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
           Case{"schedule mine.h", "\"mine.h\" is a file; a kernel goes by its name", "put yours into kernels/"},
           Case{"debug kernels/add.h", "\"kernels/add.h\" is a kernel's text, not a recording", "tilescope debug add"},
           Case{"counters --cases /tmp", "\"/tmp\" cannot be read", "give a file"},
           Case{"schedule add --ctas-per-sm 0", "--ctas-per-sm cannot be \"0\"", "--ctas-per-sm N"},
           Case{"schedule add --ctas-per-sm 33", "--ctas-per-sm is 33", "from 1 to 16"},
           Case{"schedule add --programs -1", "--programs cannot be \"-1\"", "--programs N"},
           Case{"schedule add --compare block", "--compare takes a setting", "group_size=1"},
           Case{"schedule add --compare =1", "--compare takes a setting", "group_size=1"},
           Case{"schedule add --compare blok=1", "no setting \"blok\"", "block"},
           Case{"schedule add n=2^30 block=128", "a grid of 8 388 608 programs", "blocks 4 times as large"},
           Case{"accesses copy n=2^30", "a grid of 536 870 912 programs", "blocks 188 times as large"},
           Case{"coalesce copy n=2^30", "a grid of 536 870 912 programs", "blocks 188 times as large"},
           Case{"roofline copy n=2^30", "a grid of 536 870 912 programs", "blocks 188 times as large"},
           Case{"banks copy n=2^30", "keeps no tile", "transpose"},
           Case{"export copy n=2^30 --panel timeline", "a grid of 536 870 912 programs", "blocks 188 times as large"},
           Case{"coalesce add --line 99", "no load or store stands on line 99", "choose from"},
           Case{"banks", "takes a kernel or a tile", "--tile 32x32"},
           Case{"banks --tile 0x32", "no number from 1 to 4096", "--tile 32x32"},
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

TEST_CASE("schedule: bytes written are those that were stored, also by blocks smaller than a line") {
  for (const char* block : {"8", "16", "64", "1024"}) {
    CAPTURE(block);
    const json j =
        json::parse(tilescope(std::string("schedule add n=65536 block=") + block + " --ctas-per-sm 8 --json").out);
    CHECK(j["dram_read_bytes"] == 2 * 65536 * 4);
    CHECK(j["dram_write_bytes"].get<double>() + j["dirty_bytes_left"].get<double>() == 65536 * 4);
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

TEST_CASE("schedule: a grid that no GPU runs, and one that the model cannot hold, are refused with what fits") {
  const Said across = tilescope("schedule lecture_matmul m=16 n=1048576 k=16 bm=16 bn=16 bk=16");
  CHECK(across.exit_code == 2);
  CHECK(has(across.err, "the grid 1 x 65536 x 1 is larger than a GPU's"));
  const Said huge = tilescope("schedule add n=1073741824 block=256");
  CHECK(huge.exit_code == 2);
  CHECK(has(huge.err, "a grid of 4 194 304 programs"));
  CHECK(has(huge.err, "in some 481 bytes"));
  CHECK(has(huge.err, "make the blocks 2 times as large"));
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

TEST_CASE(
    "schedule: persistent programs are as many as the modelled GPU's SMs hold, their stages as many as fit there") {
  const auto programs = [](const std::string& gpu) {
    return schedule("persistent_matmul m=4096 n=4096 k=512 --ctas-per-sm 1 --gpu " + gpu)["programs"].get<int>();
  };
  CHECK(programs("h200") == 132);
  CHECK(programs("rtx4090") == 128);  // 99 KiB a program: less than an H200's four stages take
  CHECK(programs("v100") == 80);
  CHECK(schedule("softmax rows=8192 --ctas-per-sm 4 --gpu v100")["programs"] == 80 * 8);  // 2048 threads, 256 a program
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
  for (const json& l : j["launches"]) read += l["dram_read_bytes"].get<double>(), ms += l["model_ms"].get<double>();
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
  CHECK(has(read_file(folder.path / "s.svg"), "group_size=8"));
  CHECK(has(read_file(folder.path / "s-group_size=1.svg"), "group_size=1 "));
}

TEST_CASE("coalesce: loads that are staged in one statement are told at their own lines") {
  const auto lines = [](const std::string& kernel) {
    std::map<std::string, int> of;
    const json report = json::parse(tilescope("coalesce " + kernel + " --json").out);
    for (const json& l : report["launches"][0]["lines"]) {
      if (l["access"] == "load") of[l["tensor"]] = l["line"];
      CHECK(l["file"] == "kernels/" + kernel + ".h");
    }
    return of;
  };
  CHECK(lines("matmul") == std::map<std::string, int>{{"a", 32}, {"b", 33}});
  CHECK(lines("persistent_matmul") == std::map<std::string, int>{{"a", 34}, {"b", 35}});
  CHECK(tilescope("coalesce matmul --line 32").exit_code == 0);
}

TEST_CASE("roofline: the longest time of the table is the estimate, and SMs without work are told") {
  const json l = json::parse(tilescope("roofline grey --json").out)["launches"][0];
  CHECK(l["resources"][0]["ms"] == l["estimate_ms"]);
  CHECK(l["resources"][0]["resource"] == l["limited_by"]);
  CHECK(has(tilescope("roofline grey").out, "on 40 of 132 SMs"));
}
