#include "interp/run/banks_text.h"

#include <fmt/format.h>

#include <charconv>
#include <nlohmann/json.hpp>

#include "interp/lang/error.h"
#include "interp/lang/text.h"
#include "interp/report/fields.h"
#include "interp/report/numbers.h"

namespace tl::run {

using namespace report;

namespace {

using machine::BankedTile;
using machine::Direction;
using machine::Placement;

constexpr Placement placements[] = {Placement::none, Placement::padded, Placement::xored};

int tile_side(const std::string& text, const std::string& whole) {
  int n = 0;
  const auto [end, problem] = std::from_chars(text.data(), text.data() + text.size(), n);
  if (problem != std::errc() || end != text.data() + text.size() || n < 1 || n > 4096)
    throw Error(fmt::format("\"{}\" is not a tile: \"{}\" is not a number from 1 to 4096", whole, text),
                "write --tile 32x32");
  return n;
}

DType dtype_named(const std::string& name) {
  std::string names;
  for (int i = 0; i < dtype_count; ++i) {
    const auto d = static_cast<DType>(i);
    if (name == name_of(d)) return d;
    names += (i ? ", " : "") + std::string(name_of(d));
  }
  throw Error(fmt::format("there is no dtype \"{}\"", name), "choose from " + names);
}

std::vector<Placement> chosen(const std::string& placement, bool can_be_xored = true) {
  if (placement.empty()) return {std::begin(placements), std::end(placements) - (can_be_xored ? 0 : 1)};
  return {*std::ranges::find(placements, placement, [](Placement p) { return std::string(machine::name_of(p)); })};
}

Fields fields_of(const std::string& key, const std::string& label, const machine::Wavefronts& w) {
  const std::string conflict = w.conflicts() == 0 ? "no conflict" : fmt::format("{:.3g}-way", w.ways());
  return {{key + "/requests", "", Value::count(w.requests)},
          {key + "/wavefronts", label, {w.wavefronts, count_text(w.wavefronts) + ", " + conflict}},
          {key + "/minimum", "", Value::count(w.minimum)},
          {key + "/conflicts", "", Value::count(w.conflicts())},
          {key + "/ways", "", {w.ways(), ""}}};
}

std::vector<Fields> placements_of(BankedTile t, const std::vector<Placement>& which) {
  std::vector<Fields> all;
  for (const Placement p : which) {
    t.placement = p;
    const std::string name = machine::name_of(p);
    all.push_back({{"placement",
                    "placement",
                    {name, p == Placement::padded ? fmt::format("padded by {} B", t.pad_bytes()) : name}},
                   {"bytes", "memory", Value::bytes(t.bytes())},
                   {"pad_bytes", "", Value::bytes(t.pad_bytes())}});
    all.back() += fields_of("store", "store along rows", machine::wavefronts_of(t, Direction::along_rows));
    all.back() += fields_of("transposed_read", "transposed read", machine::wavefronts_of(t, Direction::down_columns));
  }
  return all;
}

std::string pictures_text(BankedTile t, const std::vector<Placement>& which) {
  std::string text;
  for (const Placement p : which) {
    t.placement = p;
    const auto requests = machine::requests_of(t, Direction::down_columns);
    const auto pictures = machine::pictures_of(requests.front());
    text += fmt::format("\n  transposed read, {}: the first request{}, its lanes 0 to 9, a to v; {}\n{}",
                        machine::name_of(p), pictures.size() > 1 ? fmt::format(", phase 1 of {}", pictures.size()) : "",
                        pictures.front().height() == 1 ? "1 pass" : fmt::format("{} passes", pictures.front().height()),
                        machine::text_of(pictures.front()));
  }
  return text;
}

const machine::OperandTile* transposed_right(const SharedTiles& k) {
  for (const auto& t : k.tiles)
    if (t.transposed && t.dot_m) return &t;
  return nullptr;
}

std::vector<Fields> steps_of(const machine::OperandTile& t, int warps, const machine::Device& device) {
  const auto best = machine::dot_step(t, warps, Placement::xored, device);
  const auto beside_best = [](double cycles, double least) {
    return Value{cycles, fmt::format("{:.0f} ({:.2f}x)", cycles, cycles / least)};
  };
  const auto cycles = [](double n) { return Value{n, fmt::format("{:.0f}", n)}; };
  std::vector<Fields> all;
  for (const Placement p : placements) {
    const auto s = machine::dot_step(t, warps, p, device);
    all.push_back({{"placement", "placement", Value::word(machine::name_of(p))},
                   {"multiply_cycles", "multiply", cycles(s.multiply_cycles)},
                   {"store_wavefronts", "", cycles(s.store_wavefronts)},
                   {"read_wavefronts", "", cycles(s.read_wavefronts)},
                   {"", "shared memory", cycles(s.shared_cycles())},
                   {"overlapped_cycles", "one hides the other", beside_best(s.overlapped(), best.overlapped())},
                   {"in_turn_cycles", "one after the other", beside_best(s.in_turn(), best.in_turn())}});
  }
  return all;
}

std::string steps_text(const machine::OperandTile& t, int warps, const machine::Device& device) {
  std::string text =
      fmt::format("\nOne step of the dot, {} x {} x {}, by multiply-adds on an SM of {},\n  in cycles:\n", t.dot_m,
                  t.dot_n, t.dot_k, device.title);
  return text + fmt::format(
                    "{}  Each warp reads the whole right-hand tile down its columns, 16 bytes a lane.\n"
                    "  Where warps wait for their operands, the last column is the estimate; in\n"
                    "  brackets: how much slower than with xor.\n",
                    table_of(steps_of(t, warps, device)).text());
}

// Where no dot says how a tile is read, a lane takes an element at once.
BankedTile shared(const machine::OperandTile& t) {
  const int bytes = size_in_bytes(t.dtype);
  return {t.rows, t.cols, bytes, Placement::none, t.dot_m ? std::min(16, t.cols * bytes) : bytes};
}

}  // namespace

BankedTile parse_tile(const TileRequest& o) {
  const auto x = o.tile.find('x');
  if (x == std::string::npos)
    throw Error(fmt::format("\"{}\" is not a tile", o.tile), "write --tile 32x32: rows x columns");
  BankedTile t;
  t.rows = tile_side(o.tile.substr(0, x), o.tile);
  t.cols = tile_side(o.tile.substr(x + 1), o.tile);
  t.element_bytes = size_in_bytes(dtype_named(o.dtype));
  t.access_bytes = o.bytes ? o.bytes : t.element_bytes;
  if (t.access_bytes < t.element_bytes || t.access_bytes > 16 || (t.access_bytes & (t.access_bytes - 1)))
    throw Error(fmt::format("a lane cannot take {} bytes of {} at once", t.access_bytes, o.dtype),
                fmt::format("--bytes is a power of two from {} to 16", t.element_bytes));
  if (t.row_bytes() < t.access_bytes)
    throw Error(fmt::format("a row of {} {} has {} bytes, fewer than the {} of an access", t.cols, o.dtype,
                            t.row_bytes(), t.access_bytes),
                "take more columns or fewer --bytes");
  if (t.row_bytes() % t.access_bytes != 0)
    throw Error(
        fmt::format(
            "a row of {} {} has {} bytes, no multiple of the {} of an access: rows would begin where no lane may load",
            t.cols, o.dtype, t.row_bytes(), t.access_bytes),
        fmt::format("--bytes {}, or another number of columns", t.element_bytes));
  if (o.placement == "xor" && !t.can_be_xored())
    throw Error(fmt::format("a row of {} {} has {} bytes, no power of two: an XOR of its chunks would leave the row",
                            t.cols, o.dtype, t.row_bytes()),
                "--placement padded, or a power of two of columns");
  return t;
}

nlohmann::ordered_json banks_json(const TileRequest& o) {
  const BankedTile t = parse_tile(o);
  return {{"rows", t.rows},    {"cols", t.cols},
          {"dtype", o.dtype},  {"bytes_a_lane", t.access_bytes},
          {"source", "model"}, {"placements", json_of(placements_of(t, chosen(o.placement, t.can_be_xored())))}};
}

std::string banks_text(const TileRequest& o, const machine::Device& device) {
  const BankedTile t = parse_tile(o);
  const auto which = chosen(o.placement, t.can_be_xored());
  std::string text =
      fmt::format("a tile of {} x {} {} in shared memory, {} a lane; wavefronts of all its requests, model\n\n{}",
                  t.rows, t.cols, o.dtype, plural(t.access_bytes, "byte"), table_of(placements_of(t, which)).text());
  if (!t.can_be_xored())
    text +=
        fmt::format("  xor exchanges chunks of rows whose bytes are a power of two; these have {}\n", t.row_bytes());
  if (t.bytes() > device.shared_bytes_per_cta)
    text += fmt::format("  more than a CTA of {} may have: {}\n", device.title,
                        bytes_text(static_cast<double>(device.shared_bytes_per_cta)));
  return text + pictures_text(t, which);
}

nlohmann::ordered_json banks_json(const KernelOptions& kernel, const SharedTiles& found, const std::string& placement,
                                  const machine::Device& device) {
  auto j = model_json(kernel, device.name);
  j["tiles"] = nlohmann::ordered_json::array();
  for (const auto& t : found.tiles)
    j["tiles"].push_back({{"place", project_path(t.place)},
                          {"what", t.what},
                          {"rows", t.rows},
                          {"cols", t.cols},
                          {"dtype", name_of(t.dtype)},
                          {"transposed", t.transposed},
                          {"times_a_program", t.times},
                          {"bytes_a_lane", shared(t).access_bytes},
                          {"placements", json_of(placements_of(shared(t), chosen(placement)))}});
  if (const auto* right = transposed_right(found)) j["dot_step"] = json_of(steps_of(*right, found.warps, device));
  return j;
}

std::string banks_text(const KernelOptions& kernel, const SharedTiles& found, const std::string& placement,
                       const machine::Device& device, Paint paint, int columns) {
  std::string text = heading(kernel, described(device) + ", model; wavefronts of a tile, one time", paint, columns);
  for (const auto& t : found.tiles)
    text += fmt::format("\n{}: {},\n  {} x {} {}, {} a lane, {} a program{}\n{}", project_path(t.place), t.what, t.rows,
                        t.cols, name_of(t.dtype), plural(shared(t).access_bytes, "byte"), plural(t.times, "time"),
                        t.transposed ? ", read down its columns" : "",
                        table_of(placements_of(shared(t), chosen(placement))).text());
  const auto transposed = std::ranges::find(found.tiles, true, &machine::OperandTile::transposed);
  if (transposed != found.tiles.end()) text += pictures_text(shared(*transposed), {Placement::none});
  if (const auto* right = transposed_right(found)) text += steps_text(*right, found.warps, device);
  return text;
}

}  // namespace tl::run
