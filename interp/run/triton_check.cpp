#include "interp/run/triton_check.h"

#include <algorithm>

#include "interp/cuda/host/device.h"
#include "interp/lang/error.h"
#include "interp/lang/text.h"
#include "interp/report/fault_text.h"
#include "interp/triton/refusals.h"

namespace tl::run {

bool wants_triton(const std::vector<std::string>& checks) {
  const auto names = [&](const char* name) {
    return std::ranges::any_of(checks, [&](const std::string& given) { return trimmed(given) == name; });
  };
  return checks.empty() ? cuda::available() : names("triton") || names("all");
}

void watch_for_triton(std::span<const Launch> launches, const std::vector<std::string>& checks) {
  if (!wants_triton(checks)) return;
  bool is_python = true;
  for (const Launch& launch : launches) is_python &= triton::note_refusals(launch);
  const bool is_named = std::ranges::any_of(checks, [](const std::string& name) { return trimmed(name) == "triton"; });
  if (!is_python && is_named)
    throw Error("--check triton reads Triton's own texts, and this kernel is written in C++",
                "leave it out, or give a .py file");
}

std::vector<std::string> triton_notes(std::span<const Launch> launches, report::Paint paint) {
  std::vector<std::string> notes;
  for (const Launch& launch : launches)
    for (const triton::Refusal& r : triton::refusals_of(launch)) {
      Fault fault;
      fault.site = r.site;
      fault.headline = r.fact;
      fault.fix = r.fix;
      std::string text = trimmed(report::fault_text(fault, paint));
      if (!std::ranges::count(notes, text)) notes.push_back(std::move(text));
    }
  return notes;
}

}  // namespace tl::run
