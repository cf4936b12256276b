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
machine::BankedTile tile_of(const Scene& scene, const SharedBlock& shared) {
  const auto power = [&](const char* name, std::int64_t otherwise, std::int64_t least, std::int64_t most) {
    std::int64_t value = 1;
    while (value < scene.setting(name, otherwise)) value *= 2;
    return static_cast<int>(std::clamp(value, least, most));
  };
  machine::BankedTile tile;
  tile.rows = power("rows", shared.block ? shared.block->shape[0] : 32, 1, largest);
  tile.cols = power("cols", shared.block ? shared.block->shape[1] : 32, 1, largest);
  tile.element_bytes = power("element_bytes", shared.block ? size_in_bytes(shared.block->dtype) : 4, 1, 8);
  // As the kernel's own tile is read: by a dot 16 bytes a lane; an example shows the conflict.
  const int widest = std::min(16, tile.row_bytes());
  const bool is_of_dot = shared.step && shared.step->op == trace::Op::dot;
  tile.access_bytes = power("lane_bytes", is_of_dot ? widest : tile.element_bytes, tile.element_bytes, widest);
  return tile;
}

BankRequest bank_request(const Scene& scene, machine::BankedTile tile, machine::Placement placement) {
  BankRequest a;
  a.tile = tile;
  a.tile.placement = placement;
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

constexpr int all_placements = 3;  // of the control: side by side
constexpr const char* words_of_placements[] = {"rows as they are", "each row padded", "rows XORed"};

// How CUDA's code places a kernel's tile.
machine::Placement own_placement(const machine::BankedTile& tile) {
  return tile.can_be_xored() ? machine::Placement::xored : machine::Placement::none;
}

// The ways to place the tile that are shown: the one that was chosen, or all that there are, the kernel's first.
std::vector<BankRequest> requests_to_show(const Scene& scene, const SharedBlock& shared) {
  const machine::BankedTile tile = tile_of(scene, shared);
  const auto chosen = std::clamp<std::int64_t>(scene.setting("placement", all_placements), 0, all_placements);
  std::vector<BankRequest> shown;
  for (const auto placement : {machine::Placement::none, machine::Placement::padded, machine::Placement::xored})
    if (chosen == static_cast<std::int64_t>(placement) ||
        (chosen == all_placements && (placement != machine::Placement::xored || tile.can_be_xored())))
      shown.push_back(bank_request(scene, tile, placement));
  if (shared.block)
    std::stable_partition(shown.begin(), shown.end(),
                          [&](const BankRequest& r) { return r.tile.placement == own_placement(tile); });
  return shown;
}

// One way to place the tile. A column a bank; above the words of the tile, below the lanes that wait for each bank.
struct BankChart {
  Sheet& sheet;
  const BankRequest& a;
  std::string id;  // before those of its shapes
  float left = 0, slot = 0, top = 0;
  bool has_labels = true;  // left of it
  const int passes = a.banks.height();

  void draw_bank_numbers() {
    for (int bank = 0; bank < 32; bank += static_cast<int>(tick_every(slot, 18)))
      sheet.note(left + (length(bank) + 0.5f) * slot, top - 5, fmt::format("{}", bank), least_text, Align::centre);
    label(top - 5, "bank");
  }

  void label(float y, const std::string& words) {
    if (has_labels) sheet.note(left - 8, y, words, least_text, Align::right);
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

  std::int64_t all_lines() const { return (a.tile.bytes() + 127) / 128; }

  // Lines of 32 words; or only those that somebody asks for.
  std::vector<std::int64_t> lines(bool are_all) const {
    const auto reader = lanes_of_words();
    std::vector<std::int64_t> shown;
    for (std::int64_t line = 0; line < all_lines(); ++line) {
      const auto next = reader.lower_bound(line * 32);
      if (are_all || (next != reader.end() && next->first < (line + 1) * 32)) shown.push_back(line);
    }
    return shown;
  }

  // Those lines, each so high, the words marked that are asked for. Returns the y beneath.
  float draw_tile(const std::vector<std::int64_t>& shown, float row) {
    const auto reader = lanes_of_words();
    const auto used = used_words();
    float y = top;
    std::int64_t before = -1;
    for (const std::int64_t line : shown) {
      if (before >= 0 && line != before + 1) y += 3;
      before = line;
      if (row >= 9 || line == shown.front() || line == shown.back())
        label(y + std::max(row, 9.f) - 1, fmt::format("byte {}", line * 128));
      for (std::int64_t w = line * 32; w < (line + 1) * 32 && w * machine::bank_bytes < a.tile.bytes(); ++w) {
        const auto it = reader.find(w);
        draw_word(w, y, row, it == reader.end() ? -1 : it->second, !used[w]);
      }
      y += row;
    }
    if (row < 6 && std::ssize(shown) == shown.back() - shown.front() + 1) {  // words without outlines
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
                          fmt::format("{}word/{}", id, word));
    if (height >= 6) s.stroke = {Role::faint, 0, 0, 0.7f};
    if (is_padding) s.hatch = Hatch::dots;
    if (is_asked) s.about.lane = lane;
    s.tooltip = fmt::format("word {} (byte {}), bank {}: {}", word, word * machine::bank_bytes, word % 32,
                            is_padding  ? "padding, never used"
                            : !is_asked ? "not asked for"
                                        : fmt::format("lane {}", lane));
  }

  // The queue in front of each bank, each lane so high, from `base` up.
  void draw_queues(float base, float unit) {
    for (std::size_t bank = 0; bank < a.banks.banks.size(); ++bank) {
      const auto& queue = a.banks.banks[bank].lanes;
      for (std::size_t i = 0; i < queue.size(); ++i) {
        Shape& s = sheet.rect(left + length(bank) * slot, base - length(i + 1) * unit, slot - 1, unit, category(1),
                              fmt::format("{}wait/{}/{}", id, bank, i));
        if (unit >= 6) s.stroke = {Role::ink, 0, 0, 0.5f};
        s.about.lane = queue[i];
        if (const std::string text = fmt::format("{}", queue[i]);
            unit >= 12 && text_width(text, least_text) < slot - 2) {
          s.text = text;
          s.size = least_text;
        }
        s.tooltip = fmt::format("lane {} is served by bank {} in pass {}", queue[i], bank, i + 1);
      }
    }
    sheet.line(left, base, left + 32 * slot, base, {Role::ink});
    label(base - 2, "pass 1");
    if (passes > 1) label(base - length(passes - 1) * unit - unit / 2 + 4, fmt::format("pass {}", passes));
  }
};

struct BanksPicture {
  Scene& scene;
  const SharedBlock shared = shared_block(scene);
  const std::vector<BankRequest> shown = requests_to_show(scene, shared);
  const BankRequest& a = shown.front();
  const bool is_alone = shown.size() == 1;
  const int lanes = static_cast<int>(32 / a.phases);
  Sheet sheet;
  const float labels = 70, gap = 24,
              width = (sheet.inner() - labels - gap * length(shown.size() - 1)) / length(shown.size());  // of a chart

  BanksPicture(Scene& s, const Canvas& canvas) : scene(s), sheet("banks", title(), subtitle(), canvas) {}

  static std::string passes_text(int passes) { return fmt::format("{} pass{}", passes, passes == 1 ? "" : "es"); }

  std::string title() const {
    return fmt::format("{} lanes {} of a {} x {} tile of {} B elements{}", lanes,
                       a.is_down ? "down the columns" : "along the rows", a.tile.rows, a.tile.cols,
                       a.tile.element_bytes, is_alone ? ": " + passes_text(a.banks.height()) : "");
  }

  std::string subtitle() const {
    const char* const placements[] = {"Rows as they are; ", "Each row is padded; ",
                                      "Rows are XORed with their number; "};
    return fmt::format(
        "A column is a bank of shared memory, 4 bytes wide; each bank serves one word a pass. The height of a column "
        "of lanes is the number of passes. {}{} B a lane{}.",
        is_alone ? placements[static_cast<int>(a.tile.placement)] : "", a.lanes.bytes,
        a.phases > 1
            ? fmt::format(", so that {} lanes are served at a time: phase {} of {}", lanes, a.phase + 1, a.phases)
            : "");
  }

  bool is_own(const BankRequest& r) const { return shared.block && r.tile.placement == own_placement(r.tile); }

  void draw_charts() {
    const float chart = is_alone ? std::max(130.f, sheet.room() - 60) : std::max(110.f, sheet.room() - 150),
                top = sheet.y + (is_alone ? 20 : 42);
    std::vector<BankChart> charts;
    std::vector<std::vector<std::int64_t>> lines;
    std::size_t most_lines = 1;
    int passes = 1;
    for (std::size_t i = 0; i < shown.size(); ++i) {
      charts.push_back({.sheet = sheet,
                        .a = shown[i],
                        .id = is_alone ? "" : fmt::format("{}/", machine::name_of(shown[i].tile.placement)),
                        .left = sheet.left() + labels + (width + gap) * length(i),
                        .slot = width / 32,
                        .top = top,
                        .has_labels = i == 0});
      passes = std::max(passes, charts.back().passes);
    }
    const auto most = std::max<std::int64_t>(8, static_cast<std::int64_t>(0.55f * chart / 4));
    const bool are_all = std::ranges::all_of(charts, [&](const BankChart& c) { return c.all_lines() <= most; });
    for (const BankChart& c : charts) {
      lines.push_back(c.lines(are_all));
      most_lines = std::max(most_lines, lines.back().size());
    }
    const float row = std::clamp(0.55f * chart / length(most_lines), 3.f, 12.f);
    float bottom = top;
    for (std::size_t i = 0; i < charts.size(); ++i) {
      charts[i].draw_bank_numbers();
      bottom = std::max(bottom, charts[i].draw_tile(lines[i], row));
    }
    const float highest = std::max(is_alone ? 72.f : 60.f, 0.45f * chart),
                base = bottom + 26 + std::clamp(length(passes) * 22, is_alone ? 44.f : 30.f, highest),
                unit = std::min(22.f, (base - bottom - 26) / length(passes));
    for (BankChart& c : charts) {
      c.draw_queues(base, unit);
      if (is_alone) continue;
      const std::string words = words_of_placements[static_cast<int>(c.a.tile.placement)];
      sheet.heading(c.left, sheet.y + 16, fitted(is_own(c.a) ? words + ": the kernel's" : words, width, 14, false), 14);
      sheet.text(c.left, base + 18, passes_text(c.passes), 14, Align::left, {c.passes > 1 ? Role::fault : Role::good});
    }
    sheet.y = base + (is_alone ? 8 : 28);
    if (lines.front().size() < static_cast<std::size_t>(charts.front().all_lines()))
      sheet.fact(fmt::format("of the tile's {} lines of 128 bytes the {} are shown that these lanes ask for",
                             charts.front().all_lines(), lines.front().size()));
    Table table{"lanes of each bank", {"bank", "passes", "lanes"}, {}};
    for (std::size_t bank = 0; is_alone && bank < a.banks.banks.size(); ++bank) {
      const auto& queue = a.banks.banks[bank].lanes;
      table.rows.push_back(
          {fmt::format("{}", bank), fmt::format("{}", queue.size()), fmt::format("{}", fmt::join(queue, " "))});
    }
    if (is_alone) sheet.table(std::move(table));
  }

  machine::Direction direction() const {
    return a.is_down ? machine::Direction::down_columns : machine::Direction::along_rows;
  }

  void state_facts() {
    for (const BankRequest& r : shown) {
      const int passes = r.banks.height();
      const std::string which =
          is_alone ? "" : std::string(words_of_placements[static_cast<int>(r.tile.placement)]) + ": ";
      if (passes > 1)
        sheet.fact(fmt::format(
            "{}up to {} lanes want different words of the same bank and wait for each other: {} passes instead of {}",
            which, passes, passes, std::max<std::int64_t>(1, machine::wavefronts_of(r.lanes).minimum / r.phases)));
      else if (is_alone || is_own(r))
        sheet.fact(which + "no lane waits: each finds a bank of its own, or shares another's word");
    }
    if (is_alone) {
      const machine::Wavefronts whole = machine::wavefronts_of(a.tile, direction());
      sheet.fact(fmt::format("the whole tile this way: {} requests, {} passes (wavefronts), {} of them for conflicts",
                             count_text(whole.requests), count_text(whole.wavefronts), count_text(whole.conflicts())));
    }
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
      const machine::Wavefronts w = machine::wavefronts_of(tile, direction());
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
                   all_placements,
                   is_alone ? static_cast<std::int64_t>(tile.placement) : all_placements,
                   {"as they are", "padded", "XORed", "in each way"}});
    sheet.control({"down", "read down the columns", K::toggle, 0, 1, a.is_down});
    sheet.control({"lane_bytes", "bytes a lane", K::power, tile.element_bytes, std::min(16, tile.row_bytes()),
                   tile.access_bytes});
    sheet.control({"request", "which request", K::slider, 0, a.requests - 1, a.request});
    if (a.phases > 1) sheet.control({"phase", "which phase", K::slider, 0, a.phases - 1, a.phase});
    sheet.legend({"word that a lane asks for", category(1)});
    sheet.legend({"word not asked for", {Role::surface}});
    for (const BankRequest& r : shown)
      if (r.tile.placement == machine::Placement::padded) sheet.legend({"padding", {Role::paper}, Hatch::dots});
  }
};

}  // namespace

Drawing draw_banks(Scene& scene, const Canvas& canvas) {
  BanksPicture picture(scene, canvas);
  picture.draw_charts();
  picture.state_facts();
  picture.add_controls();
  return picture.sheet.finish();
}

}  // namespace tl::viz
