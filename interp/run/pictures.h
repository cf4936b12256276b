// Files that are drawn: plots, schedules. viz draws them and joins the program as a part, as commands do
// (interp/cli/part.h), so that nothing here names it.
#pragma once

#include <optional>
#include <string>

#include "interp/debug/session.h"
#include "interp/machine/schedule/schedule.h"
#include "interp/report/plot.h"

namespace tl::run {

// Each returns a file's text.
struct Pictures {
  std::string (*plot)(const report::Plot&) = nullptr;  // SVG
  std::string (*schedule)(const machine::Schedule&, const trace::AccessRecord&, const std::string& kernel,
                          const std::string& settings) = nullptr;  // SVG
  std::string (*chrome_trace)(const machine::Schedule&, const machine::Device&, const std::string& title) = nullptr;
  // A panel of a recording: SVG. `at`: the moment; none: one at which there is something to see.
  std::string (*panel)(debug::Session&, const std::string& panel, std::optional<debug::Moment> at) = nullptr;
};

// Once, by the part that draws, as a cli::Part registers its command.
struct PicturePart {
  explicit PicturePart(const Pictures& pictures);
};

const Pictures& pictures();  // throws Error where no such part was linked in

}  // namespace tl::run
