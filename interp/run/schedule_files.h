// The schedule's picture and trace as files: --svg and --chrome of `tilescope schedule`.
#pragma once

#include "interp/run/schedule_case.h"

namespace tl::run {

struct ScheduleFiles {
  std::string svg, chrome;
  bool any() const { return !svg.empty() || !chrome.empty(); }
};
inline constexpr std::int64_t steps_in_files = 100000;  // ScheduleRequest::step_limit for them

// Writes one file per launch: picture.svg, picture-2.svg, ...; for the cases after the first, the setting that
// `changed` is part of the name: picture-group_size=1.svg. Returns a sentence for each file. Throws Error where a file
// cannot be written.
std::vector<std::string> write_schedule_files(const std::vector<ScheduledCase>& cases,
                                              const std::vector<std::string>& changed, const ScheduleFiles& files);

}  // namespace tl::run
