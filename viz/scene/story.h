// The picture that tells a run's story, and the moment at which it shows most: by what the programs did, and by what is
// wrong with it.
#pragma once

#include <memory>
#include <string>

#include "interp/debug/session.h"
#include "interp/run/kernel_case.h"
#include "viz/model/findings.h"
#include "viz/model/selection.h"

namespace tl::viz {

struct Story {
  std::string panel;
  debug::Moment moment;
  About chosen = {};  // the cell that it is about: the first that is wrong
};
Story story_of(debug::Session& session, std::shared_ptr<Findings> findings);  // the session stays where it is

// What a kernel opens with: the given case; where no setting is given and its programs go in an order that L2 makes
// pointless at the defaults, the problem's settings at which it pays.
run::KernelOptions case_to_open(run::KernelOptions kernel, const std::string& gpu);

}  // namespace tl::viz
