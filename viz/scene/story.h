// The picture that tells a run's story, and the moment at which it shows most: by what the programs did.
#pragma once

#include <memory>
#include <string>

#include "interp/debug/session.h"
#include "viz/model/findings.h"

namespace tl::viz {

struct Story {
  std::string panel;
  debug::Moment moment;
};
Story story_of(debug::Session& session, std::shared_ptr<Findings> findings);  // the session stays where it is

}  // namespace tl::viz
