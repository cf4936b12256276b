// tilescope banks KERNEL | --tile ROWSxCOLS: wavefronts of shared memory, with no, padded and XOR placement.
#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <memory>
#include <nlohmann/json.hpp>

#include "interp/cli/commands.h"
#include "interp/cli/options.h"
#include "interp/lang/error.h"
#include "interp/run/banks_text.h"

namespace tl::cli {

using namespace report;
using namespace run;

namespace {

struct BanksOptions {
  KernelOptions kernel;
  TileRequest tile;
  std::string gpu = "h200";
  bool is_dtype_given = false, json = false;
};

int kernel_banks(const BanksOptions& o, const machine::Device& device) {
  if (o.tile.bytes || o.is_dtype_given)
    throw Error(fmt::format("{} is of a --tile; a kernel's tiles have their own", o.tile.bytes ? "--bytes" : "--dtype"),
                "leave it out, or write --tile 32x32 instead of a kernel");
  const SharedTiles found = shared_tiles_of(o.kernel, device);
  if (found.tiles.empty())
    throw Error(fmt::format("{} keeps no tile in shared memory: it neither multiplies blocks nor exchanges their axes",
                            o.kernel.kernel),
                "try transpose or transposed_matmul, or --tile 32x32");
  if (o.json) fmt::print("{}\n", banks_json(o.kernel, found, o.tile.placement, device).dump(2));
  else fmt::print("{}", banks_text(o.kernel, found, o.tile.placement, device, paint_of(stdout), columns_of(stdout)));
  return exit_ok;
}

int banks(const BanksOptions& o) {
  if (o.tile.tile.empty() == o.kernel.kernel.empty())
    throw Error("`tilescope banks` takes a kernel or a tile",
                "tilescope banks transpose, or tilescope banks --tile 32x32 --dtype f32");
  const machine::Device device = machine::find_device(o.gpu);
  if (o.tile.tile.empty()) return kernel_banks(o, device);
  if (o.json) fmt::print("{}\n", banks_json(o.tile).dump(2));
  else fmt::print("{}", banks_text(o.tile, device));
  return exit_ok;
}

}  // namespace

void add_banks_command(CLI::App& program, int& exit_code) {
  auto o = std::make_shared<BanksOptions>();
  CLI::App* command = program.add_subcommand(
      "banks", "shared memory: conflicts of a tile's store and transposed read, and how to place it without");
  add_kernel_options(*command, o->kernel);
  command->get_option("kernel")->required(false);
  command->add_option("--tile", o->tile.tile, "a tile instead of a kernel's")->type_name("ROWSxCOLS");
  command->add_option("--dtype", o->tile.dtype, "of the tile; default f32")->type_name("DTYPE");
  command->add_option("--bytes", o->tile.bytes, "that a lane takes at once; default one element")->type_name("1..16");
  command->add_option("--placement", o->tile.placement, "one of them; default all three")
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
