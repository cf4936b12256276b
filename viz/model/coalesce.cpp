// 32 lanes of a warp over a ruler of memory cut in sectors of 32 bytes: what they need, and what is fetched for it. In
// the layout that CUDA uses, where the kernel's plan is known, and with one lane an element.
#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <set>

#include "viz/model/field.h"
#include "viz/model/panel.h"
#include "viz/model/requests.h"
#include "viz/model/sheet.h"

namespace tl::viz {

namespace {

struct Lane {
  int number = 0;
  std::int64_t byte = 0;
  bool is_active = false;
  About about;
};

struct WarpRequest {
  std::vector<Lane> lanes;
  int bytes = 4;  // a lane
  std::int64_t request = 0, requests = 1;
  std::string description;
};

// 32 neighbouring elements.
WarpRequest simple(const debug::Session& session, const AccessStep& here, std::int64_t wanted) {
  const trace::RecordedAccess& a = *here.access;
  WarpRequest warp;
  warp.bytes = size_in_bytes(here.tensor->dtype);
  warp.requests = std::max<std::int64_t>(1, (a.lanes() + 31) / 32);
  warp.request = std::clamp<std::int64_t>(wanted, 0, warp.requests - 1);
  for (std::int64_t lane = warp.request * 32; lane < std::min(a.lanes(), warp.request * 32 + 32); ++lane)
    warp.lanes.push_back(
        {static_cast<int>(lane), a.offset(lane) * warp.bytes, a.is_active(lane), about_lane(session, here, lane)});
  warp.description = fmt::format("One lane an element: lanes {}..{} of the block", warp.request * 32,
                                 warp.lanes.empty() ? 0 : warp.lanes.back().number);
  return warp;
}

const machine::AccessPlan* plan_of(const Scene& scene, const AccessStep& here) {
  const trace::RecordedTrace& trace = scene.session.trace();
  const std::int32_t access = trace.programs[here.program].steps[here.step].access;
  return access < 0 ? nullptr : plans_of_accesses(scene.model, trace, here.program)[static_cast<std::size_t>(access)];
}

// As the kernel's warps access memory on CUDA: a lane may take several neighbours anywhere in the block.
WarpRequest as_cuda(const debug::Session& session, const AccessStep& here, const machine::AccessPlan& plan,
                    std::int64_t wanted) {
  const trace::RecordedAccess& a = *here.access;
  const std::vector<machine::Request> all = requests_of(&plan, a, size_in_bytes(here.tensor->dtype));
  WarpRequest warp;
  warp.requests = std::max<std::int64_t>(1, static_cast<std::int64_t>(all.size()));
  warp.request = std::clamp<std::int64_t>(wanted, 0, warp.requests - 1);
  if (all.empty()) {
    warp.description = "As CUDA lays it out: every lane is masked off, no request is made";
    return warp;
  }
  const machine::Request& request = all[warp.request];
  const int element = size_in_bytes(here.tensor->dtype);
  warp.bytes = request.bytes;
  for (int lane = 0; lane < 32; ++lane) {
    const bool is_active = request.active >> lane & 1;
    About about = about_of(session, here);
    const std::int64_t byte = request.address[lane];
    if (is_active) {
      about.first = byte / element;
      about.last = (byte + request.bytes - 1) / element;
    }
    warp.lanes.push_back({lane, byte, is_active, about});
  }
  // A lane of a warp stands for the block's lane whose element it takes first; related.cpp knows the others.
  for_each_run(a, [&](std::int64_t first, std::int64_t count, std::int64_t stride, std::int64_t lane) {
    for (Lane& l : warp.lanes)
      if (const std::int64_t along = l.about.first - first;
          l.is_active && l.about.lane < 0 && along >= 0 && along % stride == 0 && along / stride < count)
        l.about.lane = lane + along / stride;
  });
  warp.description = fmt::format("As CUDA lays it out ({}): warp {}, request {} of {}, {} element{} a lane",
                                 machine::name_of(plan.path), request.warp, warp.request + 1, warp.requests,
                                 request.bytes / element, request.bytes == element ? "" : "s");
  return warp;
}

struct CoalescePicture {
  Scene& scene;
  debug::Session& session = scene.session;
  const AccessStep here = *access_here(session);
  const trace::RecordedAccess& a = *here.access;
  const trace::RecordedTensor& tensor = *here.tensor;
  const machine::AccessPlan* const plan = plan_of(scene, here);
  const bool is_simple = !plan || scene.setting("simple", 0) != 0;
  const WarpRequest warp = is_simple ? simple(session, here, scene.setting("warp", 0))
                                     : as_cuda(session, here, *plan, scene.setting("warp", 0));
  const int element = size_in_bytes(tensor.dtype);
  const char* const moved = a.writes() ? "written" : "fetched";
  std::int64_t active = 0;
  std::set<std::int64_t> wanted_bytes;
  std::map<std::int64_t, std::vector<const Lane*>> sectors = find_sectors();  // number -> lanes
  const std::int64_t useful = std::ssize(wanted_bytes), needed = (useful + 31) / 32, fetched = std::ssize(sectors);
  Sheet sheet;
  // Layout: sectors side by side, in as many rows as they need.
  const float slot = std::min(32.f, sheet.inner() / 32), top = sheet.y + 14,
              memory = top + 26 + std::clamp(sheet.room() - 190, 60.f, 130.f);
  const float sector_width = std::clamp(sheet.inner() / length(std::max<std::int64_t>(1, fetched)) - 6, 24.f, 120.f);
  const std::int64_t per_row =
      std::max<std::int64_t>(1, static_cast<std::int64_t>((sheet.inner() + 6) / (sector_width + 6)));
  std::map<std::int64_t, Point> place;  // of the sectors

