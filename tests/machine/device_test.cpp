// The devices the program knows, and what a user's own file may say.
#include "interp/machine/device.h"

#include <doctest/doctest.h>

#include <algorithm>
#include <nlohmann/json.hpp>

#include "interp/lang/error.h"
#include "interp/machine/device_files.h"
#include "interp/machine/limits/occupancy.h"

using namespace tl;
using namespace tl::machine;

namespace {

nlohmann::json own() {
  return {{"name", "mine"},
          {"compute_capability", "8.6"},
          {"sms", 16},
          {"threads_per_sm", 1536},
          {"ctas_per_sm", 16},
          {"threads_per_cta", 1024},
          {"registers_per_sm", 65536},
          {"registers_per_thread", 255},
          {"register_unit", 256},
          {"shared_bytes_per_sm", 102400},
          {"shared_bytes_per_cta", 101376},
          {"shared_reserved_bytes", 1024},
          {"shared_unit_bytes", 128},
          {"l1_bytes", 131072},
          {"sm_clock_ghz", 1.5},
          {"sm_gb_per_s", 60},
          {"f32_tflops", 6.0},
          {"l2_bytes", 2097152},
          {"l2_partitions", 1},
          {"l2_ways", 16},
          {"l2_gb_per_s", 800},
          {"l2_latency_ns", 150},
          {"dram_bytes", 8000000000},
          {"dram_gb_per_s", 200},
          {"dram_latency_ns", 400}};
}

Error refused(const nlohmann::json& j) {
  try {
    parse_device(j.dump(), "mine.json");
  } catch (const Error& e) {
    return e;
  }
  return Error("");
}

}  // namespace

TEST_CASE("devices: those of the list, by compute capability, by name, in any spelling") {
  CHECK(device_names() == std::vector<std::string>{"v100", "t4", "a100_40", "a100_80", "rtx3060", "l4", "rtx4090",
                                                   "h100", "h200", "b200", "rtx5090"});
  CHECK(find_device("RTX 5090").cc_major == 12);
  CHECK(find_device("RTX4090").sms == 128);
  CHECK(find_device("h200").sms == 132);
  CHECK(find_device("h200").dram_gb_per_s == 4800);
  CHECK(find_device("A100_40").dram_gb_per_s == 1555);
  CHECK(find_device("t4").threads_per_sm == 1024);
}

TEST_CASE("devices: a chip whose figures are published ones says so, and what its power leaves it") {
  CHECK(described(find_device("t4")) == "NVIDIA T4 (published, not measured)");
  CHECK(described(find_device("h200")) == "NVIDIA H200 SXM");
  CHECK(described(parse_device(own().dump(), "mine.json")) == "mine");
  CHECK(under_load(find_device("t4")).f32_tflops == doctest::Approx(8.1 * 0.83 / 1.59));
  CHECK(under_load(find_device("t4")).dram_gb_per_s == 320);
  CHECK(under_load(find_device("h200")).f32_tflops == find_device("h200").f32_tflops);
}

TEST_CASE("devices: an unknown name is refused with the nearest") {
  try {
    find_device("h20");
    FAIL("accepted");
  } catch (const Error& e) {
    CHECK(std::string(e.what()) == "there is no device \"h20\"");
    CHECK(e.fix.find("did you mean h200?") == 0);
  }
}

TEST_CASE("devices: a user's own file is read, optional fields may be missing") {
  const Device d = parse_device(own().dump(), "mine.json");
  CHECK(d.name == "mine");
  CHECK(d.cc_minor == 6);
  CHECK(d.l2_remote_latency_ns == 150);
}

TEST_CASE("devices: a missing field is named, with an example") {
  auto j = own();
  j.erase("l2_ways");
  const Error e = refused(j);
  CHECK(std::string(e.what()) == "mine.json has no field \"l2_ways\"");
  CHECK(e.fix == "add \"l2_ways\": 16 (an H200's, in ways)");
}

TEST_CASE("devices: an absurd value is refused with the value, the range and an example") {
  auto j = own();
  j["sms"] = -4;
  CHECK(std::string(refused(j).what()) == "mine.json: \"sms\" is -4, which is not a whole number from 1 to 1024");
  j["sms"] = 2.5;
  CHECK(std::string(refused(j).what()).find("\"sms\" is 2.5") != std::string::npos);
  j["sms"] = "many";
  CHECK(refused(j).fix == "for example \"sms\": 132 (an H200's, in SMs)");
}

