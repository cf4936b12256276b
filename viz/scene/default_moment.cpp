#include "viz/scene/default_moment.h"

#include <fmt/format.h>

#include <algorithm>

#include "interp/lang/pid_condition.h"

namespace tl::viz {

std::string condition_of(const std::string& program) {
  return program.empty() || program.find_first_of("<>=") != std::string::npos ? program : "=" + program;
}

Error no_such_program(const trace::RecordedLaunch& launch, const std::string& program) {
  const auto& grid = launch.grid;
  return Error(fmt::format("no recorded program fits --program {}", program),
               fmt::format("the grid is {} x {} x {}; write an id, as 1, or one an axis, as '=1,=0'", grid[0], grid[1],
                           grid[2]));
}

namespace {

std::size_t program_of(debug::Session& session, const std::string& condition) {
  const PidCondition wanted = PidCondition::parse(condition_of(condition));
  for (std::size_t p = 0; p < session.trace().programs.size(); ++p)
    if (wanted.matches(session.trace().programs[p].id)) return p;
  throw no_such_program(session.launch(), condition);
}

// The program with the most even number of active and masked lanes, which shows best what a mask does.
std::size_t program_at_an_edge(const debug::Session& session) {
  std::size_t best = 0;
  std::int64_t most = 0;
  const auto& programs = session.trace().programs;
  for (std::size_t p = 0; p < programs.size(); ++p)
    for (const trace::RecordedAccess& a : programs[p].accesses)
      if (const std::int64_t even = std::min(a.active, a.lanes() - a.active); a.shape.rank == 2 && even > most) {
        best = p;
        most = even;
      }
  return best;
}

// The first program that multiplies: a case's first launch may not.
std::size_t program_with_a_dot(const debug::Session& session) {
  const auto& programs = session.trace().programs;
  const auto multiplies = [](const trace::RecordedProgram& p) {
    return std::ranges::any_of(p.steps, [](const trace::Step& s) { return s.op == trace::Op::dot; });
  };
  const auto it = std::ranges::find_if(programs, multiplies);
  return it == programs.end() ? 0 : static_cast<std::size_t>(it - programs.begin());
}

// The first of those that do most: of a causal attention one that sees many keys.
std::size_t longest_program(const debug::Session& session) {
  const auto& programs = session.trace().programs;
  const auto steps = [](const trace::RecordedProgram& p) { return p.steps.size(); };
  return static_cast<std::size_t>(std::ranges::max_element(programs, {}, steps) - programs.begin());
}

}  // namespace

debug::Moment default_moment(debug::Session& session, const std::string& panel, const std::string& program) {
  const auto& programs = session.trace().programs;
  const bool of_one_program = panel == "block" || panel == "softmax" || panel == "coalesce";
  std::size_t last = programs.size() - 1;
  while (last > 0 && programs[last].steps.empty()) --last;  // the budget ran out before them
  const std::size_t p = !program.empty()       ? program_of(session, program)
                        : panel == "mask"      ? program_at_an_edge(session)
                        : panel == "matmul"    ? program_with_a_dot(session)
                        : panel == "attention" ? longest_program(session)
                        : of_one_program       ? 0
                                               : last;
  const std::vector<trace::Step>& steps = programs[p].steps;
  std::size_t step = steps.size();
  if (panel ==
      "matmul") {  // behind a dot in its second half: half done, and in the kernel's own text, not in a helper's
    step = steps.size() * 6 / 10;
    const auto dot = std::find_if(steps.begin() + static_cast<std::ptrdiff_t>(step), steps.end(),
                                  [](const trace::Step& s) { return s.op == trace::Op::dot; });
    if (dot != steps.end()) step = static_cast<std::size_t>(dot - steps.begin()) + 1;
  }
  return {p, static_cast<std::uint32_t>(step)};
}

}  // namespace tl::viz
