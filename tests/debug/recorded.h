// A kernel's run on the interpreter, recorded for the debugger, and a place in it.
#pragma once

#include <doctest/doctest.h>

#include <string>

#include "interp/cpu/run.h"
#include "interp/debug/debugger.h"
#include "interp/trace/recorder.h"

inline tl::trace::RecordedTrace recorded(const tl::Launch& launch) {
  tl::trace::Recorder recorder;
  tl::cpu::RunOptions options;
  options.order = tl::cpu::Order::sequential;
  options.observer = &recorder;
  tl::cpu::run(launch, options);
  return recorder.take();
}

// Goes on to the line that holds `part`.
inline void stop_at(tl::debug::Debugger& d, const std::string& part) {
  const auto* const m = d.session().sources().model(0);
  REQUIRE(m);
  for (int line = 1; line <= m->lines(); ++line)
    if (m->line(line).find(part) != std::string_view::npos) {
      d.execute("tbreak " + std::to_string(line));
      REQUIRE(d.execute("c").find("Temporary breakpoint") != std::string::npos);
      return;
    }
  FAIL("no line holds " << part);
}
