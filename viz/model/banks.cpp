// Shared memory's 32 banks: 32 lanes read a column (or a row) of a 32 x 32 tile of 4-byte words; padding or XOR spreads them.
//   word of (row, column) = row * (32 + padding) + (XOR ? column ^ row : column);  bank = word % 32;  passes = most words wanted of one bank
#include <fmt/format.h>

#include <algorithm>
#include <array>

#include "viz/model/panel.h"
#include "viz/model/sheet.h"

namespace tl::viz {

Drawing draw_banks(Scene& scene, const Canvas& canvas) {
  const std::int64_t padding = std::clamp<std::int64_t>(scene.setting("padding", 0), 0, 8);
  const bool use_xor = scene.setting("xor", 0) != 0, by_row = scene.setting("by_row", 0) != 0;
  const std::int64_t index = std::clamp<std::int64_t>(scene.setting("index", 3), 0, 31);
  const auto word_of = [&](std::int64_t row, std::int64_t column) { return row * (32 + padding) + (use_xor ? column ^ row : column); };
  std::array<std::vector<std::int64_t>, 32> lanes;  // of each bank
  for (std::int64_t lane = 0; lane < 32; ++lane) lanes[static_cast<std::size_t>((by_row ? word_of(index, lane) : word_of(lane, index)) % 32)].push_back(lane);
  std::size_t passes = 0;
  for (const auto& l : lanes) passes = std::max(passes, l.size());

  const std::string how = padding ? fmt::format("Rows padded by {} word{}", padding, padding == 1 ? "" : "s") : use_xor ? "Columns XORed with the row" : "Rows as they are";
  Sheet sheet("banks", fmt::format("32 lanes read {} {} of a 32 x 32 tile: {} pass{}", by_row ? "row" : "column", index, passes, passes == 1 ? "" : "es"),
              fmt::format("A column is a bank of shared memory, 4 bytes wide; each bank serves one word a pass. The height is the number of passes. {}.", how), canvas);
  const float label = 64, slot = (sheet.inner() - label) / 32, left = sheet.left() + label;
  // The tile: 32 rows of words, each coloured where the lanes read.
  const float chart = std::max(120.f, sheet.room() - 40) / 2;
  const float row_height = std::clamp(chart / 32, 4.f, 9.f), top = sheet.y + 20;
  for (std::int64_t bank = 0; bank < 32; ++bank) sheet.text(left + (static_cast<float>(bank) + 0.5f) * slot, top - 5, fmt::format("{}", bank), slot > 16 ? 10 : 8, Align::centre, {Role::soft});
  sheet.text(left - 8, top - 5, "bank", 10, Align::right, {Role::soft});
  const std::int64_t words = 32 * (32 + padding);
  const auto lane_of = [&](std::int64_t row, std::int64_t column) { return by_row ? (row == index ? column : -1) : (column == index ? row : -1); };
  std::vector<std::int64_t> reader(static_cast<std::size_t>(words), -2);  // -2: padding
  for (std::int64_t r = 0; r < 32; ++r)
    for (std::int64_t c = 0; c < 32; ++c) reader[static_cast<std::size_t>(word_of(r, c))] = lane_of(r, c);
  for (std::int64_t w = 0; w < words; ++w) {
    const std::int64_t who = reader[static_cast<std::size_t>(w)];
    Shape& s = sheet.rect(left + static_cast<float>(w % 32) * slot, top + static_cast<float>(w / 32) * row_height, slot, row_height, who >= 0 ? category(1) : Colour{who == -2 ? Role::paper : Role::surface}, fmt::format("word/{}", w));
    s.stroke = {Role::faint, 0, 0, 0.7f};
    if (who == -2) s.hatch = Hatch::dots;
    if (who >= 0) s.about.lane = who;
    s.tooltip = fmt::format("word {} (byte {}), bank {}: {}", w, w * 4, w % 32, who == -2 ? "padding, never used" : who < 0 ? "not read" : fmt::format("lane {}", who));
  }
  const float tile_bottom = top + static_cast<float>((words + 31) / 32) * row_height;
  sheet.text(left - 8, top + 10, "word 0", 10, Align::right, {Role::soft});
  sheet.text(left - 8, tile_bottom - 1, fmt::format("word {}", words - words % 32 - (words % 32 ? 0 : 32)), 10, Align::right, {Role::soft});
  // The queue in front of each bank.
  const float base = tile_bottom + 30 + std::max(72.f, std::min(chart, 32 * 7.f)), unit = std::min(22.f, (base - tile_bottom - 30) / static_cast<float>(passes));
  for (std::size_t bank = 0; bank < 32; ++bank)
    for (std::size_t i = 0; i < lanes[bank].size(); ++i) {
      Shape& s = sheet.rect(left + static_cast<float>(bank) * slot, base - static_cast<float>(i + 1) * unit, slot - 1, unit, category(1), fmt::format("wait/{}/{}", bank, i));
      s.stroke = {Role::ink, 0, 0, 0.5f};
      s.about.lane = lanes[bank][i];
      const std::string text = fmt::format("{}", lanes[bank][i]);
      if (unit >= 12 && text_width(text, 10) < slot - 2) s.text = text, s.size = 10;
      s.tooltip = fmt::format("lane {} is served by bank {} in pass {}", lanes[bank][i], bank, i + 1);
    }
  sheet.line(left, base, left + 32 * slot, base, {Role::ink});
  sheet.text(left - 8, base - 2, "pass 1", 10, Align::right, {Role::soft});
  if (passes > 1) sheet.text(left - 8, base - static_cast<float>(passes - 1) * unit - unit / 2 + 4, fmt::format("pass {}", passes), 10, Align::right, {Role::soft});
  sheet.y = base + 8;
  sheet.drawing.facts.push_back(passes == 1 ? "every lane finds a bank of its own: one pass" : fmt::format("{} lanes want different words of the same bank and wait for each other: {} passes instead of 1", passes, passes));
  sheet.drawing.controls = {{"padding", "words of padding a row", Control::Kind::slider, 0, 8, padding}, {"xor", "XOR the column with the row", Control::Kind::toggle, 0, 1, use_xor}, {"by_row", "read a row", Control::Kind::toggle, 0, 1, by_row},
                            {"index", "which column or row", Control::Kind::slider, 0, 31, index}};
  sheet.legend({"word that a lane reads", category(1)});
  sheet.legend({"word not read", {Role::surface}});
  if (padding) sheet.legend({"padding", {Role::paper}, Hatch::dots});
  Table table{"lanes of each bank", {"bank", "passes", "lanes"}, {}};
  for (std::size_t bank = 0; bank < 32; ++bank) {
    std::string list;
    for (const std::int64_t lane : lanes[bank]) list += fmt::format("{}{}", list.empty() ? "" : " ", lane);
    table.rows.push_back({fmt::format("{}", bank), fmt::format("{}", lanes[bank].size()), list});
  }
  sheet.drawing.tables.push_back(std::move(table));
  return sheet.finish();
}

}  // namespace tl::viz
