#include "interp/machine/device_checks.h"

#include <algorithm>
#include <bit>
#include <cmath>
#include <cstdint>
#include <nlohmann/json.hpp>

#include "interp/lang/error.h"

namespace tl::machine {

std::string plain(double v) {
  return nlohmann::json(v == std::floor(v) && std::abs(v) < 1e15 ? nlohmann::json(static_cast<std::int64_t>(v))
                                                                 : nlohmann::json(v))
      .dump();
}

void check_together(const Device& d, const std::string& where) {
  const auto refuse_if = [&](bool is_wrong, const std::string& name, double value, const std::string& why,
                             const std::string& fix) {
    if (is_wrong) throw Error(where + ": \"" + name + "\" is " + plain(value) + ", " + why, fix);
  };
  const auto number = [](auto n) { return static_cast<double>(n); };
  const auto more_than = [&](const std::string& name, std::int64_t part, const std::string& of, std::int64_t whole,
                             const std::string& fix) {
    refuse_if(part > whole, name, number(part), "more than " + of + std::to_string(whole), fix);
  };
  const auto rises = [&](const std::string& from_name, double from, const std::string& full_name, double full) {
    refuse_if(full <= from, full_name, full, "not above \"" + from_name + "\", " + plain(from),
              "the share rises between the two: \"" + from_name + "\" < \"" + full_name + "\"");
  };
  const auto is_power = [](std::int64_t n) { return std::has_single_bit(static_cast<std::uint64_t>(n)); };
  const auto power_of_two = [&](const std::string& name, std::int64_t unit, const char* usual) {
    refuse_if(!is_power(unit), name, number(unit), "no power of two", "for example \"" + name + "\": " + usual);
  };

  more_than("shared_bytes_per_cta", d.shared_bytes_per_cta, "the SM's ", d.shared_bytes_per_sm,
            "a CTA's shared memory is a part of its SM's: \"shared_bytes_per_cta\" <= \"shared_bytes_per_sm\"");
  refuse_if(d.threads_per_sm % 32 != 0, "threads_per_sm", number(d.threads_per_sm), "no multiple of a warp's 32",
            "for example \"threads_per_sm\": 2048");
  more_than("threads_per_cta", d.threads_per_cta, "the SM's ", d.threads_per_sm,
            "a CTA runs on one SM: \"threads_per_cta\" <= \"threads_per_sm\"");
  more_than("l2_bytes", d.l2_bytes, "all memory, ", d.dram_bytes,
            "L2 keeps a part of memory: \"l2_bytes\" <= \"dram_bytes\"");
  const double dram_reached = d.dram_gb_per_s * d.dram_reachable;
  refuse_if(d.l2_gb_per_s < dram_reached, "l2_gb_per_s", d.l2_gb_per_s,
            "less than the " + plain(dram_reached) + " that DRAM reaches",
            "what DRAM gives passes L2: \"l2_gb_per_s\" is the larger");
  more_than("l2_dirty_bytes", d.l2_dirty_bytes, "all of L2, ", d.l2_bytes,
            "what waits to be written lies in L2: \"l2_dirty_bytes\" <= \"l2_bytes\"; 0 for as much as fits");
  power_of_two("register_unit", d.register_unit, "256");
  power_of_two("shared_unit_bytes", d.shared_unit_bytes, "128");
  refuse_if(!is_power(d.line_bytes) || !is_power(d.sector_bytes) || d.line_bytes < d.sector_bytes, "line_bytes",
            number(d.line_bytes),
            "and \"sector_bytes\" " + std::to_string(d.sector_bytes) +
                ": both are powers of two, and a line holds whole sectors",
            "for example \"line_bytes\": 128, \"sector_bytes\": 32");
  refuse_if(d.fetch_bytes % d.sector_bytes != 0, "fetch_bytes", number(d.fetch_bytes),
            "no multiple of a sector's " + std::to_string(d.sector_bytes), "for example \"fetch_bytes\": 64");
  refuse_if(d.l2_remote_latency_ns != 0 && d.l2_remote_latency_ns < d.l2_latency_ns, "l2_remote_latency_ns",
            d.l2_remote_latency_ns, "less than the near partition's " + plain(d.l2_latency_ns),
            "the way to the far partition is the longer: \"l2_latency_ns\" <= \"l2_remote_latency_ns\"");
  rises("tma_busy_from", d.tma_busy_from, "tma_busy_full", d.tma_busy_full);
  rises("pace_load_from", d.pace_load_from, "pace_load_full", d.pace_load_full);
  refuse_if(d.dram_latency_ns < d.l2_latency_ns, "dram_latency_ns", d.dram_latency_ns,
            "less than L2's " + plain(d.l2_latency_ns),
            "what DRAM gives passes L2: \"l2_latency_ns\" <= \"dram_latency_ns\"");
}

void check_groups(const Device& d, const std::string& where) {
  if (d.group_pace_ppm.empty()) return;
  if (d.sm_group.empty())
    throw Error(where + ": \"group_pace_ppm\" names groups of SMs, and there is no \"sm_group\"",
                "add \"sm_group\", the group of each SM, or leave \"group_pace_ppm\" out");
  const auto groups = static_cast<std::size_t>(1 + *std::max_element(d.sm_group.begin(), d.sm_group.end()));
  if (d.group_pace_ppm.size() != groups)
    throw Error(where + ": \"group_pace_ppm\" holds " + std::to_string(d.group_pace_ppm.size()) + " numbers for the " +
                    std::to_string(groups) + " groups of \"sm_group\"",
                "give one number a group, or leave the field out");
}

}  // namespace tl::machine
