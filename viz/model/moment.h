// Queries on a recorded run at a moment: accesses, their programs, their runs of elements.
#pragma once

#include <functional>
#include <optional>
#include <string>

#include "interp/debug/session.h"
#include "interp/debug/show.h"
#include "viz/model/selection.h"

namespace tl::viz {

// One load, store or atomic of a recorded program.
struct AccessStep {
  std::size_t program = 0;  // place in RecordedTrace::programs
  std::uint32_t step = 0;
  const trace::RecordedAccess* access = nullptr;
  const trace::RecordedTensor* tensor = nullptr;
  int line = 0, column = 0;
};

std::int64_t linear_id(const trace::RecordedLaunch& launch, ProgramId id);  // axis 0 fastest
std::int64_t programs_of(const trace::RecordedLaunch& launch);
// `program 3`, or `program (2, 1)` where the grid has two axes.
std::string program_text(const trace::RecordedLaunch& launch, ProgramId id);

std::vector<AccessStep> accesses_of(const trace::RecordedTrace& trace, std::size_t program);
// The access a drawing is about: the last one done in this program; before the first, the one to come.
std::optional<AccessStep> access_here(debug::Session& session);
// The same op in another program: the same place in the text, the same running number there.
std::optional<AccessStep> same_access(const trace::RecordedTrace& trace, const AccessStep& here, std::size_t program);
bool is_done(const debug::Session& session, const AccessStep& access);

About about_of(const debug::Session& session, const AccessStep& access);
About about_lane(const debug::Session& session, const AccessStep& access, std::int64_t lane);

// Active lanes as runs of elements: visit(first element, count, stride between them: 1 or more, first lane).
void for_each_run(const trace::RecordedAccess& access,
                  const std::function<void(std::int64_t, std::int64_t, std::int64_t, std::int64_t)>& visit);

// An integer argument of the kernel by its parameter's name, any case: BM, bm.
std::optional<std::int64_t> integer_argument(debug::Session& session, const std::string& name);

using debug::verb;

}  // namespace tl::viz
