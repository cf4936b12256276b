#include "viz/model/related.h"

#include "viz/model/product.h"

namespace tl::viz {

namespace {

constexpr std::size_t most = 96;

void add_touches(Scene& scene, const About& cells, std::vector<About>& result) {
  debug::Session& session = scene.session;
  const int launch = session.program().launch;
  for (const Findings::Access& at : scene.found().of_tensor(launch, cells.tensor).accesses) {
    if (at.access->last < cells.first || at.access->first > cells.last) continue;
    const trace::RecordedProgram& p = session.trace().programs[at.moment.program];
    bool is_hit = false;
    for_each_run(*at.access, [&](std::int64_t first, std::int64_t count, std::int64_t stride, std::int64_t lane) {
      if (result.size() >= most || is_hit || first > cells.last || first + (count - 1) * stride < cells.first) return;
      const std::int64_t index = std::max<std::int64_t>(0, (cells.first - first + stride - 1) / stride);
      if (first + index * stride > cells.last) return;
      is_hit = true;
      About about;
      about.launch = launch;
      about.program = linear_id(session.launch(), p.id);
      about.step = at.moment.step;
      about.line = p.steps[at.moment.step].site.line;
      about.tensor = cells.tensor;
      about.first = cells.first;
      about.last = cells.last;
      if (cells.first == cells.last) about.lane = lane + index;
      result.push_back(about);
      About program;  // the grid's cells and the text's lines know no step
      program.launch = launch;
      program.program = about.program;
      if (about.lane >= 0) {
        program.lane = about.lane;
        program.line = about.line;
      }
      result.push_back(program);
    });
    if (result.size() >= most) return;
  }
}

// A lane of a warp that takes several elements: the block's lanes that these are.
void add_lanes(const AccessStep& access, const About& cells, std::vector<About>& result) {
  for_each_run(*access.access, [&](std::int64_t first, std::int64_t count, std::int64_t stride, std::int64_t lane) {
    for (std::int64_t i = std::max<std::int64_t>(0, (cells.first - first + stride - 1) / stride);
         i < count && first + i * stride <= cells.last && result.size() < most; ++i) {
      About about;
      about.launch = cells.launch;
      about.program = cells.program;
      about.lane = lane + i;
      result.push_back(about);
    }
  });
}

void add_cells(const AccessStep& access, int launch, std::vector<About>& result) {
  for_each_run(*access.access, [&](std::int64_t first, std::int64_t count, std::int64_t stride, std::int64_t) {
    if (result.size() >= most) return;
    About about;
    about.launch = launch;
    about.tensor = access.access->tensor;
    about.first = first;
    about.last = first + (count - 1) * stride;
    about.stride = stride;
    if (!result.empty() && result.back().tensor == about.tensor && result.back().stride == 1 && stride == 1 &&
        result.back().last + 1 == first)
      result.back().last = about.last;
    else result.push_back(about);
  });
}

}  // namespace

std::vector<About> related_to(Scene& scene, const About& about) {
  std::vector<About> result;
  debug::Session& session = scene.session;
  const int launch = session.program().launch;
  if (about.is_nothing() || (about.launch >= 0 && about.launch != launch)) return result;
  const std::size_t tensors = session.launch().tensors.size();
  if (about.has_cells()) {
    if (about.tensor >= static_cast<int>(tensors)) return result;
    if (about.first == about.last)
      for (const Product& product : products_of(session, session.now().program))
        if (about.tensor == product.c.tensor)
          for (About strip : factors_of(product, about.first)) {
            strip.launch = launch;
            result.push_back(strip);
          }
    if (about.program < 0) add_touches(scene, about, result);
    if (about.lane >= 0 && about.first < about.last &&
        about.program == linear_id(session.launch(), session.program().id))
      for (const AccessStep& access : accesses_of(session.trace(), session.now().program))
        if (access.step == about.step) add_lanes(access, about, result);
    return result;
  }
  const std::int64_t here = linear_id(session.launch(), session.program().id);
  if (about.lane >= 0 && (about.program < 0 || about.program == here)) {
    if (const auto access = access_here(session); access && about.lane < access->access->lanes())
      result.push_back(about_lane(session, *access, about.lane));
    return result;
  }
  std::size_t program = session.now().program;
  if (about.program >= 0 && about.program != here) {
    const trace::RecordedLaunch& l = session.launch();
    const auto found = session.find_program(
        {about.program % l.grid[0], about.program / l.grid[0] % l.grid[1], about.program / (l.grid[0] * l.grid[1])},
        launch);
    if (!found) return result;
    program = *found;
  }
  if (about.program >= 0 || about.line >= 0)
    for (const AccessStep& access : accesses_of(session.trace(), program))
      if ((about.line < 0 || access.line == about.line) && (about.step < 0 || access.step == about.step))
        add_cells(access, launch, result);
  return result;
}

}  // namespace tl::viz
