// Shared memory's 32 banks: 32 lanes ask for words of a tile, and wait where several want different words of one bank.
//   bank = (byte / 4) mod 32; the word of a lane follows from where machine::BankedTile places its element
#include "interp/machine/access/banks.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>

#include "viz/model/field.h"
#include "viz/model/panel.h"

namespace tl::viz {

namespace {

struct BankRequest {
  machine::BankedTile tile;
  bool is_down = true;  // lanes run down a column
  std::int64_t request = 0, requests = 1, phase = 0, phases = 1;
  machine::Request lanes;
  machine::BankPicture banks;
  bool takes_part(int lane) const { return (lanes.active >> lane & 1) && lane / (32 / phases) == phase; }
};

constexpr std::int64_t largest = 256;

// The first block that the running program keeps in shared memory: one that it transposes, or multiplies.
struct SharedBlock {
  const trace::RecordedValue* block = nullptr;
  const trace::Step* step = nullptr;
};
SharedBlock shared_block(Scene& scene) {
  const trace::RecordedProgram& p = scene.session.program();
  SharedBlock shared;
  for (const trace::Step& s : p.steps) {
    const bool turns = s.op == trace::Op::trans || s.op == trace::Op::permute;
    if ((!turns && (shared.block || s.op != trace::Op::dot)) || s.operands == 0) continue;
    const trace::RecordedValue& block = p.values[p.operands(s)[0]];
    if (block.shape.rank != 2) continue;
    shared = {&block, &s};
    if (turns) break;
  }
  return shared;
}

// The settings, each made to fit the others: a row holds at least one access, an access at least one element.
BankRequest bank_request(const Scene& scene, const SharedBlock& shared) {
  const auto power = [&](const char* name, std::int64_t otherwise, std::int64_t least, std::int64_t most) {
    std::int64_t value = 1;
    while (value < scene.setting(name, otherwise)) value *= 2;
    return static_cast<int>(std::clamp(value, least, most));
  };
  BankRequest a;
  a.tile.rows = power("rows", shared.block ? shared.block->shape[0] : 32, 1, largest);
  a.tile.cols = power("cols", shared.block ? shared.block->shape[1] : 32, 1, largest);
  a.tile.element_bytes = power("element_bytes", shared.block ? size_in_bytes(shared.block->dtype) : 4, 1, 8);
  // As the kernel's own tile is read: by a dot 16 bytes a lane, its rows XORed; an example shows the conflict.
  const int widest = std::min(16, a.tile.row_bytes());
  const bool is_of_dot = shared.step && shared.step->op == trace::Op::dot;
  a.tile.access_bytes = power("lane_bytes", is_of_dot ? widest : a.tile.element_bytes, a.tile.element_bytes, widest);
  const auto own = shared.block && a.tile.can_be_xored() ? machine::Placement::xored : machine::Placement::none;
  a.tile.placement = static_cast<machine::Placement>(
      std::clamp<std::int64_t>(scene.setting("placement", static_cast<std::int64_t>(own)), 0, 2));
  a.is_down = scene.setting("down", 1) != 0;
  const auto all =
      machine::requests_of(a.tile, a.is_down ? machine::Direction::down_columns : machine::Direction::along_rows);
  a.requests = static_cast<std::int64_t>(all.size());
  a.request = std::clamp<std::int64_t>(scene.setting("request", 0), 0, a.requests - 1);
  a.lanes = all[a.request];
  const auto pictures = machine::pictures_of(a.lanes);
  a.phases = static_cast<std::int64_t>(pictures.size());
  a.phase = std::clamp<std::int64_t>(scene.setting("phase", 0), 0, a.phases - 1);
  a.banks = pictures[a.phase];
  return a;
}

struct BanksPicture {
  Scene& scene;
  const SharedBlock shared = shared_block(scene);
  const BankRequest a = bank_request(scene, shared);
  const int passes = a.banks.height(), lanes = static_cast<int>(32 / a.phases);
  Sheet sheet;
  // Layout: a column a bank; above the words of the tile, below the lanes that wait for each bank.
  const float label = 70, slot = (sheet.inner() - label) / 32, left = sheet.left() + label;
  const float chart = std::max(130.f, sheet.room() - 60), top = sheet.y + 20;

  BanksPicture(Scene& s, const Canvas& canvas)
      : scene(s),
        sheet("banks",
              fmt::format("{} lanes {} of a {} x {} tile of {} B elements: {} pass{}", lanes,
                          a.is_down ? "down the columns" : "along the rows", a.tile.rows, a.tile.cols,
                          a.tile.element_bytes, passes, passes == 1 ? "" : "es"),
              subtitle(), canvas) {}

  std::string subtitle() const {
    const char* const placements[] = {"as they are", "each padded", "XORed with the row's number"};
    return fmt::format(
        "A column is a bank of shared memory, 4 bytes wide; each bank serves one word a pass. The height of a column "
        "of lanes is the number of passes. Rows {}; {} B a lane{}.",
        placements[static_cast<int>(a.tile.placement)], a.lanes.bytes,
        a.phases > 1
            ? fmt::format(", so that {} lanes are served at a time: phase {} of {}", lanes, a.phase + 1, a.phases)
            : "");
  }