TEST_CASE("devices: a field that no device has is refused with the nearest name") {
  auto j = own();
  j["l2_byte"] = 3;
  CHECK(refused(j).fix == "did you mean \"l2_bytes\"?");
}

TEST_CASE("devices: an order of SMs must name each once") {
  auto j = own();
  j["sm_order"] = std::vector<int>(16, 0);
  CHECK(std::string(refused(j).what()) == "mine.json: \"sm_order\" names SM 0 twice");
  j["sm_order"] = {1, 2};
  CHECK(std::string(refused(j).what()) == "mine.json: \"sm_order\" holds 2 numbers for 16 SMs");
}

TEST_CASE("devices: what is no JSON is refused") {
  CHECK_THROWS_AS(parse_device("sms = 3", "mine.json"), Error);
  CHECK_THROWS_AS(parse_device("[]", "mine.json"), Error);
}

TEST_CASE(
    "devices: a name that is like none of them gets the list and no guess, one that begins like some gets the first") {
  const auto fix = [](const char* name) {
    try {
      find_device(name);
    } catch (const Error& e) {
      return e.fix;
    }
    return std::string();
  };
  CHECK(fix("foo") ==
        "the devices: v100, t4, a100_40, a100_80, rtx3060, l4, rtx4090, h100, h200, b200, rtx5090; or a FILE.json");
  CHECK(fix("rtx").find("did you mean rtx3060?") == 0);
  CHECK(fix("a100").find("did you mean a100_40?") == 0);
}

TEST_CASE("devices: every number is refused when it is negative, huge, text or null, and the error names the field") {
  const nlohmann::json all = own();
  for (const auto& [name, value] : all.items()) {
    const std::string field = name;  // clang 14 captures no structured binding
    if (!value.is_number()) continue;
    for (const nlohmann::json& absurd :
         {nlohmann::json(-1), nlohmann::json(1e30), nlohmann::json("many"), nlohmann::json(nullptr)}) {
      auto j = own();
      j[name] = absurd;
      CHECK_MESSAGE(std::string(refused(j).what()).find("\"" + field + "\"") != std::string::npos,
                    field << " = " << absurd.dump());
    }
  }
}

TEST_CASE("devices: every field of fields.json is read, has a unit, and is refused by its name where it is text") {
  const auto fields = nlohmann::json::parse(device_file("fields")), h200 = nlohmann::json::parse(device_file("h200"));
  for (const auto& [name, rule] : fields.items()) {
    const std::string field = name;
    CHECK_MESSAGE(rule.at("unit").get<std::string>() != "", field);
    auto j = h200;
    j[field] = "many";
    CHECK_MESSAGE(std::string(refused(j).what()).find("\"" + field + "\" is \"many\"") != std::string::npos, field);
  }
  for (const auto& item : h200.items())
    if (item.value().is_number()) CHECK_MESSAGE(fields.contains(item.key()), item.key());
}

TEST_CASE("devices: the H200's file states every number that was measured on it") {
  const auto fields = nlohmann::json::parse(device_file("fields")), h200 = nlohmann::json::parse(device_file("h200"));
  int measured = 0;
  for (const auto& item : fields.items())
    if (item.value().contains("measured_on")) {
      ++measured;
      CHECK_MESSAGE(h200.contains(item.key()), item.key());
    }
  CHECK(measured > 30);
}

TEST_CASE("devices: a chip that was not measured has the H200's value of what was fitted there, and another if told") {
  auto j = own();
  CHECK(parse_device(j.dump(), "mine.json").request_ns == find_device("h200").request_ns);
  CHECK(find_device("t4").l1_ways == 8);
  j["request_ns"] = 0.7;
  CHECK(parse_device(j.dump(), "mine.json").request_ns == 0.7);
}

TEST_CASE("devices: no device is called by the file of the fields") { CHECK_THROWS_AS(find_device("fields"), Error); }

TEST_CASE("devices: a rate is none or a rate, never a millionth") {
  auto j = own();
  j["f16_tensor_tflops"] = 1e-9;
  CHECK(std::string(refused(j).what()) ==
        "mine.json: \"f16_tensor_tflops\" is 1e-09, which is not 0 or a number from 0.01 to 1000000");
  j["f16_tensor_tflops"] = 0;
  CHECK(refused(j).fix.empty());
}

