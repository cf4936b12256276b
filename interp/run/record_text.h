// A recording written into a file, and what is told of it.
#pragma once

#include <nlohmann/json_fwd.hpp>

#include "interp/report/terminal.h"
#include "interp/run/record.h"

namespace tl::run {

// Shows progress on a terminal.
void save_recording(const trace::RecordedTrace& recorded, const std::string& file);

// What went wrong in it, Ctrl-C aside.
std::vector<const Fault*> recording_faults(const trace::RecordedTrace& recorded);

std::string recording_text(const Case& c, const trace::RecordedTrace& recorded, const std::string& file,
                           report::Paint paint);
nlohmann::ordered_json recording_json(const Case& c, const trace::RecordedTrace& recorded, const std::string& file);

}  // namespace tl::run