  void draw_bank_numbers() {
    for (int bank = 0; bank < 32; bank += static_cast<int>(tick_every(slot, 18)))
      sheet.note(left + (length(bank) + 0.5f) * slot, top - 5, fmt::format("{}", bank), least_text, Align::centre);
    sheet.note(left - 8, top - 5, "bank", least_text, Align::right);
  }

  // The first lane that asks for each word.
  std::map<std::int64_t, int> lanes_of_words() const {
    std::map<std::int64_t, int> reader;
    for (int lane = 0; lane < 32; ++lane)
      for (int b = 0; a.takes_part(lane) && b < a.lanes.bytes; b += machine::bank_bytes)
        reader.try_emplace(a.lanes.address[lane] / machine::bank_bytes + b / machine::bank_bytes, lane);
    return reader;
  }

  std::vector<bool> used_words() const {
    std::vector<bool> used(static_cast<std::size_t>(a.tile.bytes() + machine::bank_bytes) / machine::bank_bytes);
    for (int r = 0; r < a.tile.rows; ++r)
      for (int c = 0; c < a.tile.cols; ++c) used[a.tile.offset(r, c) / machine::bank_bytes] = true;
    return used;
  }

  // Lines of 32 words, the asked-for ones marked; only lines that somebody asks for, where all are too many. Returns
  // the y beneath.
  float draw_tile(float height) {
    const auto reader = lanes_of_words();
    const auto used = used_words();
    const std::int64_t all = (a.tile.bytes() + 127) / 128,
                       most = std::max<std::int64_t>(8, static_cast<std::int64_t>(height / 4));
    std::vector<std::int64_t> lines;
    for (std::int64_t line = 0; line < all; ++line) {
      const auto next = reader.lower_bound(line * 32);
      if (all <= most || (next != reader.end() && next->first < (line + 1) * 32)) lines.push_back(line);
    }
    const float row = std::clamp(height / length(lines.size()), 3.f, 12.f);
    float y = top;
    std::int64_t before = -1;
    for (const std::int64_t line : lines) {
      if (before >= 0 && line != before + 1) y += 3;
      before = line;
      if (row >= 9 || line == lines.front() || line == lines.back())
        sheet.note(left - 8, y + std::max(row, 9.f) - 1, fmt::format("byte {}", line * 128), least_text, Align::right);
      for (std::int64_t w = line * 32; w < (line + 1) * 32 && w * machine::bank_bytes < a.tile.bytes(); ++w) {
        const auto it = reader.find(w);
        draw_word(w, y, row, it == reader.end() ? -1 : it->second, !used[w]);
      }
      y += row;
    }
    if (std::ssize(lines) < all)
      sheet.fact(fmt::format("of the tile's {} lines of 128 bytes the {} are shown that these lanes ask for", all,
                             lines.size()));
    if (row < 6 && std::ssize(lines) == lines.back() - lines.front() + 1) {  // words without outlines
      Shape& frame = sheet.rect(left, top, 32 * slot, y - top, {}, "");
      frame.stroke = {Role::faint};
      frame.layer = Layer::marks;
    }
    return y;
  }

  void draw_word(std::int64_t word, float y, float height, int lane, bool is_padding) {
    const bool is_asked = lane >= 0;
    Shape& s = sheet.rect(left + length(word % 32) * slot, y, slot, height,
                          is_asked ? category(1) : Colour{is_padding ? Role::paper : Role::surface},
                          fmt::format("word/{}", word));
    if (height >= 6) s.stroke = {Role::faint, 0, 0, 0.7f};
    if (is_padding) s.hatch = Hatch::dots;
    if (is_asked) s.about.lane = lane;
    s.tooltip = fmt::format("word {} (byte {}), bank {}: {}", word, word * machine::bank_bytes, word % 32,
                            is_padding  ? "padding, never used"
                            : !is_asked ? "not asked for"
                                        : fmt::format("lane {}", lane));
  }

