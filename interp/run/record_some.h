// Records single programs of a case, where recording all of them would take too long.
#pragma once

#include "interp/run/record.h"
#include "interp/trace/access_record.h"

namespace tl::run {

// What recording every program with its values would take on this machine, roughly; from addresses alone.
double recording_seconds(const trace::AccessRecord& record);
// Nothing that a program stores is read or added to by any: then one that runs by itself computes what it computes
// among the others.
bool programs_stand_alone(const trace::AccessRecord& record);

// One program of launch number `launch` with its values: by itself, or with those before it run unseen. What outputs
// held is put back first. Throws Stopped.
trace::RecordedTrace record_program(const Case& c, int launch, ProgramId program, bool runs_alone,
                                    const std::atomic<bool>* stop);

}  // namespace tl::run
