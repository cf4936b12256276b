// A place in a recording's texts as one types it: 12, offsets.h:20, twice, helpers.py:twice.
#pragma once

#include <string>

#include "interp/debug/program_view.h"

namespace tl::debug {

struct TextPlace {
  int file = -1, line = 0;
};

// `file`: the one that is meant where none is named. A function stands for its first statement. Throws Error.
TextPlace place_called(const std::string& words, int file, const trace::RecordedTrace& trace, const Sources& sources);

}  // namespace tl::debug
