// What a device's file may say: its fields, read one by one.
#include <algorithm>
#include <cmath>
#include <map>
#include <nlohmann/json.hpp>
#include <optional>
#include <variant>

#include "interp/lang/error.h"
#include "interp/machine/device.h"
#include "interp/machine/device_checks.h"
#include "interp/machine/device_files.h"

namespace tl::machine {

namespace {

using Member = std::variant<std::int64_t Device::*, double Device::*>;

// A number of a device's file. Unit, range and default: devices/fields.json.
struct Field {
  const char* name;
  Member member;
};
const Field number_fields[] = {
    {"sms", &Device::sms},
    {"threads_per_sm", &Device::threads_per_sm},
    {"ctas_per_sm", &Device::ctas_per_sm},
    {"threads_per_cta", &Device::threads_per_cta},
    {"registers_per_sm", &Device::registers_per_sm},
    {"registers_per_thread", &Device::registers_per_thread},
    {"register_unit", &Device::register_unit},
    {"shared_bytes_per_sm", &Device::shared_bytes_per_sm},
    {"shared_bytes_per_cta", &Device::shared_bytes_per_cta},
    {"shared_reserved_bytes", &Device::shared_reserved_bytes},
    {"shared_unit_bytes", &Device::shared_unit_bytes},
    {"shared_bytes_a_clock", &Device::shared_bytes_a_clock},
    {"sub_partitions", &Device::sub_partitions},
    {"barriers_per_sm", &Device::barriers_per_sm},
    {"l1_bytes", &Device::l1_bytes},
    {"l1_share", &Device::l1_share},
    {"l1_ways", &Device::l1_ways},
    {"sm_clock_ghz", &Device::sm_clock_ghz},
    {"loaded_clock_ghz", &Device::loaded_clock_ghz},
    {"f32_tflops", &Device::f32_tflops},
    {"alu_lanes", &Device::alu_lanes},
    {"special_lanes", &Device::special_lanes},
    {"f64_tflops", &Device::f64_tflops},
    {"f16_tensor_tflops", &Device::f16_tensor_tflops},
    {"tf32_tensor_tflops", &Device::tf32_tensor_tflops},
    {"fp8_tensor_tflops", &Device::fp8_tensor_tflops},
    {"f64_tensor_tflops", &Device::f64_tensor_tflops},
    {"l2_bytes", &Device::l2_bytes},
    {"l2_usable", &Device::l2_usable},
    {"l2_partitions", &Device::l2_partitions},
    {"l2_ways", &Device::l2_ways},
    {"line_bytes", &Device::line_bytes},
    {"sector_bytes", &Device::sector_bytes},
    {"l2_gb_per_s", &Device::l2_gb_per_s},
    {"l2_latency_ns", &Device::l2_latency_ns},
    {"l2_remote_latency_ns", &Device::l2_remote_latency_ns},
    {"dram_bytes", &Device::dram_bytes},
    {"dram_gb_per_s", &Device::dram_gb_per_s},
    {"dram_reachable", &Device::dram_reachable},
    {"dram_latency_ns", &Device::dram_latency_ns},
    {"gpc_parts", &Device::gpc_parts},
    {"sms_per_gpc", &Device::sms_per_gpc},
    {"sms_per_tpc", &Device::sms_per_tpc},
    {"merge_hit_ns", &Device::merge_hit_ns},
    {"merge_miss_ns", &Device::merge_miss_ns},
    {"merge_limit", &Device::merge_limit},
    {"merge_spread", &Device::merge_spread},
    {"tma_promoted", &Device::tma_promoted},
    {"sm_gb_per_s", &Device::sm_gb_per_s},
    {"tensor_reachable", &Device::tensor_reachable},
    {"tensor_reachable_staged", &Device::tensor_reachable_staged},
    {"roles_turn_ns", &Device::roles_turn_ns},
    {"boxes_turn_ns", &Device::boxes_turn_ns},
    {"roles_dot_share", &Device::roles_dot_share},
    {"turn_warp_ns", &Device::turn_warp_ns},
    {"request_ns", &Device::request_ns},
    {"roles_request_ns", &Device::roles_request_ns},
    {"roles_lane_ns", &Device::roles_lane_ns},
    {"request_wait_ns", &Device::request_wait_ns},
    {"fragment_waits", &Device::fragment_waits},
    {"dot_wait_ns", &Device::dot_wait_ns},
    {"enough_warps", &Device::enough_warps},
    {"reduction_wait_ns", &Device::reduction_wait_ns},
    {"quad_wait_ns", &Device::quad_wait_ns},
    {"unaligned_copy", &Device::unaligned_copy},
    {"unaligned_box", &Device::unaligned_box},
    {"age_step_flops", &Device::age_step_flops},
    {"sm_speed_spread", &Device::sm_speed_spread},
    {"dram_half_spread", &Device::dram_half_spread},
    {"dram_load_window_ns", &Device::dram_load_window_ns},
    {"dram_load_weight", &Device::dram_load_weight},
    {"power_dram_share", &Device::power_dram_share},
    {"tma_pace_share", &Device::tma_pace_share},
    {"tma_busy_pace_share", &Device::tma_busy_pace_share},
    {"tma_busy_from", &Device::tma_busy_from},
    {"tma_busy_full", &Device::tma_busy_full},
    {"tma_sm_gb_per_s", &Device::tma_sm_gb_per_s},
    {"tma_late_ns", &Device::tma_late_ns},
    {"tma_full_late_ns", &Device::tma_full_late_ns},
    {"staged_pace_share", &Device::staged_pace_share},
    {"busy_pace_share", &Device::busy_pace_share},
    {"pace_load_from", &Device::pace_load_from},
    {"pace_load_full", &Device::pace_load_full},
    {"pace_load_dram", &Device::pace_load_dram},
    {"pace_load_slower", &Device::pace_load_slower},
    {"pace_load_uncertain", &Device::pace_load_uncertain},
    {"pace_settle_ns", &Device::pace_settle_ns},
    {"cta_begin_ns", &Device::cta_begin_ns},
    {"staged_step_ns", &Device::staged_step_ns},
    {"staged_enough_warps", &Device::staged_enough_warps},
    {"staged_few_warps", &Device::staged_few_warps},
    {"fetch_bytes", &Device::fetch_bytes},
    {"pair_at_edge", &Device::pair_at_edge},
    {"pair_within_sector", &Device::pair_within_sector},
    {"pair_within_narrow", &Device::pair_within_narrow},
    {"first_read_least", &Device::first_read_least},
    {"shared_pairs_from", &Device::shared_pairs_from},
    {"far_programs_per_sm", &Device::far_programs_per_sm},
    {"cta_age_step", &Device::cta_age_step},
    {"cta_jitter", &Device::cta_jitter},
    {"register_jitter", &Device::register_jitter},
    {"lane_jitter_from", &Device::lane_jitter_from},
    {"lane_jitter_slope", &Device::lane_jitter_slope},
    {"cta_launch_ns", &Device::cta_launch_ns},
    {"cta_launch_thread_ns", &Device::cta_launch_thread_ns},
    {"cta_issue_ns", &Device::cta_issue_ns},
    {"start_spread_ns", &Device::start_spread_ns},
    {"start_spread_in_step", &Device::start_spread_in_step},
    {"launch_ns", &Device::launch_ns},
    {"graph_launch_ns", &Device::graph_launch_ns},
    {"events_ns", &Device::events_ns},
    {"atomic_ns", &Device::atomic_ns},
    {"atomic_line_ns", &Device::atomic_line_ns},
    {"atomic_side_by_side", &Device::atomic_side_by_side},
    {"atomic_line_power", &Device::atomic_line_power},
    {"atomic_float_longer", &Device::atomic_float_longer},
    {"atomic_queue_ns", &Device::atomic_queue_ns},
    {"l2_dirty_bytes", &Device::l2_dirty_bytes},
    {"flushed_dirty_bytes", &Device::flushed_dirty_bytes},
    {"rereads_from", &Device::rereads_from},
    {"interval_kept", &Device::interval_kept},
    {"interval_reread", &Device::interval_reread},
};

struct ListField {
  const char* name;
  std::vector<std::int64_t> Device::* member;
  const char* rule;  // where it is left out: dispatch.h
};
constexpr ListField list_fields[] = {
    {"sm_order", &Device::sm_order, "group after group"},
    {"sm_group", &Device::sm_group, "two SMs after two, by turns, to groups of some 16"},
    {"sm_partition", &Device::sm_partition, "group after group by turns"},
    {"group_pace_ppm", &Device::group_pace_ppm, "all alike"}};
constexpr const char* other_fields[] = {"name",   "title",   "compute_capability", "l2_policy",
                                        "source", "figures", "tensor_cores"};
// All GPUs have the same values here, so their defaults need no note.
constexpr const char* alike[] = {"line_bytes", "sector_bytes", "fetch_bytes", "loaded_clock_ghz"};

struct Rule {
  double from = 0, to = 0;
  bool or_zero = false;  // 0, below `from`: the device has none
  std::string unit;
  std::optional<double> otherwise;  // none: the field is required
  bool in_cycles = false;           // `otherwise`, of a time: other chips take as many cycles as the one measured
};

const Rule& rule_of(const Field& f) {
  static const auto rules = [] {
    std::map<std::string, Rule> all;
    const nlohmann::json file = nlohmann::json::parse(device_file("fields"));
    for (const auto& [name, j] : file.items()) {
      Rule& r = all[name];
      r.from = j.at("from");
      r.to = j.at("to");
      r.unit = j.at("unit");
      r.or_zero = j.value("or_zero", false);
      r.in_cycles = j.contains("default_cycles");
      if (r.in_cycles) r.otherwise = j.at("default_cycles").get<double>();
      else if (j.contains("default")) r.otherwise = j.at("default").get<double>();
    }
    return all;
  }();
  return rules.at(f.name);
}

bool is_whole(const Field& f) { return std::holds_alternative<std::int64_t Device::*>(f.member); }

void set(Device& d, const Field& f, double value) {
  if (is_whole(f)) d.*std::get<std::int64_t Device::*>(f.member) = static_cast<std::int64_t>(value);
  else d.*std::get<double Device::*>(f.member) = value;
}

// What the H200's own file says, or stands for it.
std::string example_of(const Field& f) {
  static const nlohmann::json h200 = nlohmann::json::parse(device_file("h200"));
  const Rule& rule = rule_of(f);
  return std::string("\"") + f.name +
         "\": " + plain(h200.contains(f.name) ? h200.at(f.name).get<double>() : rule.otherwise.value_or(0)) +
         " (an H200's, " + (rule.unit.starts_with("of ") ? "" : "in ") + rule.unit + ")";
}

// A field that is left out, after all that are given.
void assume(const Field& f, Device& d, const std::string& where) {
  const Rule& rule = rule_of(f);
  if (!rule.otherwise) throw Error(where + " has no field \"" + f.name + "\"", std::string("add ") + example_of(f));
  const double value = f.name == std::string_view("l2_remote_latency_ns") ? d.l2_latency_ns
                       : rule.in_cycles                                   ? *rule.otherwise / d.sm_clock_ghz
                                                                          : *rule.otherwise;
  set(d, f, value);
  if (std::ranges::find(alike, std::string_view(f.name)) == std::end(alike)) d.assumed.emplace_back(f.name, value);
}

void read_number(const nlohmann::json& v, const Field& f, Device& d, const std::string& where) {
  const Rule& rule = rule_of(f);
  const std::string range = std::string(rule.or_zero ? "0 or " : "") +
                            (is_whole(f) ? "a whole number from " : "a number from ") + plain(rule.from) + " to " +
                            plain(rule.to);
  const double number = v.is_number() ? v.get<double>() : NAN;
  const bool is_in_range = (number >= rule.from && number <= rule.to) || (rule.or_zero && number == 0);
  if (!is_in_range || (is_whole(f) && number != std::floor(number)))
    throw Error(where + ": \"" + f.name + "\" is " + v.dump() + ", which is not " + range,
                std::string("for example ") + example_of(f));
  set(d, f, number);
}

std::string read_text(const nlohmann::json& j, const char* name, const std::string& where, const char* example,
                      const std::string& otherwise) {
  if (!j.contains(name)) {
    if (otherwise.empty())
      throw Error(where + " has no field \"" + name + "\"", std::string("add \"") + name + "\": \"" + example + "\"");
    return otherwise;
  }
  if (!j.at(name).is_string())
    throw Error(where + ": \"" + name + "\" is " + j.at(name).dump() + ", which is not a text",
                std::string("for example \"") + name + "\": \"" + example + "\"");
  return j.at(name);
}

// One entry a group of SMs: millionths, positive or negative.
void read_paces(const nlohmann::json& v, Device& d, const std::string& where) {
  constexpr std::int64_t most = 200000;
  const std::string fix =
      "leave the field out, or give a whole number from -200000 to 200000 for each group of \"sm_group\": "
      "\"group_pace_ppm\": [7000, 4800, ...]";
  if (!v.is_array()) throw Error(where + ": \"group_pace_ppm\" is " + v.dump() + ", which is not a list", fix);
  for (const auto& e : v) {
    if (!e.is_number_integer() || std::abs(e.get<std::int64_t>()) > most)
      throw Error(where + ": \"group_pace_ppm\" names " + e.dump(), fix);
    d.group_pace_ppm.push_back(e.get<std::int64_t>());
  }
}

// One entry an SM: SM ids that are a permutation (sm_order), or small group numbers.
void read_list(const nlohmann::json& j, const ListField& f, Device& d, const std::string& where) {
  if (!j.contains(f.name)) {
    if (f.member != &Device::sm_partition || d.l2_partitions > 1) d.assumed_rules.emplace_back(f.name, f.rule);
    return;
  }
  const bool order = f.member == &Device::sm_order;
  const std::int64_t most = f.member == &Device::sm_partition ? d.l2_partitions - 1 : d.sms - 1;
  const std::string fix = "leave the field out, or give " + std::to_string(d.sms) + " numbers from 0 to " +
                          std::to_string(most) +
                          (order ? ", each SM once, in the order in which they are given programs" : "");
  const auto& v = j.at(f.name);
  if (f.member == &Device::group_pace_ppm) return read_paces(v, d, where);
  if (!v.is_array() || static_cast<std::int64_t>(v.size()) != d.sms)
    throw Error(where + ": \"" + f.name + "\" holds " + std::to_string(v.is_array() ? v.size() : 0) + " numbers for " +
                    std::to_string(d.sms) + (d.sms == 1 ? " SM" : " SMs"),
                fix);
  std::vector<bool> seen(static_cast<std::size_t>(d.sms));
  for (const auto& e : v) {
    if (!e.is_number_integer() || e.get<std::int64_t>() < 0 || e.get<std::int64_t>() > most)
      throw Error(where + ": \"" + f.name + "\" names " + e.dump(), fix);
    const auto at = e.get<std::size_t>();
    if (order && seen[at]) throw Error(where + ": \"sm_order\" names SM " + e.dump() + " twice", fix);
    seen[at] = true;
    (d.*f.member).push_back(e.get<std::int64_t>());
  }
}

void refuse_unknown_fields(const nlohmann::json& j, const std::string& where) {
  std::vector<std::string> names(std::begin(other_fields), std::end(other_fields));
  for (const Field& f : number_fields) names.push_back(f.name);
  for (const ListField& f : list_fields) names.push_back(f.name);
  for (const auto& [key, value] : j.items()) {
    if (std::find(names.begin(), names.end(), key) != names.end()) continue;
    const std::string guess = meant(key, names);
    throw Error(where + " has a field \"" + key + "\" that no device has",
                guess.empty() ? "remove it" : "did you mean \"" + guess + "\"?");
  }
}

void read_capability(const nlohmann::json& j, Device& d, const std::string& where) {
  const std::string cc = read_text(j, "compute_capability", where, "9.0", "");
  if (cc.size() < 3 || cc.find('.') == std::string::npos || cc.find_first_not_of("0123456789.") != std::string::npos ||
      cc.find('.') != cc.rfind('.') || cc.back() == '.' || std::atoi(cc.c_str()) < 5 || std::atoi(cc.c_str()) > 20)
    throw Error(where + ": \"compute_capability\" is \"" + cc + "\", which is not MAJOR.MINOR from 5.0 to 20.9",
                "for example \"compute_capability\": \"9.0\"");
  d.cc_major = std::atoi(cc.c_str());
  d.cc_minor = std::atoi(cc.c_str() + cc.find('.') + 1);
}

void read_policy(const nlohmann::json& j, Device& d, const std::string& where) {
  const std::string policy = read_text(j, "l2_policy", where, "not recently used", "not recently used");
  if (policy != "not recently used" && policy != "lru")
    throw Error(where + ": \"l2_policy\" is \"" + policy + "\", which is neither \"not recently used\" nor \"lru\"",
                "for example \"l2_policy\": \"lru\"");
  if (!j.contains("l2_policy")) d.assumed_rules.emplace_back("l2_policy", policy);
  d.l2_policy = policy == "lru" ? Policy::lru : Policy::not_recently_used;
}

}  // namespace

Device parse_device(const std::string& json, const std::string& where) {
  nlohmann::json j;
  try {
    j = nlohmann::json::parse(json, nullptr, true, true);
  } catch (const nlohmann::json::exception& e) {
    const std::string what = e.what();  // "[json.exception.parse_error.101] parse error at line 1, ..."
    throw Error(where + " is not JSON: " + what.substr(what.find("] ") + 2),
                "start from a copy of interp/machine/devices/h200.json");
  }
  if (!j.is_object())
    throw Error(where + " holds no device: a JSON object is needed",
                "start from a copy of interp/machine/devices/h200.json");
  refuse_unknown_fields(j, where);

  Device d;
  d.name = read_text(j, "name", where, "h200", "");
  d.title = read_text(j, "title", where, "NVIDIA H200 SXM", d.name);
  d.source = read_text(j, "source", where, "the data sheet", "the user's file");
  if (j.contains("figures")) d.figures = read_text(j, "figures", where, "published, not measured", "");
  read_capability(j, d, where);
  read_policy(j, d, where);
  for (const Field& f : number_fields)
    if (j.contains(f.name)) read_number(j.at(f.name), f, d, where);
  for (const Field& f : number_fields)
    if (!j.contains(f.name)) assume(f, d, where);
  for (const ListField& f : list_fields) read_list(j, f, d, where);
  if (j.contains("tensor_cores")) d.tensor_cores = read_tensor_cores(j.at("tensor_cores"), where);
  else d.assumed_rules.emplace_back("tensor_cores", "dots are plain sums in fp32");
  check_groups(d, where);
  check_together(d, where);
  if (d.l2_remote_latency_ns == 0) d.l2_remote_latency_ns = d.l2_latency_ns;
  if (d.loaded_clock_ghz == 0) d.loaded_clock_ghz = d.sm_clock_ghz;
  return d;
}

}  // namespace tl::machine
