#include "viz/model/schedule_picture.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <map>

#include "interp/machine/schedule/schedule_series.h"
#include "interp/report/numbers.h"
#include "viz/model/sheet.h"

namespace tl::viz {

namespace {

using machine::ProgramRun;
using machine::Schedule;

constexpr float label_width = 74;
constexpr std::size_t most_programs = 20000;

void heading(Sheet& sheet, const std::string& words, const std::string& small) {
  sheet.y = sheet.paragraph(sheet.y + 16, words, 15, {Role::ink}, "", true);
  sheet.y = sheet.paragraph(sheet.y, small, 12, {Role::soft}, "") + 12;
}

// Time runs from the left of the chart to its right.
struct TimeScale {
  float left, width;
  double end_us;
  float at(double us) const { return left + static_cast<float>(end_us > 0 ? us / end_us : 0) * width; }
};
TimeScale time_scale(const Sheet& sheet, const Schedule& s) {
  return {sheet.left() + label_width, sheet.inner() - label_width - 24, machine::end_of(s)};
}

void time_axis(Sheet& sheet, const TimeScale& time) {
  for (int i = 0; i <= 5; ++i) {
    const double us = time.end_us * i / 5;
    const float x = time.left + time.width * static_cast<float>(i) / 5;
    sheet.line(x, sheet.y, x, sheet.y + 5, {Role::ink});
    sheet.text(x, sheet.y + 18, fmt::format("{:.4g}{}", us, i == 5 ? " us" : ""), 12, Align::centre);
  }
  sheet.y += 24;
}

// A slot of an SM, which holds one program at a time.
struct Slot {
  double first_us = INFINITY, last_us = 0;
  int row = 0;
};
using Slots = std::map<std::pair<int, int>, Slot>;  // by SM and slot

Slots slots_of(const Schedule& s) {
  Slots slots;
  for (const ProgramRun& p : s.programs) {
    Slot& slot = slots[{p.sm, p.slot}];
    slot.first_us = std::min<double>(slot.first_us, p.start_us);
    slot.last_us = std::max<double>(slot.last_us, p.end_us);
  }
  int rows = 0;
  for (auto& [key, slot] : slots) slot.row = rows++;
  return slots;
}

void draw_programs(Sheet& sheet, const Schedule& s, const Slots& slots, const TimeScale& time, float top,
                   float height) {
  for (std::size_t i = 0; i < s.programs.size(); ++i) {
    const ProgramRun& p = s.programs[i];
    const float from = time.at(p.start_us), width = std::max(0.4f, time.at(p.end_us) - from - 0.3f);
    Shape& bar = sheet.rect(from, top + static_cast<float>(slots.at({p.sm, p.slot}).row) * height, width,
                            height - (height > 4 ? 1 : 0.4f), category(p.wave));
    bar.tooltip = fmt::format("program {} on SM {}, wave {}: {:.4g} to {:.4g} us, L2 hit rate {:.1f} % (model)", i,
                              p.sm, p.wave + 1, p.start_us, p.end_us, 100 * p.reads.logical_hit_rate());
    if (const std::string number = std::to_string(i); height >= 12 && text_width(number, least_text) < width - 4) {
      bar.text = number;
      bar.size = least_text;
    }
  }
}

void label_sms(Sheet& sheet, const Slots& slots, float top, float height) {
  float label_y = -100;
  int sm = -1;
  for (const auto& [key, slot] : slots) {
    const float y = top + static_cast<float>(slot.row) * height + std::max(height, 9.f);
    if (key.first != sm && y - label_y >= 14) {
      sheet.text(sheet.left() + label_width - 6, y, fmt::format("SM {}", key.first), 12, Align::right);
      label_y = y;
    }
    sm = key.first;
  }
}

void draw_rows(Sheet& sheet, const Schedule& s) {
  const TimeScale time = time_scale(sheet, s);
  const double tail = machine::tail_begins(s);
  const Slots slots = slots_of(s);
  const auto rows = slots.size();
  float height = 16;
  for (const auto& [more_than, smaller] : {std::pair{20, 10}, {60, 6}, {140, 3}, {300, 2}})
    if (rows > static_cast<std::size_t>(more_than)) height = static_cast<float>(smaller);
  heading(sheet, "SMs over time",
          fmt::format("{} programs on {} SMs, {} at once on each: {:.3g} {}. A colour is a wave; hatched: slots that "
                      "stay empty; dashed: the tail begins.",
                      s.programs.size(), s.sms, s.resident_programs_per_sm, s.waves, s.waves == 1 ? "wave" : "waves"));
  const float top = sheet.y, bottom = top + static_cast<float>(rows) * height;
  const bool are_few = s.programs.size() <= most_programs;
  if (are_few) draw_programs(sheet, s, slots, time, top, height);
  for (const auto& [key, slot] : slots) {
    const float y = top + static_cast<float>(slot.row) * height;
    if (!are_few)
      sheet.rect(time.at(slot.first_us), y, time.at(slot.last_us) - time.at(slot.first_us), height - 0.4f, category(0));
    sheet.rect(time.at(slot.last_us), y, time.at(time.end_us) - time.at(slot.last_us), height - 0.2f, {}).hatch =
        Hatch::single;
  }
  Shape& begins = sheet.line(time.at(tail), top, time.at(tail), bottom, {Role::accent});
  begins.is_dashed = true;
  begins.tooltip = fmt::format("the tail begins: from {:.4g} us on a slot stays empty (model)", tail);
  label_sms(sheet, slots, top, height);
  sheet.y = bottom;
  time_axis(sheet, time);
}

struct Source {
  const char* name;
  Colour colour;
  double machine::Sectors::* count;
};
// In the chip's colours.
const std::array sources = {Source{"L1", category(2), &machine::Sectors::l1_hits},
                            Source{"merged with a neighbour's", category(4), &machine::Sectors::merged},
                            Source{"L2, near", category(0), &machine::Sectors::near_hits},
                            Source{"L2, far", category(5), &machine::Sectors::far_hits},
                            Source{"DRAM", category(6), &machine::Sectors::misses}};

void draw_reads(Sheet& sheet, const Schedule& s) {
  constexpr int count = 220;
  constexpr float height = 170;
  heading(sheet, "Where reads found their data",
          fmt::format("Of the sectors asked for: {} read from DRAM, logical L2 hit rate {:.1f} %. Model, not measured.",
                      bytes_text(s.dram_read_bytes), 100 * s.reads.logical_hit_rate()));
  const auto bins = machine::time_bins(s, count);
  const TimeScale time = time_scale(sheet, s);
  double most = 0;
  for (const machine::TimeBin& b : bins) most = std::max(most, b.reads.requested);
  const float top = sheet.y, width = time.width / count;
  for (std::size_t i = 0; i < bins.size() && most > 0; ++i) {
    float y = top + height;
    for (const Source& k : sources) {
      const float part = static_cast<float>(bins[i].reads.*k.count / most) * height;
      if (part <= 0) continue;
      y -= part;
      sheet.rect(time.left + static_cast<float>(i) * width, y, width + 0.1f, part, k.colour);
    }
  }
  const double gb_per_s = most * 32 / std::max(1e-9, bins[0].end_us - bins[0].start_us) * 1e-3;
  sheet.text(time.left - 6, top + 10, fmt::format("{:.1f}", gb_per_s * 1e-3), 12, Align::right);
  sheet.text(time.left - 6, top + 24, "TB/s", 12, Align::right);
  sheet.text(time.left - 6, top + height, "0", 12, Align::right);
  sheet.y = top + height;
  time_axis(sheet, time);
  for (const Source& k : sources)
    sheet.legend(
        {fmt::format("{} {:.1f} %", k.name, s.reads.requested > 0 ? 100 * (s.reads.*k.count) / s.reads.requested : 0),
         k.colour});
  sheet.y += 4;
  sheet.lay_legend();
}

void draw_order_grid(Sheet& sheet, const Schedule& s, const trace::AccessRecord& record) {
  const machine::OrderGrid g = machine::order_grid(s, record);
  heading(sheet, "The order of programs",
          g.of_output
              ? "Each cell is a block of the output; its number is the program that computes it, its colour the "
                "wave it runs in."
              : "Each cell is a program of the grid, axis 0 to the right; its colour is the wave it runs in.");
  const auto cols = static_cast<std::size_t>(g.cols);
  const float left = sheet.left() + label_width,
              cell = std::clamp(std::min((sheet.inner() - label_width) / static_cast<float>(std::max(g.cols, 1)),
                                         520.f / static_cast<float>(std::max(g.rows, 1))),
                                1.5f, 30.f),
              gap = cell > 4 ? 0.8f : 0;
  for (std::size_t i = 0; i < g.program.size(); ++i) {
    const std::int64_t program = g.program[i];
    if (program < 0) continue;
    const ProgramRun& p = s.programs[program];
    Shape& block = sheet.rect(left + static_cast<float>(i % cols) * cell, sheet.y + static_cast<float>(i / cols) * cell,
                              cell - gap, cell - gap, category(p.wave));
    block.tooltip = fmt::format("program {}: SM {}, wave {} (model)", program, p.sm, p.wave + 1);
    const std::string number = std::to_string(program);
    if (cell >= 12 && cell >= text_width(number, least_text) + 1) {
      block.text = number;
      block.size = least_text;
    }
  }
  sheet.y += static_cast<float>(g.rows) * cell;
}

}  // namespace

Drawing draw_schedule(const Schedule& s, const trace::AccessRecord& record, const std::string& kernel,
                      const std::string& settings) {
  Sheet sheet("schedule", kernel,
              fmt::format("{}{}{}, model: {}, {} read from DRAM", settings, settings.empty() ? "" : " on ", s.gpu,
                          report::time_text(s.model_ms), bytes_text(s.dram_read_bytes)),
              {1200, 600});
  draw_rows(sheet, s);
  draw_reads(sheet, s);
  draw_order_grid(sheet, s, record);
  return sheet.finish();
}

}  // namespace tl::viz