  CoalescePicture(Scene& s, const Canvas& canvas)
      : scene(s),
        sheet("coalesce",
              fmt::format("Line {}: {} lane{} {} sector{}, {} {} {}", here.line, active,
                          active == 1 ? " needs" : "s need", needed, needed == 1 ? "" : "s", fetched,
                          fetched == 1 ? "is" : "are", moved),
              fmt::format("{}; {} {} {} ({}), {} B a lane. Memory moves in sectors of 32 bytes, four to a line of 128.",
                          warp.description, program_text(session.launch(), session.program().id), verb(a.kind),
                          tensor.name, name_of(tensor.dtype), warp.bytes),
              canvas) {}

  std::map<std::int64_t, std::vector<const Lane*>> find_sectors() {
    std::map<std::int64_t, std::vector<const Lane*>> found;
    for (const Lane& l : warp.lanes) {
      if (!l.is_active) continue;
      ++active;
      for (std::int64_t b = l.byte; b < l.byte + warp.bytes; ++b) {
        wanted_bytes.insert(b);
        auto& lanes = found[b / 32];
        if (lanes.empty() || lanes.back() != &l) lanes.push_back(&l);
      }
    }
    return found;
  }

  std::int64_t wanted_in(std::int64_t sector) const {
    return std::distance(wanted_bytes.lower_bound(sector * 32), wanted_bytes.lower_bound(sector * 32 + 32));
  }

  void draw_sectors() {
    std::int64_t number = 0;
    const float widest = text_width(fmt::format("{}", sectors.empty() ? 0 : sectors.rbegin()->first * 32), least_text);
    const std::int64_t every = tick_every(sector_width + 6, widest + 5);
    for (const auto& [sector, lanes] : sectors) {
      const Point at{sheet.left() + length(number % per_row) * (sector_width + 6),
                     memory + length(number / per_row) * 62};
      place[sector] = at;
      ++number;
      const std::int64_t used = wanted_in(sector);
      Shape& box = sheet.rect(at.x, at.y, sector_width, 26, {Role::surface}, fmt::format("sector/{}", sector));
      box.hatch = used < 32 ? Hatch::single : Hatch::none;
      box.stroke = {Role::ink};
      box.about.launch = session.program().launch;
      box.about.tensor = a.tensor;
      box.about.first = sector * 32 / element;
      box.about.last = box.about.first + 32 / element - 1;
      box.tooltip = fmt::format("sector at byte {} of {}: {} of 32 bytes are asked for, by {}", sector * 32,
                                tensor.name, used, plural(std::ssize(lanes), "lane"));
      draw_bytes(sector, Shape(box));
      const std::string first = fmt::format("{}", sector * 32);
      if ((number - 1) % every == 0) sheet.note(at.x + sector_width / 2, at.y + 39, first, least_text, Align::centre);
    }
    const auto rows = (std::max<std::int64_t>(fetched, 1) + per_row - 1) / per_row;
    sheet.y = memory + length(rows) * 62 - 12;
  }

