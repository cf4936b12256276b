#include "viz/model/moment.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cstdlib>

namespace tl::viz {

using trace::RecordedAccess;
using trace::RecordedLaunch;
using trace::RecordedProgram;

std::int64_t linear_id(const RecordedLaunch& launch, ProgramId id) {
  return id.x + launch.grid[0] * (id.y + launch.grid[1] * id.z);
}
std::int64_t programs_of(const RecordedLaunch& launch) { return launch.grid[0] * launch.grid[1] * launch.grid[2]; }

std::string program_text(const RecordedLaunch& launch, ProgramId id) {
  if (launch.grid[2] > 1) return fmt::format("program ({}, {}, {})", id.x, id.y, id.z);
  return launch.grid[1] > 1 ? fmt::format("program ({}, {})", id.x, id.y) : fmt::format("program {}", id.x);
}

namespace {

AccessStep access_step(const trace::RecordedTrace& trace, std::size_t program, std::uint32_t s) {
  const RecordedProgram& p = trace.programs[program];
  const trace::Step& step = p.steps[s];
  const RecordedAccess& a = p.accesses[step.access];
  const auto& tensors = trace.launches[p.launch].tensors;
  return {program, s, &a, a.tensor < 0 ? nullptr : &tensors[a.tensor], step.site.line, step.site.column};
}

}  // namespace

std::vector<AccessStep> accesses_of(const trace::RecordedTrace& trace, std::size_t program) {
  std::vector<AccessStep> result;
  const RecordedProgram& p = trace.programs[program];
  for (std::uint32_t s = 0; s < p.steps.size(); ++s)
    if (p.steps[s].access >= 0 && p.accesses[p.steps[s].access].tensor >= 0)
      result.push_back(access_step(trace, program, s));
  return result;
}

std::optional<AccessStep> access_here(debug::Session& session) {
  std::optional<AccessStep> result;
  for (const AccessStep& a : accesses_of(session.trace(), session.now().program)) {
    if (result && a.step >= session.now().step) break;
    result = a;
    if (a.step >= session.now().step) break;
  }
  return result;
}

std::optional<AccessStep> same_access(const trace::RecordedTrace& trace, const AccessStep& here, std::size_t program) {
  const auto is_same = [&](const RecordedProgram& p, std::uint32_t s) {
    const trace::Step& step = p.steps[s];
    return step.access >= 0 && step.site.line == here.line && step.site.column == here.column &&
           p.accesses[step.access].tensor == here.access->tensor;
  };
  const RecordedProgram& mine = trace.programs[here.program];
  int number = 0;
  for (std::uint32_t s = 0; s < here.step; ++s) number += is_same(mine, s) ? 1 : 0;
  const RecordedProgram& p = trace.programs[program];
  for (std::uint32_t s = 0; s < p.steps.size(); ++s)
    if (is_same(p, s) && number-- == 0) return access_step(trace, program, s);
  return std::nullopt;
}

bool is_done(const debug::Session& session, const AccessStep& a) {
  return trace::Moment{a.program, a.step} < session.now();
}

About about_of(const debug::Session& session, const AccessStep& a) {
  const RecordedProgram& p = session.trace().programs[a.program];
  About about;
  about.launch = p.launch;
  about.program = linear_id(session.trace().launches[p.launch], p.id);
  about.step = a.step;
  about.line = a.line;
  about.tensor = a.access->tensor;
  return about;
}

About about_lane(const debug::Session& session, const AccessStep& a, std::int64_t lane) {
  About about = about_of(session, a);
  about.lane = lane;
  if (a.access->is_active(lane)) about.first = about.last = a.access->offset(lane);
  return about;
}

void for_each_run(const RecordedAccess& a,
                  const std::function<void(std::int64_t, std::int64_t, std::int64_t, std::int64_t)>& visit) {
  if (a.is_tile)  // a run a row: no lane is looked at
    return trace::for_each_active_run(
        a, [&](std::int64_t lane, std::int64_t element, std::int64_t stride, std::int64_t length) {
          if (length == 1) return visit(element, 1, 1, lane);
          if (stride > 0) return visit(element, length, stride, lane);
          for (std::int64_t i = 0; i < length; ++i) visit(element + i * stride, 1, 1, lane + i);
        });
  std::int64_t first = 0, count = 0, stride = 1, first_lane = 0, last_lane = -1;
  const std::int64_t inner = a.shape.rank > 0 ? a.shape[a.shape.rank - 1] : 1;
  const auto flush = [&] {
    if (count > 0) visit(first, count, count == 1 ? 1 : stride, first_lane);
    count = 0;
  };
  trace::for_each_active_lane(a, [&](std::int64_t lane, std::int64_t element) {
    const bool follows = count > 0 && lane == last_lane + 1 && lane % inner != 0;
    if (follows && count == 1) stride = element - first;
    if (follows && stride > 0 && element == first + count * stride) {
      ++count;
    } else {
      flush();
      first = element;
      count = 1;
      stride = 1;
      first_lane = lane;
    }
    last_lane = lane;
  });
  flush();
}

std::optional<std::int64_t> integer_argument(debug::Session& session, const std::string& name) {
  const auto lower = [](std::string s) {
    for (char& c : s) c = static_cast<char>(std::tolower(static_cast<unsigned char>(c)));
    return s;
  };
  for (const auto& [parameter, text] : session.arguments()) {
    if (lower(parameter) != name) continue;
    char* end = nullptr;
    const long long value = std::strtoll(text.c_str(), &end, 10);
    if (end != text.c_str() && *end == 0) return value;
  }
  return std::nullopt;
}

}  // namespace tl::viz
