// 32 neighbouring lanes over a ruler of memory cut in sectors of 32 bytes: what they need, and what is fetched for it.
#include <fmt/format.h>

#include <algorithm>
#include <map>

#include "viz/model/panel.h"
#include "viz/model/sheet.h"

namespace tl::viz {

Drawing draw_coalesce(Scene& scene, const Canvas& canvas) {
  debug::Session& session = scene.session;
  const AccessStep here = *access_here(session);
  const trace::RecordedAccess& a = *here.access;
  const int bytes = size_in_bytes(here.tensor->dtype);
  const std::int64_t groups = std::max<std::int64_t>(1, (a.lanes() + 31) / 32), group = std::clamp<std::int64_t>(scene.setting("warp", 0), 0, groups - 1);
  struct Lane {
    std::int64_t lane, byte;
    bool is_active;
  };
  std::vector<Lane> lanes;
  std::map<std::int64_t, std::vector<std::int64_t>> sectors;  // number -> lanes
  for (std::int64_t lane = group * 32; lane < std::min(a.lanes(), group * 32 + 32); ++lane) {
    lanes.push_back({lane, a.offset(lane) * bytes, a.is_active(lane)});
    if (lanes.back().is_active) sectors[lanes.back().byte / 32].push_back(lane);
  }
  std::int64_t active = 0;
  for (const Lane& l : lanes) active += l.is_active;
  const std::int64_t needed = (active * bytes + 31) / 32, fetched = static_cast<std::int64_t>(sectors.size());
  Sheet sheet("coalesce", fmt::format("Line {}: 32 lanes need {} sector{}, {} {} fetched", here.line, needed, needed == 1 ? "" : "s", fetched, fetched == 1 ? "is" : "are"),
              fmt::format("Lanes {}..{} of {}, each {} an element of {} B ({}). Memory moves in sectors of 32 bytes, four to a line of 128. One lane an element.", group * 32, lanes.empty() ? 0 : lanes.back().lane, program_text(session.launch(), session.program().id), verb(a.kind), bytes, name_of(here.tensor->dtype)), canvas);
  const float slot = std::min(32.f, sheet.inner() / 32), top = sheet.y + 14, drop = std::clamp(sheet.room() - 190, 60.f, 130.f), memory = top + 26 + drop;
  // Sectors side by side, with a gap where memory is skipped; as many rows as they need.
  const float sector_width = std::clamp(sheet.inner() / static_cast<float>(std::max<std::int64_t>(1, fetched)) - 6, 24.f, 120.f);
  const auto per_row = std::max<std::int64_t>(1, static_cast<std::int64_t>((sheet.inner() + 6) / (sector_width + 6)));
  std::map<std::int64_t, std::pair<float, float>> place;
  std::int64_t number = 0;
  for (const auto& [sector, who] : sectors) {
    const float x = sheet.left() + static_cast<float>(number % per_row) * (sector_width + 6), y = memory + static_cast<float>(number / per_row) * 62;
    place[sector] = {x, y};
    ++number;
    std::vector<bool> used(32);
    for (const std::int64_t lane : who)
      for (int b = 0; b < bytes; ++b) used[static_cast<std::size_t>(a.offset(lane) * bytes % 32 + b)] = true;
    const auto useful = std::count(used.begin(), used.end(), true);
    Shape& box = sheet.rect(x, y, sector_width, 26, {Role::surface}, fmt::format("sector/{}", sector));
    box.hatch = useful < 32 ? Hatch::single : Hatch::none;
    box.stroke = {Role::ink};
    box.about.tensor = a.tensor;
    box.about.first = sector * 32 / bytes, box.about.last = box.about.first + 32 / bytes - 1;
    box.tooltip = fmt::format("sector at byte {} of {}: {} of 32 bytes are asked for, by {} lane{}", sector * 32, here.tensor->name, useful, who.size(), who.size() == 1 ? "" : "s");
    for (int b = 0; b < 32;) {
      int end = b + 1;
      while (end < 32 && used[static_cast<std::size_t>(end)] == used[static_cast<std::size_t>(b)] && end % bytes != 0) ++end;
      if (used[static_cast<std::size_t>(b)]) {
        Shape& s = sheet.rect(x + sector_width * static_cast<float>(b) / 32, y, sector_width * static_cast<float>(end - b) / 32, 26, category(0), fmt::format("bytes/{}", sector * 32 + b));
        s.stroke = {Role::ink, 0, 0, 0.4f};
        s.about = box.about;
        s.about.first = s.about.last = (sector * 32 + b) / bytes;
        s.tooltip = box.tooltip;
      }
      b = end;
    }
    if (text_width(fmt::format("{}", sector * 32), 10) < sector_width + 4) sheet.text(x + sector_width / 2, y + 39, fmt::format("{}", sector * 32), 10, Align::centre, {Role::soft});
  }
  for (const Lane& l : lanes) {
    const float x = sheet.left() + static_cast<float>(l.lane - group * 32) * slot;
    Shape& s = sheet.rect(x, top, slot - 2, 24, l.is_active ? category(0) : Colour{Role::surface}, fmt::format("lane/{}", l.lane));
    s.stroke = {Role::ink, 0, 0, 0.5f};
    if (!l.is_active) s.hatch = Hatch::single;
    const std::string text = fmt::format("{}", l.lane);
    s.size = text_width(text, 11) < slot - 4 ? 11 : 8;
    if (text_width(text, s.size) < slot - 2) s.text = text;
    s.about = about_lane(session, here, l.lane);
    s.tooltip = l.is_active ? fmt::format("lane {}: byte {} of {}", l.lane, l.byte, here.tensor->name) : fmt::format("lane {}: masked off", l.lane);
    if (!l.is_active) continue;
    const auto [sx, sy] = place[l.byte / 32];
    if (sy > memory + 1) continue;  // of the first row of sectors only, else lines cover sectors
    const float to = sx + sector_width * (static_cast<float>(l.byte % 32) + static_cast<float>(bytes) / 2) / 32;
    sheet.line(x + slot / 2 - 1, top + 24, to, memory, {Role::soft}, 1).about = s.about;
  }
  const auto rows = (std::max<std::int64_t>(fetched, 1) + per_row - 1) / per_row;
  sheet.y = memory + static_cast<float>(rows) * 62 - 12;
  sheet.text(sheet.left(), sheet.y + 6, fmt::format("first byte of each sector, from the start of {}", here.tensor->name), 11, Align::left, {Role::soft});
  sheet.y += 8;
  sheet.drawing.facts.push_back(fmt::format("needed {}, fetched {}: {:.0f} % of the {} B that move are asked for", needed, fetched, fetched ? 100.0 * static_cast<double>(active * bytes) / static_cast<double>(fetched * 32) : 100, fetched * 32));
  sheet.drawing.facts.push_back("one lane an element: a GPU may give a lane several neighbouring elements, which `tilescope coalesce` counts as CUDA does");
  sheet.drawing.controls.push_back({"warp", "which 32 lanes", Control::Kind::slider, 0, groups - 1, group});
  sheet.legend({"bytes asked for", category(0)});
  sheet.legend({"fetched for nobody", {Role::surface}, Hatch::single});
  if (active < static_cast<std::int64_t>(lanes.size())) sheet.legend({"lane masked off", {Role::surface}, Hatch::single});
  Table table{"sectors", {"first byte", "bytes asked for", "lanes"}, {}};
  for (const auto& [sector, who] : sectors) {
    std::string list;
    for (const std::int64_t lane : who) list += fmt::format("{}{}", list.empty() ? "" : " ", lane);
    table.rows.push_back({fmt::format("{}", sector * 32), fmt::format("{}", static_cast<std::int64_t>(who.size()) * bytes), list});
  }
  sheet.drawing.tables.push_back(std::move(table));
  return sheet.finish();
}

}  // namespace tl::viz
