// tilescope banks KERNEL | --tile ROWSxCOLS: wavefronts of shared memory, with no, padded and XOR placement.
#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <charconv>
#include <memory>
#include <nlohmann/json.hpp>

#include "interp/cli/commands.h"
#include "interp/cli/options.h"
#include "interp/lang/error.h"
#include "interp/lang/text.h"
#include "interp/report/numbers.h"
#include "interp/report/table.h"
#include "interp/report/terminal.h"
#include "interp/run/limits_case.h"
#include "interp/run/schedule_text.h"

namespace tl::cli {

using namespace report;
using namespace run;

namespace {

using machine::Direction;
using machine::Placement;
using machine::SharedTile;

constexpr Placement placements[] = {Placement::none, Placement::padded, Placement::xored};

struct BanksOptions {
  KernelOptions kernel;
  std::string gpu = "h200", tile, dtype = "f32", placement;
  int bytes = 0;
  bool is_dtype_given = false, json = false;
};

int tile_side(const std::string& text, const std::string& whole) {
  int n = 0;
  const auto [end, problem] = std::from_chars(text.data(), text.data() + text.size(), n);
  if (problem != std::errc() || end != text.data() + text.size() || n < 1 || n > 4096)
    throw Error(fmt::format("\"{}\" is no tile: \"{}\" is no number from 1 to 4096", whole, text),
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

SharedTile parse_tile(const BanksOptions& o) {
  const auto x = o.tile.find('x');
  if (x == std::string::npos)
    throw Error(fmt::format("\"{}\" is no tile", o.tile), "write --tile 32x32: rows x columns");
  SharedTile t;
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

std::vector<Placement> chosen(const BanksOptions& o, bool can_be_xored = true) {
  if (o.placement.empty()) return {std::begin(placements), std::end(placements) - (can_be_xored ? 0 : 1)};
  for (const Placement p : placements)
    if (o.placement == machine::name_of(p)) return {p};
  return {};
}

nlohmann::ordered_json wavefronts_json(const machine::Wavefronts& w) {
  return {{"requests", w.requests},
          {"wavefronts", w.wavefronts},
          {"minimum", w.minimum},
          {"conflicts", w.conflicts()},
          {"ways", w.ways()}};
}

nlohmann::ordered_json tile_json(SharedTile t, const std::vector<Placement>& which) {
  auto all = nlohmann::ordered_json::array();
  for (const Placement p : which) {
    t.placement = p;
    all.push_back({{"placement", machine::name_of(p)},
                   {"bytes", t.bytes()},
                   {"pad_bytes", t.pad_bytes()},
                   {"store", wavefronts_json(machine::wavefronts_of(t, Direction::along_rows))},
                   {"transposed_read", wavefronts_json(machine::wavefronts_of(t, Direction::down_columns))}});
  }
  return all;
}

std::string cell(const machine::Wavefronts& w) {
  return w.conflicts() == 0 ? fmt::format("{}, no conflict", count_text(w.wavefronts))
                            : fmt::format("{}, {:.3g}-way", count_text(w.wavefronts), w.ways());
}

void print_tile(SharedTile t, const std::vector<Placement>& which) {
  Table table{.header = {"placement", "memory", "store along rows", "transposed read"}, .left = {0}};
  for (const Placement p : which) {
    t.placement = p;
    table.rows.push_back({p == Placement::padded ? fmt::format("padded by {} B", t.pad_bytes()) : machine::name_of(p),
                          bytes_text(t.bytes()), cell(machine::wavefronts_of(t, Direction::along_rows)),
                          cell(machine::wavefronts_of(t, Direction::down_columns))});
  }
  fmt::print("{}", table.text());
}

void print_pictures(SharedTile t, const std::vector<Placement>& which) {
  for (const Placement p : which) {
    t.placement = p;
    const auto requests = machine::requests_of(t, Direction::down_columns);
    const auto pictures = machine::pictures_of(requests.front());
    fmt::print("\n  transposed read, {}: the first request{}, its lanes 0 to 9, a to v; {}\n{}", machine::name_of(p),
               pictures.size() > 1 ? fmt::format(", phase 1 of {}", pictures.size()) : "",
               pictures.front().height() == 1 ? "1 pass" : fmt::format("{} passes", pictures.front().height()),
               machine::text_of(pictures.front()));
  }
}

int tile_banks(const BanksOptions& o) {
  const SharedTile t = parse_tile(o);
  const machine::Device device = machine::find_device(o.gpu);
  const auto which = chosen(o, t.can_be_xored());
  if (o.json) {
    fmt::print("{}\n", nlohmann::ordered_json{{"rows", t.rows},
                                              {"cols", t.cols},
                                              {"dtype", o.dtype},
                                              {"bytes_a_lane", t.access_bytes},
                                              {"source", "model"},
                                              {"placements", tile_json(t, which)}}
                           .dump(2));
    return exit_ok;
  }
  fmt::print("a tile of {} x {} {} in shared memory, {} a lane; wavefronts of all its requests, model\n\n", t.rows,
             t.cols, o.dtype, plural(t.access_bytes, "byte"));
  print_tile(t, which);
  if (!t.can_be_xored())
    fmt::print("  xor exchanges chunks of rows whose bytes are a power of two; these have {}\n", t.row_bytes());
  if (t.bytes() > device.shared_bytes_per_cta)
    fmt::print("  more than a CTA of {} may have: {}\n", device.title,
               bytes_text(static_cast<double>(device.shared_bytes_per_cta)));
  print_pictures(t, which);
  return exit_ok;
}

const machine::OperandTile* transposed_right(const SharedTiles& k) {
  for (const auto& t : k.tiles)
    if (t.transposed && t.dot_m) return &t;
  return nullptr;
}

nlohmann::ordered_json step_json(const machine::DotStep& s) {
  return {{"placement", machine::name_of(s.placement)}, {"multiply_cycles", s.multiply_cycles},
          {"store_wavefronts", s.store_wavefronts},     {"read_wavefronts", s.read_wavefronts},
          {"overlapped_cycles", s.overlapped()},        {"in_turn_cycles", s.in_turn()}};
}

void print_steps(const machine::OperandTile& t, int warps, const machine::Device& device) {
  fmt::print("\nOne step of the dot, {} x {} x {}, by multiply-adds on an SM of {},\n  in cycles:\n", t.dot_m, t.dot_n,
             t.dot_k, device.title);
  Table table{.header = {"placement", "multiply", "shared memory", "one hides the other", "one after the other"},
              .left = {0}};
  const auto best = machine::dot_step(t, warps, Placement::xored, device);
  for (const Placement p : placements) {
    const auto s = machine::dot_step(t, warps, p, device);
    table.rows.push_back({machine::name_of(p), fmt::format("{:.0f}", s.multiply_cycles),
                          fmt::format("{:.0f}", s.shared_cycles()),
                          fmt::format("{:.0f} ({:.2f}x)", s.overlapped(), s.overlapped() / best.overlapped()),
                          fmt::format("{:.0f} ({:.2f}x)", s.in_turn(), s.in_turn() / best.in_turn())});
  }
  fmt::print(
      "{}  Each warp reads the whole right-hand tile down its columns, 16 bytes a lane.\n"
      "  Where warps wait for their operands, the last column is the estimate; in\n"
      "  brackets: how much slower than with xor.\n",
      table.text());
}

int kernel_banks(const BanksOptions& o) {
  if (o.bytes || o.is_dtype_given)
    throw Error(fmt::format("{} is of a --tile; a kernel's tiles have their own", o.bytes ? "--bytes" : "--dtype"),
                "leave it out, or write --tile 32x32 instead of a kernel");
  const machine::Device device = machine::find_device(o.gpu);
  const problems::Problem& problem = problems::find(o.kernel.kernel);
  const problems::Settings settings = problems::parse(problem, o.kernel.settings);
  const SharedTiles kernel = shared_tiles_of(o.kernel, device);
  if (kernel.tiles.empty())
    throw Error(
        fmt::format("{} keeps no tile in shared memory: it neither transposes nor multiplies blocks", problem.name),
        "try transpose or transposed_matmul, or --tile 32x32");
  const auto which = chosen(o);
  const auto shared = [&](const machine::OperandTile& t) {
    const int bytes = size_in_bytes(t.dtype);
    return SharedTile{t.rows, t.cols, bytes, Placement::none, t.dot_m ? std::min(16, t.cols * bytes) : bytes};
  };
  const auto* right = transposed_right(kernel);
  if (o.json) {
    nlohmann::ordered_json j{{"kernel", problem.name},
                             {"settings", settings_json(problem, settings)},
                             {"gpu", device.name},
                             {"source", "model"},
                             {"tiles", nlohmann::ordered_json::array()}};
    for (const auto& t : kernel.tiles)
      j["tiles"].push_back({{"place", project_path(t.place)},
                            {"what", t.what},
                            {"rows", t.rows},
                            {"cols", t.cols},
                            {"dtype", name_of(t.dtype)},
                            {"transposed", t.transposed},
                            {"times_a_program", t.times},
                            {"bytes_a_lane", shared(t).access_bytes},
                            {"placements", tile_json(shared(t), which)}});
    if (right)
      for (const Placement p : placements)
        j["dot_step"].push_back(step_json(machine::dot_step(*right, kernel.warps, p, device)));
    return fmt::print("{}\n", j.dump(2)), exit_ok;
  }
  const Paint paint = paint_of(stdout);
  fmt::print("{} {}\n{}\n", paint.bold(problem.name), settings_text(problem, settings),
             paint.dim(device.title + ", model; wavefronts of a tile, one time"));
  for (const auto& t : kernel.tiles) {
    fmt::print("\n{}: {},\n  {} x {} {}, {} a lane, {} a program{}\n", project_path(t.place), t.what, t.rows, t.cols,
               name_of(t.dtype), plural(shared(t).access_bytes, "byte"), plural(t.times, "time"),
               t.transposed ? ", read down its columns" : "");
    print_tile(shared(t), which);
  }
  for (const auto& t : kernel.tiles)
    if (t.transposed) {
      print_pictures(shared(t), {Placement::none});
      break;
    }
  if (right) print_steps(*right, kernel.warps, device);
  return exit_ok;
}

int banks(const BanksOptions& o) {
  if (o.tile.empty() == o.kernel.kernel.empty())
    throw Error("`tilescope banks` takes a kernel or a tile",
                "tilescope banks transpose, or tilescope banks --tile 32x32 --dtype f32");
  return o.tile.empty() ? kernel_banks(o) : tile_banks(o);
}

}  // namespace

void add_banks_command(CLI::App& program, int& exit_code) {
  auto o = std::make_shared<BanksOptions>();
  CLI::App* command = program.add_subcommand(
      "banks", "shared memory: conflicts of a tile's store and transposed read, and how to place it without");
  add_kernel_options(*command, o->kernel);
  command->get_option("kernel")->required(false);
  command->add_option("--tile", o->tile, "a tile instead of a kernel's")->type_name("ROWSxCOLS");
  command->add_option("--dtype", o->dtype, "of the tile; default f32")->type_name("DTYPE");
  command->add_option("--bytes", o->bytes, "that a lane takes at once; default one element")->type_name("1..16");
  command->add_option("--placement", o->placement, "one of them; default all three")
      ->check(CLI::IsMember({"none", "padded", "xor"}).description(""))
      ->type_name("none|padded|xor");
  add_gpu_option(*command, o->gpu);
  command->add_flag("--json", o->json, "one JSON object");
  command->footer(
      "Shared memory has 32 banks of 4 bytes: word w lies in bank w mod 32. Lanes that want different words of one "
      "bank take turns.\n\n"
      "Examples:\n"
      "  tilescope banks --tile 32x32 --dtype f32\n"
      "  tilescope banks --tile 64x64 --dtype f16 --bytes 16 --placement xor\n"
      "  tilescope banks transposed_matmul m=512 n=512 k=512 bm=64 bn=64 bk=64 dtype=f32 --gpu t4");
  command->callback([o, command, &exit_code] {
    o->is_dtype_given = command->count("--dtype") > 0;
    exit_code = banks(*o);
  });
}

}  // namespace tl::cli