  // The queue in front of each bank.
  void draw_queues(float tile_bottom) {
    const float most = std::max(72.f, 0.45f * chart),
                base = tile_bottom + 26 + std::clamp(length(passes) * 22, 44.f, most),
                unit = std::min(22.f, (base - tile_bottom - 26) / length(std::max(1, passes)));
    Table table{"lanes of each bank", {"bank", "passes", "lanes"}, {}};
    for (std::size_t bank = 0; bank < a.banks.banks.size(); ++bank) {
      const auto& queue = a.banks.banks[bank].lanes;
      for (std::size_t i = 0; i < queue.size(); ++i) {
        Shape& s = sheet.rect(left + length(bank) * slot, base - length(i + 1) * unit, slot - 1, unit, category(1),
                              fmt::format("wait/{}/{}", bank, i));
        if (unit >= 6) s.stroke = {Role::ink, 0, 0, 0.5f};
        s.about.lane = queue[i];
        if (const std::string text = fmt::format("{}", queue[i]); unit >= 12 && text_width(text, least_text) < slot - 2)
          s.text = text, s.size = least_text;
        s.tooltip = fmt::format("lane {} is served by bank {} in pass {}", queue[i], bank, i + 1);
      }
      table.rows.push_back(
          {fmt::format("{}", bank), fmt::format("{}", queue.size()), fmt::format("{}", fmt::join(queue, " "))});
    }
    sheet.line(left, base, left + 32 * slot, base, {Role::ink});
    sheet.note(left - 8, base - 2, "pass 1", least_text, Align::right);
    if (passes > 1)
      sheet.note(left - 8, base - length(passes - 1) * unit - unit / 2 + 4, fmt::format("pass {}", passes), 10,
                 Align::right);
    sheet.y = base + 8;
    sheet.table(std::move(table));
  }

  void state_facts() {
    const machine::Wavefronts whole =
        machine::wavefronts_of(a.tile, a.is_down ? machine::Direction::down_columns : machine::Direction::along_rows);
    sheet.fact(
        passes == 1
            ? "no lane waits: each finds a bank of its own, or shares another's word"
            : fmt::format(
                  "up to {} lanes want different words of the same bank and wait for each other: {} passes instead of "
                  "{}",
                  passes, passes, std::max<std::int64_t>(1, machine::wavefronts_of(a.lanes).minimum / a.phases)));
    sheet.fact(fmt::format("the whole tile this way: {} requests, {} passes (wavefronts), {} of them for conflicts",
                           count_text(whole.requests), count_text(whole.wavefronts), count_text(whole.conflicts())));
    compare_placements();
    const std::string kernel = scene.session.launch().kernel, name = kernel.substr(kernel.rfind(':') + 1);
    sheet.fact(shared.block
                   ? fmt::format("{} keeps {} x {} {} there, for the {} in line {}; the controls choose any tile", name,
                                 shared.block->shape[0], shared.block->shape[1], name_of(shared.block->dtype),
                                 trace::text_of(shared.step->op), shared.step->site.line)
                   : name + " keeps no tile in shared memory: this one is an example");
  }

  // The same read of the same tile, wherever its rows lie.
  void compare_placements() {
    Table table{"the whole tile, read this way", {"rows", "passes", "of them for conflicts"}, {}};
    std::string all;
    for (const auto& [placement, words] : {std::pair{machine::Placement::none, "as they are"},
                                           {machine::Placement::padded, "padded"},
                                           {machine::Placement::xored, "XORed"}}) {
      machine::BankedTile tile = a.tile;
      tile.placement = placement;
      if (placement == machine::Placement::xored && !tile.can_be_xored()) continue;
      const machine::Wavefronts w =
          machine::wavefronts_of(tile, a.is_down ? machine::Direction::down_columns : machine::Direction::along_rows);
      all += fmt::format("{}rows {}{}: {}", all.empty() ? "" : ", ", words,
                         shared.block && placement == machine::Placement::xored ? ", as CUDA's code has them" : "",
                         count_text(w.wavefronts));
      table.rows.push_back({words, count_text(w.wavefronts), count_text(w.conflicts())});
    }
    sheet.fact("passes of the whole tile by placement: " + all);
    sheet.table(std::move(table));
  }

  void add_controls() {
    using K = Control::Kind;
    const auto& tile = a.tile;
    sheet.control({"rows", "rows of the tile", K::power, 1, largest, tile.rows});
    sheet.control({"cols", "columns", K::power, 1, largest, tile.cols});
    sheet.control({"element_bytes", "bytes an element", K::power, 1, 8, tile.element_bytes});
    sheet.control({"placement",
                   "rows are placed",
                   K::choice,
                   0,
                   2,
                   static_cast<std::int64_t>(tile.placement),
                   {"as they are", "padded", "XORed"}});
    sheet.control({"down", "read down the columns", K::toggle, 0, 1, a.is_down});
    sheet.control({"lane_bytes", "bytes a lane", K::power, tile.element_bytes, std::min(16, tile.row_bytes()),
                   tile.access_bytes});
    sheet.control({"request", "which request", K::slider, 0, a.requests - 1, a.request});
    if (a.phases > 1) sheet.control({"phase", "which phase", K::slider, 0, a.phases - 1, a.phase});
    sheet.legend({"word that a lane asks for", category(1)});
    sheet.legend({"word not asked for", {Role::surface}});
    if (tile.placement == machine::Placement::padded) sheet.legend({"padding", {Role::paper}, Hatch::dots});
  }
};

}  // namespace

Drawing draw_banks(Scene& scene, const Canvas& canvas) {
  BanksPicture picture(scene, canvas);
  picture.draw_bank_numbers();
  picture.draw_queues(picture.draw_tile(0.55f * picture.chart));
  picture.state_facts();
  picture.add_controls();
  return picture.sheet.finish();
}

}  // namespace tl::viz