  // The bytes of a sector that are asked for, an element at a time.
  void draw_bytes(std::int64_t sector, const Shape& box) {
    const auto is_used = [&](int b) { return wanted_bytes.contains(sector * 32 + b); };
    for (int b = 0, end = 0; b < 32; b = end) {
      end = b + 1;
      while (end < 32 && is_used(end) == is_used(b) && end % element != 0) ++end;
      if (!is_used(b)) continue;
      Shape& s = sheet.rect(box.x + sector_width * length(b) / 32, box.y, sector_width * length(end - b) / 32, 26,
                            category(0), fmt::format("bytes/{}", sector * 32 + b));
      if (s.w >= 5) s.stroke = {Role::ink, 0, 0, 0.4f};  // else one would see nothing but lines
      s.about = box.about;
      s.about.first = s.about.last = (sector * 32 + b) / element;
      s.tooltip = box.tooltip;
    }
  }

  void draw_lanes() {
    for (std::size_t i = 0; i < warp.lanes.size(); ++i) {
      const Lane& l = warp.lanes[i];
      const float x = sheet.left() + length(i) * slot;
      Shape& s = sheet.rect(x, top, slot - 2, 24, l.is_active ? category(0) : Colour{Role::surface},
                            fmt::format("lane/{}", l.number));
      s.stroke = {Role::ink, 0, 0, 0.5f};
      if (!l.is_active) s.hatch = Hatch::single;
      const std::string text = fmt::format("{}", l.number);
      s.size = least_text;
      if (slot - 2 > text_width("00", s.size)) s.text = text;  // all lanes or none
      s.about = l.about;
      s.tooltip = l.is_active
                      ? fmt::format("lane {}: {} B from byte {} of {} on", l.number, warp.bytes, l.byte, tensor.name)
                      : fmt::format("lane {}: masked off, or not asked", l.number);
      if (!l.is_active) continue;
      const Point at = place[l.byte / 32];
      if (at.y > memory + 1) continue;  // of the first row of sectors only, else lines cover sectors
      const float to = at.x + sector_width * std::min(1.f, length(l.byte % 32) / 32 + length(warp.bytes) / 32 / 2);
      sheet.line(x + slot / 2 - 1, top + 24, to, memory, {Role::soft}, 1).about = l.about;
    }
    sheet.note(sheet.left(), sheet.y + 6, fmt::format("first byte of each sector, from the start of {}", tensor.name),
               11);
    sheet.y += 8;
  }

  void state_facts() {
    sheet.fact(fmt::format("needed {}, {} {}: {:.0f} % of the {} B that move are asked for", needed, moved, fetched,
                           fetched ? 100.0 * static_cast<double>(useful) / static_cast<double>(fetched * 32) : 100,
                           fetched * 32));
    sheet.fact(!plan       ? "one lane an element; how CUDA lays this access out is not known of a recording alone"
               : is_simple ? "turned to one lane an element; CUDA may give a lane several neighbours"
                           : "the lanes are those of the kernel as it runs on a GPU; the switch shows one lane an "
                             "element");
    sheet.control({"warp", "which request", Control::Kind::slider, 0, warp.requests - 1, warp.request});
    if (plan) sheet.control({"simple", "one lane an element", Control::Kind::toggle, 0, 1, is_simple});
    sheet.legend({"bytes asked for", category(0)});
    sheet.legend({a.writes() ? "moved and not used" : "fetched and not used", {Role::surface}, Hatch::single});
    if (active < std::ssize(warp.lanes)) sheet.legend({"lane masked off", {Role::surface}, Hatch::single});
  }

  Table table() const {
    Table table{"sectors", {"first byte", "bytes asked for", "lanes"}, {}};
    for (const auto& [sector, lanes] : sectors) {
      std::string list;
      for (const Lane* lane : lanes) list += fmt::format("{}{}", list.empty() ? "" : " ", lane->number);
      table.rows.push_back({fmt::format("{}", sector * 32), fmt::format("{}", wanted_in(sector)), list});
    }
    return table;
  }
};

}  // namespace

Drawing draw_coalesce(Scene& scene, const Canvas& canvas) {
  CoalescePicture picture(scene, canvas);
  picture.draw_sectors();
  picture.draw_lanes();
  picture.state_facts();
  picture.sheet.table(picture.table());
  return picture.sheet.finish();
}

}  // namespace tl::viz
