#include "interp/machine/device.h"

#include <algorithm>
#include <bit>
#include <cctype>
#include <cmath>
#include <nlohmann/json.hpp>
#include <span>
#include <tuple>
#include <variant>

#include "interp/lang/error.h"
#include "interp/lang/input_file.h"
#include "interp/lang/text.h"
#include "interp/sources/sources.h"

namespace tl::machine {

extern const std::span<const sources::SourceFile> embedded_devices;  // of the generated file

namespace {

using Member = std::variant<std::int64_t Device::*, double Device::*>;

// A number of a device file: where it goes and what is allowed.
struct Field {
  const char* name;
  Member member;
  double least, most;
  const char* unit;
  bool required = true;
  bool may_be_zero = false;  // the device has none
};

constexpr double kib = 1024, mib = 1024 * kib, gib = 1024 * mib;

const std::vector<Field>& fields() {
  static const std::vector<Field> all = {
      {"sms", &Device::sms, 1, 1024, "SMs"},
      {"threads_per_sm", &Device::threads_per_sm, 32, 4096, "threads"},
      {"ctas_per_sm", &Device::ctas_per_sm, 1, 128, "CTAs"},
      {"threads_per_cta", &Device::threads_per_cta, 32, 4096, "threads"},
      {"registers_per_sm", &Device::registers_per_sm, 1024, 1 << 20, "registers"},
      {"registers_per_thread", &Device::registers_per_thread, 16, 1024, "registers"},
      {"register_unit", &Device::register_unit, 1, 4096, "registers"},
      {"shared_bytes_per_sm", &Device::shared_bytes_per_sm, kib, 4 * mib, "bytes"},
      {"shared_bytes_per_cta", &Device::shared_bytes_per_cta, kib, 4 * mib, "bytes"},
      {"shared_reserved_bytes", &Device::shared_reserved_bytes, 0, 64 * kib, "bytes"},
      {"shared_unit_bytes", &Device::shared_unit_bytes, 1, 4096, "bytes"},
      {"barriers_per_sm", &Device::barriers_per_sm, 0, 1024, "barriers", false},
      {"l1_bytes", &Device::l1_bytes, kib, 4 * mib, "bytes"},
      {"sm_clock_ghz", &Device::sm_clock_ghz, 0.1, 10, "GHz"},
      {"f32_tflops", &Device::f32_tflops, 0.01, 1e5, "1e12/s"},
      {"f64_tflops", &Device::f64_tflops, 0.01, 1e5, "1e12/s", false, true},
      {"f16_tensor_tflops", &Device::f16_tensor_tflops, 0.01, 1e6, "1e12/s", false, true},
      {"tf32_tensor_tflops", &Device::tf32_tensor_tflops, 0.01, 1e6, "1e12/s", false, true},
      {"fp8_tensor_tflops", &Device::fp8_tensor_tflops, 0.01, 1e6, "1e12/s", false, true},
      {"f64_tensor_tflops", &Device::f64_tensor_tflops, 0.01, 1e5, "1e12/s", false, true},
      {"l2_bytes", &Device::l2_bytes, 64 * kib, 4 * gib, "bytes"},
      {"l2_usable", &Device::l2_usable, 0.1, 1, "of l2_bytes", false},
      {"l2_partitions", &Device::l2_partitions, 1, 2, "partitions"},
      {"l2_ways", &Device::l2_ways, 1, 16, "ways"},
      {"line_bytes", &Device::line_bytes, 32, 1024, "bytes", false},
      {"sector_bytes", &Device::sector_bytes, 16, 1024, "bytes", false},
      {"l2_gb_per_s", &Device::l2_gb_per_s, 10, 1e6, "1e9 bytes/s"},
      {"l2_latency_ns", &Device::l2_latency_ns, 1, 1e4, "ns"},
      {"l2_remote_latency_ns", &Device::l2_remote_latency_ns, 0, 1e4, "ns", false},
      {"dram_bytes", &Device::dram_bytes, 64 * mib, 16384 * gib, "bytes"},
      {"dram_gb_per_s", &Device::dram_gb_per_s, 1, 1e5, "1e9 bytes/s"},
      {"dram_reachable", &Device::dram_reachable, 0.1, 1, "of the peak", false},
      {"dram_latency_ns", &Device::dram_latency_ns, 10, 1e4, "ns"},
      {"gpc_parts", &Device::gpc_parts, 1, 8, "parts", false},
      {"merge_hit_ns", &Device::merge_hit_ns, 0, 1e5, "ns", false},
      {"merge_miss_ns", &Device::merge_miss_ns, 0, 1e5, "ns", false},
      {"merge_limit", &Device::merge_limit, 1, 64, "SMs", false},
      {"tma_promoted", &Device::tma_promoted, 0, 1, "of the sectors", false},
      {"sm_gb_per_s", &Device::sm_gb_per_s, 1, 1e4, "1e9 bytes/s"},
      {"tensor_reachable", &Device::tensor_reachable, 0.05, 1, "of the peak", false},
      {"tensor_reachable_staged", &Device::tensor_reachable_staged, 0.05, 1, "of the peak", false},
      {"sm_speed_spread", &Device::sm_speed_spread, 0, 1, "of the speed", false},
      {"dram_half_spread", &Device::dram_half_spread, 0, 0.9, "of the wait", false},
      {"power_dram_share", &Device::power_dram_share, 0, 0.9, "of the clock", false},
      {"tma_pace_share", &Device::tma_pace_share, 0, 4, "of group_pace_ppm", false},
      {"tma_busy_pace_share", &Device::tma_busy_pace_share, 0, 4, "of group_pace_ppm", false},
      {"tma_busy_from", &Device::tma_busy_from, 0, 1, "of what DRAM can give", false},
      {"tma_busy_full", &Device::tma_busy_full, 0, 1, "of what DRAM can give", false},
      {"tma_sm_gb_per_s", &Device::tma_sm_gb_per_s, 0, 1e4, "1e9 bytes/s", false},
      {"tma_late_ns", &Device::tma_late_ns, 0, 1e5, "ns", false},
      {"tma_full_late_ns", &Device::tma_full_late_ns, 0, 1e5, "ns", false},
      {"staged_pace_share", &Device::staged_pace_share, 0, 4, "of group_pace_ppm", false},
      {"busy_pace_share", &Device::busy_pace_share, 0, 4, "of group_pace_ppm", false},
      {"pace_load_from", &Device::pace_load_from, 0, 10, "of what L2 can give", false},
      {"pace_load_full", &Device::pace_load_full, 0, 10, "of what L2 can give", false},
      {"pace_load_dram", &Device::pace_load_dram, 0, 10, "of what L2 can give", false},
      {"pace_load_slower", &Device::pace_load_slower, 0, 4, "of a step", false},
      {"pace_settle_ns", &Device::pace_settle_ns, 0, 1e9, "ns", false},
      {"staged_step_ns", &Device::staged_step_ns, 0, 1e5, "ns", false},
      {"fetch_bytes", &Device::fetch_bytes, 32, 128, "bytes", false},
      {"cta_age_step", &Device::cta_age_step, 0, 1, "of the speed", false},
      {"cta_jitter", &Device::cta_jitter, 0, 1, "of the speed", false},
      {"register_jitter", &Device::register_jitter, 0, 1, "of the speed", false},
      {"cta_launch_ns", &Device::cta_launch_ns, 0, 1e5, "ns", false},
      {"cta_issue_ns", &Device::cta_issue_ns, 0, 1e5, "ns", false},
      {"launch_ns", &Device::launch_ns, 0, 1e6, "ns", false},
      {"atomic_ns", &Device::atomic_ns, 0, 1e3, "ns", false},
      {"atomic_line_ns", &Device::atomic_line_ns, 0, 1e3, "ns", false},
      {"l2_dirty_bytes", &Device::l2_dirty_bytes, 0, 4 * gib, "bytes", false},
  };
  return all;
}

struct ListField {
  const char* name;
  std::vector<std::int64_t> Device::*member;
  const char* rule;  // where it is left out: dispatch.h
};
constexpr ListField list_fields[] = {
    {"sm_order", &Device::sm_order, "group after group"},
    {"sm_group", &Device::sm_group, "two SMs after two, by turns, to groups of some 16"},
    {"sm_partition", &Device::sm_partition, "group after group by turns"},
    {"group_pace_ppm", &Device::group_pace_ppm, "all alike"}};
constexpr const char* text_fields[] = {"name", "title", "compute_capability", "l2_policy", "source"};

// Measured on an H200 alone (calibration/walk.cu, launch.cu, atomics.cu), in ns at 1.98 GHz: other chips take as many
// cycles, as far as anybody knows.
constexpr struct {
  const char* name;
  double Device::*member;
  double cycles;
} h200_cycles[] = {{"staged_step_ns", &Device::staged_step_ns, 160 * 1.98},
                   {"cta_issue_ns", &Device::cta_issue_ns, 0.607 * 1.98},
                   {"launch_ns", &Device::launch_ns, 1500 * 1.98},
                   {"atomic_ns", &Device::atomic_ns, 0.0116 * 1.98},
                   {"atomic_line_ns", &Device::atomic_line_ns, 0.6 * 1.98}};

std::string plain(double v) {
  return nlohmann::json(v == std::floor(v) && std::abs(v) < 1e15 ? nlohmann::json(static_cast<std::int64_t>(v))
                                                                 : nlohmann::json(v))
      .dump();
}

double number_of(const Device& d, const Field& f) {
  return std::holds_alternative<double Device::*>(f.member)
             ? d.*std::get<double Device::*>(f.member)
             : static_cast<double>(d.*std::get<std::int64_t Device::*>(f.member));
}

// What the H200's own file says.
std::string example_of(const Field& f) {
  static const nlohmann::json h200 = [] {
    for (const auto& file : embedded_devices)
      if (file.path.ends_with("/h200.json")) return nlohmann::json::parse(file.text);
    return nlohmann::json::object();
  }();
  const std::string unit = f.unit;
  return std::string("\"") + f.name +
         "\": " + plain(h200.contains(f.name) ? h200.at(f.name).get<double>() : number_of(Device(), f)) +
         " (an H200's, " + (unit.starts_with("of ") ? "" : "in ") + unit + ")";
}

// Of a field that is not given; those that all GPUs have alike are no news.
constexpr const char* alike[] = {"line_bytes", "sector_bytes", "fetch_bytes"};

// One that begins so, or the nearest.
std::string meant(const std::string& name, const std::vector<std::string>& names) {
  const auto begins = std::ranges::find_if(names, [&](const auto& n) { return n.starts_with(name); });
  return begins != names.end() ? *begins : nearest(name, names, name.size() / 2);
}

void read_number(const nlohmann::json& j, const Field& f, Device& d, const std::string& where) {
  if (!j.contains(f.name)) {
    if (f.required) throw Error(where + " has no field \"" + f.name + "\"", std::string("add ") + example_of(f));
    if (std::ranges::find(alike, std::string_view(f.name)) == std::end(alike)) d.assumed.emplace_back(f.name, 0);
    return;
  }
  const auto& v = j.at(f.name);
  const bool whole = std::holds_alternative<std::int64_t Device::*>(f.member);
  const std::string range = std::string(f.may_be_zero ? "0 or " : "") +
                            (whole ? "a whole number from " : "a number from ") + plain(f.least) + " to " +
                            plain(f.most);
  const double number = v.is_number() ? v.get<double>() : NAN;
  const bool is_in_range = (number >= f.least && number <= f.most) || (f.may_be_zero && number == 0);
  if (!is_in_range || (whole && number != std::floor(number)))
    throw Error(where + ": \"" + f.name + "\" is " + v.dump() + ", which is not " + range,
                std::string("for example ") + example_of(f));
  if (whole) d.*std::get<std::int64_t Device::*>(f.member) = static_cast<std::int64_t>(number);
  else d.*std::get<double Device::*>(f.member) = number;
}

std::string read_text(const nlohmann::json& j, const char* name, const std::string& where, const char* example,
                      const std::string& otherwise) {
  if (!j.contains(name)) {
    if (otherwise.empty())
      throw Error(where + " has no field \"" + name + "\"", std::string("add \"") + name + "\": \"" + example + "\"");
    return otherwise;
  }
  if (!j.at(name).is_string())
    throw Error(where + ": \"" + name + "\" is " + j.at(name).dump() + ", which is no text",
                std::string("for example \"") + name + "\": \"" + example + "\"");
  return j.at(name);
}

// One entry a group of SMs: millionths, positive or negative.
void read_paces(const nlohmann::json& v, Device& d, const std::string& where) {
  constexpr std::int64_t most = 200000;
  const std::string fix =
      "leave the field out, or give a whole number from -200000 to 200000 for each group of \"sm_group\": "
      "\"group_pace_ppm\": [7000, 4800, ...]";
  if (!v.is_array()) throw Error(where + ": \"group_pace_ppm\" is " + v.dump() + ", which is no list", fix);
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
  std::vector<std::string> names(std::begin(text_fields), std::end(text_fields));
  for (const Field& f : fields()) names.push_back(f.name);
  for (const ListField& f : list_fields) names.push_back(f.name);
  for (const auto& [key, value] : j.items()) {
    if (std::find(names.begin(), names.end(), key) != names.end()) continue;
    const std::string guess = meant(key, names);
    throw Error(where + " has a field \"" + key + "\" that no device has",
                guess.empty() ? "remove it" : "did you mean \"" + guess + "\"?");
  }
}

void check_together(const Device& d, const std::string& where) {
  if (d.shared_bytes_per_cta > d.shared_bytes_per_sm)
    throw Error(where + ": \"shared_bytes_per_cta\" is " + std::to_string(d.shared_bytes_per_cta) +
                    ", more than the SM's " + std::to_string(d.shared_bytes_per_sm),
                "a CTA's shared memory is a part of its SM's: \"shared_bytes_per_cta\" <= \"shared_bytes_per_sm\"");
  if (!d.group_pace_ppm.empty() && d.sm_group.empty())
    throw Error(where + ": \"group_pace_ppm\" names groups of SMs, and there is no \"sm_group\"",
                "add \"sm_group\", the group of each SM, or leave \"group_pace_ppm\" out");
  const auto groups =
      d.sm_group.empty() ? 0 : static_cast<std::size_t>(1 + *std::max_element(d.sm_group.begin(), d.sm_group.end()));
  if (!d.group_pace_ppm.empty() && d.group_pace_ppm.size() != groups)
    throw Error(where + ": \"group_pace_ppm\" holds " + std::to_string(d.group_pace_ppm.size()) + " numbers for the " +
                    std::to_string(groups) + " groups of \"sm_group\"",
                "give one number a group, or leave the field out");
  if (d.threads_per_sm % 32 != 0)
    throw Error(where + ": \"threads_per_sm\" is " + std::to_string(d.threads_per_sm) + ", no multiple of a warp's 32",
                "for example \"threads_per_sm\": 2048");
  if (d.threads_per_cta > d.threads_per_sm)
    throw Error(where + ": \"threads_per_cta\" is " + std::to_string(d.threads_per_cta) + ", more than the SM's " +
                    std::to_string(d.threads_per_sm),
                "a CTA runs on one SM: \"threads_per_cta\" <= \"threads_per_sm\"");
  if (d.l2_bytes > d.dram_bytes)
    throw Error(where + ": \"l2_bytes\" is " + std::to_string(d.l2_bytes) + ", more than all memory, " +
                    std::to_string(d.dram_bytes),
                "L2 keeps a part of memory: \"l2_bytes\" <= \"dram_bytes\"");
  if (d.l2_gb_per_s < d.dram_gb_per_s * d.dram_reachable)
    throw Error(where + ": \"l2_gb_per_s\" is " + plain(d.l2_gb_per_s) + ", less than the " +
                    plain(d.dram_gb_per_s * d.dram_reachable) + " that DRAM reaches",
                "what DRAM gives passes L2: \"l2_gb_per_s\" is the larger");
  if (d.l2_dirty_bytes > d.l2_bytes)
    throw Error(where + ": \"l2_dirty_bytes\" is " + std::to_string(d.l2_dirty_bytes) + ", more than all of L2, " +
                    std::to_string(d.l2_bytes),
                "what waits to be written lies in L2: \"l2_dirty_bytes\" <= \"l2_bytes\"; 0 for as much as fits");
  const auto is_power = [](std::int64_t n) { return std::has_single_bit(static_cast<std::uint64_t>(n)); };
  for (const auto& [name, unit, usual] :
       {std::tuple("register_unit", d.register_unit, 256), std::tuple("shared_unit_bytes", d.shared_unit_bytes, 128)})
    if (!is_power(unit))
      throw Error(where + ": \"" + name + "\" is " + std::to_string(unit) + ", no power of two",
                  "for example \"" + std::string(name) + "\": " + std::to_string(usual));
  if (!is_power(d.line_bytes) || !is_power(d.sector_bytes) || d.line_bytes < d.sector_bytes)
    throw Error(where + ": \"line_bytes\" is " + std::to_string(d.line_bytes) + " and \"sector_bytes\" " +
                    std::to_string(d.sector_bytes) + ": both are powers of two, and a line holds whole sectors",
                "for example \"line_bytes\": 128, \"sector_bytes\": 32");
  if (d.fetch_bytes % d.sector_bytes != 0)
    throw Error(where + ": \"fetch_bytes\" is " + std::to_string(d.fetch_bytes) + ", no multiple of a sector's " +
                    std::to_string(d.sector_bytes),
                "for example \"fetch_bytes\": 64");
  if (d.l2_remote_latency_ns != 0 && d.l2_remote_latency_ns < d.l2_latency_ns)
    throw Error(where + ": \"l2_remote_latency_ns\" is " + plain(d.l2_remote_latency_ns) +
                    ", less than the near partition's " + plain(d.l2_latency_ns),
                "the way to the far partition is the longer: \"l2_latency_ns\" <= \"l2_remote_latency_ns\"");
  if (d.tma_busy_full <= d.tma_busy_from)
    throw Error(where + ": \"tma_busy_full\" is " + plain(d.tma_busy_full) + ", not above \"tma_busy_from\", " +
                    plain(d.tma_busy_from),
                "the share rises between the two: \"tma_busy_from\" < \"tma_busy_full\"");
  if (d.pace_load_full <= d.pace_load_from)
    throw Error(where + ": \"pace_load_full\" is " + plain(d.pace_load_full) + ", not above \"pace_load_from\", " +
                    plain(d.pace_load_from),
                "the share rises between the two: \"pace_load_from\" < \"pace_load_full\"");
  if (d.dram_latency_ns < d.l2_latency_ns)
    throw Error(
        where + ": \"dram_latency_ns\" is " + plain(d.dram_latency_ns) + ", less than L2's " + plain(d.l2_latency_ns),
        "what DRAM gives passes L2: \"l2_latency_ns\" <= \"dram_latency_ns\"");
}

std::string lower(std::string text) {
  std::string out;
  for (const char c : text)
    if (std::isalnum(static_cast<unsigned char>(c)))
      out += static_cast<char>(std::tolower(static_cast<unsigned char>(c)));
  return out;
}

std::string stem(const std::string& path) { return std::filesystem::path(path).stem().string(); }

}  // namespace

Device parse_device(const std::string& json, const std::string& where) {
  nlohmann::json j;
  try {
    j = nlohmann::json::parse(json, nullptr, true, true);
  } catch (const nlohmann::json::exception& e) {
    const std::string what = e.what();  // "[json.exception.parse_error.101] parse error at line 1, ..."
    throw Error(where + " is no JSON: " + what.substr(what.find("] ") + 2),
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
  const std::string cc = read_text(j, "compute_capability", where, "9.0", "");
  if (cc.size() < 3 || cc.find('.') == std::string::npos || cc.find_first_not_of("0123456789.") != std::string::npos ||
      cc.find('.') != cc.rfind('.') || cc.back() == '.' || std::atoi(cc.c_str()) < 5 || std::atoi(cc.c_str()) > 20)
    throw Error(where + ": \"compute_capability\" is \"" + cc + "\", which is not MAJOR.MINOR from 5.0 to 20.9",
                "for example \"compute_capability\": \"9.0\"");
  d.cc_major = std::atoi(cc.c_str());
  d.cc_minor = std::atoi(cc.c_str() + cc.find('.') + 1);
  const std::string policy = read_text(j, "l2_policy", where, "not recently used", "not recently used");
  if (policy != "not recently used" && policy != "lru")
    throw Error(where + ": \"l2_policy\" is \"" + policy + "\", which is neither \"not recently used\" nor \"lru\"",
                "for example \"l2_policy\": \"lru\"");
  if (!j.contains("l2_policy")) d.assumed_rules.emplace_back("l2_policy", policy);
  d.l2_policy = policy == "lru" ? Policy::lru : Policy::not_recently_used;
  for (const Field& f : fields()) read_number(j, f, d, where);
  for (const ListField& f : list_fields) read_list(j, f, d, where);
  check_together(d, where);
  if (d.l2_remote_latency_ns == 0) d.l2_remote_latency_ns = d.l2_latency_ns;
  for (const auto& [name, member, cycles] : h200_cycles)
    if (!j.contains(name)) d.*member = cycles / d.sm_clock_ghz;
  for (auto& [name, value] : d.assumed)
    for (const Field& f : fields())
      if (f.name == name) value = number_of(d, f);
  return d;
}

std::vector<std::string> device_names() {
  static const std::vector<std::string> names = [] {  // once: every command's help lists them
    std::vector<Device> all;
    for (const auto& file : embedded_devices)
      all.push_back(parse_device(std::string(file.text), std::string(file.path)));
    std::stable_sort(all.begin(), all.end(), [](const Device& a, const Device& b) {
      return std::pair(a.cc_major * 10 + a.cc_minor, a.dram_gb_per_s) <
             std::pair(b.cc_major * 10 + b.cc_minor, b.dram_gb_per_s);
    });
    std::vector<std::string> sorted;
    for (const Device& d : all) sorted.push_back(d.name);
    return sorted;
  }();
  return names;
}

std::string device_list() {
  std::string list;
  for (const auto& n : device_names()) list += (list.empty() ? "" : ", ") + n;
  return list;
}

Device find_device(const std::string& name_or_file) {
  if (name_or_file.empty()) throw Error("--gpu names no device", "for example --gpu h200, or --gpu my_gpu.json");
  for (const auto& file : embedded_devices)
    if (lower(stem(std::string(file.path))) == lower(name_or_file)) {
      Device known = parse_device(std::string(file.text), std::string(file.path));
      known.assumed.clear(), known.assumed_rules.clear();
      return known;
    }
  if (name_or_file.ends_with(".json") || std::filesystem::exists(name_or_file)) {
    const std::string fix = "name a JSON file that exists, or one of the devices: " + device_list();
    return parse_device(read_regular_file(name_or_file, most_text_bytes, fix, "the device file " + name_or_file),
                        name_or_file);
  }
  const auto names = device_names();
  const std::string list = device_list();
  const std::string guess = meant(lower(name_or_file), names);
  throw Error("there is no device \"" + name_or_file + "\"",
              (guess.empty() ? "" : "did you mean " + guess + "? ") + ("the devices: " + list + "; or a FILE.json"));
}

}  // namespace tl::machine