TEST_CASE("devices: paces of groups need the groups") {
  auto j = own();
  j["group_pace_ppm"] = {1000, -1000};
  CHECK(std::string(refused(j).what()) ==
        "mine.json: \"group_pace_ppm\" names groups of SMs, and there is no \"sm_group\"");
}

TEST_CASE("devices: the examples of errors are the figures of the H200's own file") {
  for (const auto& [field, fix] : {std::pair("l2_gb_per_s", "add \"l2_gb_per_s\": 8700 (an H200's, in 1e9 bytes/s)"),
                                   std::pair("sm_gb_per_s", "add \"sm_gb_per_s\": 126 (an H200's, in 1e9 bytes/s)")}) {
    auto j = own();
    j.erase(field);
    CHECK(refused(j).fix == fix);
  }
  auto j = own();
  j["dram_reachable"] = 2;
  CHECK(refused(j).fix == "for example \"dram_reachable\": 0.883 (an H200's, of the peak)");
}

TEST_CASE("devices: limits that contradict each other are refused") {
  const auto with = [](const char* name, std::int64_t value) {
    auto j = own();
    j[name] = value;
    return std::string(refused(j).what());
  };
  CHECK(with("threads_per_sm", 33) == "mine.json: \"threads_per_sm\" is 33, no multiple of a warp's 32");
  CHECK(with("threads_per_cta", 2048) == "mine.json: \"threads_per_cta\" is 2048, more than the SM's 1536");
  auto small = own();
  small["l2_bytes"] = 134217728;
  small["dram_bytes"] = 67108864;
  CHECK(std::string(refused(small).what()) == "mine.json: \"l2_bytes\" is 134217728, more than all memory, 67108864");
  CHECK(with("l2_dirty_bytes", 4'000'000'000) ==
        "mine.json: \"l2_dirty_bytes\" is 4000000000, more than all of L2, " + own()["l2_bytes"].dump());
  CHECK(with("register_unit", 3) == "mine.json: \"register_unit\" is 3, no power of two");
  CHECK(with("shared_unit_bytes", 7) == "mine.json: \"shared_unit_bytes\" is 7, no power of two");
  CHECK(with("tma_busy_from", 1) == "mine.json: \"tma_busy_full\" is 1, not above \"tma_busy_from\", 1");
  CHECK(with("pace_load_from", 1) == "mine.json: \"pace_load_full\" is 1, not above \"pace_load_from\", 1");
  CHECK(with("l2_gb_per_s", 100) == "mine.json: \"l2_gb_per_s\" is 100, less than the 200 that DRAM reaches");
}

TEST_CASE(
    "devices: what a user's file leaves out is told with what stands for it; the time of a staged step goes by the "
    "clock") {
  const Device d = parse_device(own().dump(), "mine.json");
  const auto assumed = [&](const std::string& name) {
    for (const auto& [field, value] : d.assumed)
      if (field == name) return value;
    return -1.0;
  };
  CHECK(assumed("f16_tensor_tflops") == 0);
  CHECK(assumed("staged_step_ns") == doctest::Approx(160 * 1.98 / 1.5));
  CHECK(assumed("sms") == -1);
  CHECK(find_device("t4").assumed.empty());
  CHECK(find_device("t4").assumed_rules.empty());
  CHECK(std::ranges::count(d.assumed_rules, std::pair<std::string, std::string>("l2_policy", "not recently used")) ==
        1);
  CHECK(std::ranges::count(d.assumed_rules, std::string("sm_order"), &std::pair<std::string, std::string>::first) == 1);
  CHECK(find_device("h100").staged_step_ns == find_device("h200").staged_step_ns);
}

// What was found on the chips themselves by MMA-Sim (arXiv 2511.10909) and by Khattak and Mikaitis (arXiv 2512.07004):
// products a step, fraction bits that they are aligned to, fraction bits that the sum keeps; 0 where there is no such
// instruction, or where fp8 goes as f16.
TEST_CASE("devices: how tensor cores add is what was found on these chips") {
  const TensorCoreStep none{}, volta{4, 23, 23}, turing{8, 24, 23}, ampere{8, 24, 23}, ampere_tf32{4, 24, 23},
      ada_fp8{16, 13, 13}, hopper{16, 25, 23}, hopper_tf32{8, 25, 23}, hopper_fp8{32, 13, 13},
      blackwell_fp8{32, 25, 23}, blackwell_fp4{64, 35, 23};
  const TensorCoreSteps no_wgmma{}, hopper_mma{hopper, hopper, hopper_tf32, none},
      hopper_wgmma{hopper, hopper, hopper_tf32, hopper_fp8},
      blackwell{hopper, hopper, hopper_tf32, blackwell_fp8, blackwell_fp4};
  const struct {
    const char* device;
    TensorCoreSteps mma_sync, wgmma;
  } found[] = {{"v100", {volta, none, none, none}, no_wgmma},
               {"t4", {turing, none, none, none}, no_wgmma},
               {"a100_40", {ampere, ampere, ampere_tf32, none}, no_wgmma},
               {"a100_80", {ampere, ampere, ampere_tf32, none}, no_wgmma},
               {"rtx3060", {ampere, ampere, ampere_tf32, none}, no_wgmma},
               {"l4", {ampere, ampere, ampere_tf32, ada_fp8}, no_wgmma},
               {"rtx4090", {ampere, ampere, ampere_tf32, ada_fp8}, no_wgmma},
               {"b200", blackwell, no_wgmma},
               {"rtx5090", blackwell, no_wgmma},
               {"h100", hopper_mma, hopper_wgmma},
               {"h200", hopper_mma, hopper_wgmma}};
  const auto same = [](const TensorCoreStep& a, const TensorCoreStep& b) {
    return a.terms == b.terms && a.aligned_bits == b.aligned_bits && a.kept_bits == b.kept_bits &&
           a.rounds_to_nearest == b.rounds_to_nearest;
  };
  const auto all_same = [&](const TensorCoreSteps& a, const TensorCoreSteps& b) {
    return same(a.f16, b.f16) && same(a.bf16, b.bf16) && same(a.tf32, b.tf32) && same(a.fp8, b.fp8) &&
           same(a.fp4, b.fp4);
  };
  for (const auto& f : found) {
    CAPTURE(f.device);
    CHECK(all_same(find_device(f.device).tensor_cores.mma_sync, f.mma_sync));
    CHECK(all_same(find_device(f.device).tensor_cores.wgmma, f.wgmma));
  }
}

TEST_CASE("devices: how tensor cores add may be missing") {
  const Device d = parse_device(own().dump(), "mine.json");
  CHECK(d.tensor_cores.mma_sync.f16.terms == 0);
  CHECK(std::ranges::count(d.assumed_rules, "tensor_cores", &std::pair<std::string, std::string>::first) == 1);
}

TEST_CASE("devices: what a file says wrong of its tensor cores is refused, with an example") {
  auto j = own();
  nlohmann::json row{{"instruction", "mma.sync"}, {"inputs", {"f16"}}, {"terms", 8},
                     {"aligned_bits", 24},        {"kept_bits", 23},   {"rounding", "toward_zero"}};
  const auto said = [&](const char* name, nlohmann::json value) {
    auto wrong = row;
    wrong[name] = std::move(value);
    j["tensor_cores"] = nlohmann::json::array({wrong});
    const Error e = refused(j);
    CHECK(e.fix.starts_with("for example \"tensor_cores\": [{"));
    return std::string(e.what());
  };
  CHECK(said("instruction", "mma") ==
        "mine.json: \"tensor_cores\" has a row whose \"instruction\" is \"mma\", neither mma.sync nor wgmma");
  CHECK(said("inputs", nlohmann::json::array({"f32"}))
            .ends_with("names the input \"f32\", none of f16, bf16, tf32, fp8, fp4"));
  CHECK(said("inputs", 3).ends_with("without a list of \"inputs\""));
  CHECK(said("terms", 6).ends_with("a row of 6 terms, no power of two"));
  CHECK(said("rounding", "up").ends_with("\"rounding\" is \"up\", neither toward_zero nor nearest_even"));
  CHECK(said("kept_bits", 24).ends_with("\"kept_bits\" is 24, not a whole number from 1 to 23"));
  row.erase("aligned_bits");
  CHECK(said("terms", 8).ends_with("\"aligned_bits\" is missing, not a whole number from 1 to 28"));
  j["tensor_cores"] = 3;
  CHECK(std::string(refused(j).what()) == "mine.json: \"tensor_cores\" is 3, which is not a list");
  j["tensor_cores"] = nlohmann::json::array({row});
  j["tensor_cores"][0]["aligned_bits"] = 24;
  CHECK(parse_device(j.dump(), "mine.json").tensor_cores.mma_sync.f16.terms == 8);
}
