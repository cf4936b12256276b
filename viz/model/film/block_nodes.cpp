// A tile in shared memory, by banks; a block in registers, by threads.
#include <fmt/ranges.h>

#include <algorithm>

#include "interp/machine/access/banks.h"
#include "interp/rules/dot.h"
#include "interp/rules/mma_operands.h"
#include "interp/rules/shared_tile.h"
#include "viz/model/film/nodes.h"
#include "viz/model/sheet.h"

namespace tl::viz::film {

namespace {

// Where an element lies, in bytes from the tile's first.
struct Placed {
  std::string name;
  int (*offset)(int row, int column, int rows, int columns, int element_bytes);
};

int swizzled(int row, int column, int rows, int columns, int element_bytes) {
  return rules::SwizzledTile{element_bytes, rows, columns}.offset(row, column);
}
int plain(int row, int column, int, int columns, int element_bytes) { return (row * columns + column) * element_bytes; }
int padded(int row, int column, int, int columns, int element_bytes) {
  return row * (columns * element_bytes + 16) + column * element_bytes;
}

// Eight rows of 16 bytes, as ldmatrix and the tensor cores read: one phase, of which each bank serves a word at a time.
machine::Wavefronts read_of(const Placed& placed, const Op& op) {
  machine::Request request;
  request.bytes = 16;
  for (int lane = 0; lane < 32; ++lane) {
    const int row = lane % 8, piece = lane / 8;
    if (row >= op.rows || (piece + 1) * 16 > op.columns * op.element_bytes) continue;
    request.active |= 1u << lane;
    request.address[lane] = placed.offset(row, piece * 16 / op.element_bytes, static_cast<int>(op.rows),
                                          static_cast<int>(op.columns), op.element_bytes);
  }
  return machine::wavefronts_of(request);
}

// The first 16 rows of the tile: words in banks; the lanes of the read are coloured.
Map banks_of(const Placed& placed, const Op& op, const Box& box, int group) {
  Map m;
  m.name = placed.name;
  m.row_name = "line";
  m.column_name = "bank";
  m.box = box;
  m.group = group;
  m.columns = 32;
  m.block_columns = op.columns;
  m.elements_a_cell = std::max(1, 4 / op.element_bytes);
  const int rows = static_cast<int>(std::min<std::int64_t>(op.rows, 16)), columns = static_cast<int>(op.columns);
  int last = 0;
  for (int r = 0; r < rows; ++r)
    for (int c = 0; c < columns && c * op.element_bytes < 128; ++c)
      last = std::max(last, placed.offset(r, c, static_cast<int>(op.rows), columns, op.element_bytes));
  m.rows = last / 128 + 1;
  m.element.assign(static_cast<std::size_t>(m.rows * 32), -1);
  m.colour.assign(m.element.size(), 3);
  m.major.assign(m.element.size(), 0);
  m.minor = m.major;
  for (int r = rows - 1; r >= 0; --r)
    for (int c = columns - 1; c >= 0; --c) {
      if (c * op.element_bytes >= 128) continue;
      const int word = placed.offset(r, c, static_cast<int>(op.rows), columns, op.element_bytes) / 4;
      m.element[word] = r * columns + c;
      m.major[word] = r;
      m.minor[word] = c;
      m.colour[word] = r < 8 && c * op.element_bytes < 16 ? 6 : r % 2 == 0 ? 0 : 5;
    }
  m.words = "{},{}";
  return m;
}

}  // namespace

int add_slot_node(Film& film, const Op& op, bool is_by_tma) {
  Node node{.name = op.name};
  const int group = static_cast<int>(film.nodes.size());
  add_text(node, 40, 44,
           fmt::format("{} in a slot: {} x {} elements of {} bytes, {} a row", op.name, op.rows, op.columns,
                       op.element_bytes, report::bytes_text(double(op.columns * op.element_bytes))),
           20)
      .is_bold = true;
  node.paragraphs.push_back(
      {40, 70, 1520,
       fmt::format(
           "32 banks of 4 bytes; {} XORs 16-byte chunks with the row. Orange: what 8 lanes ask for at once, 16 bytes "
           "each; words of one bank wait for each other.",
           is_by_tma ? "TMA" : "cp.async")});
  const Placed placements[] = {
      {"rows XORed: the kernel's", swizzled}, {"rows as they are", plain}, {"each row padded by 16 bytes", padded}};
  for (int i = 0; i < 3; ++i) {
    const float x = 60 + 520 * length(i);
    const machine::Wavefronts w = read_of(placements[i], op);
    node.maps.push_back(banks_of(placements[i], op, {x, 150, 470, 640}, group));
    add_text(node, x, 892, fmt::format("a read of 32 lanes, 16 bytes each:"), 14);
    add_text(node, x, 922,
             w.conflicts() == 0 ? fmt::format("{} passes, no conflict", w.wavefronts)
                                : fmt::format("{} passes, {} for conflicts", w.wavefronts, w.conflicts()),
             16, Align::left, {w.conflicts() == 0 ? Role::good : Role::fault})
        .is_bold = true;
  }
  node.paragraphs.push_back({60, 964, 1500,
                             "Shown: the tile's first 16 rows and 128 bytes of each. Point at a word: the same "
                             "elements light in all three."});
  film.nodes.push_back(std::move(node));
  return group;
}

int add_registers_node(Film& film, const ValueInRegisters& v) {
  Node node{.name = v.name};
  const auto elements = v.shape.count();
  const std::int64_t columns = v.shape.rank > 1 ? v.shape[v.shape.rank - 1] : std::min(32, elements),
                     rows = elements / columns;
  const int registers = v.layout.register_count(), threads = 32 * v.layout.warp_count(),
            replicas = v.layout.replicated_bits();
  int copies = 1;
  for (int bits = replicas; bits; bits &= bits - 1) copies *= 2;
  add_text(node, 40, 40,
           fmt::format("{}: {} of {}, {}", v.name, fmt::join(v.shape.at, v.shape.at + v.shape.rank, " x "),
                       name_of(v.dtype), v.what),
           20)
      .is_bold = true;
  node.paragraphs.push_back(
      {40, 64, 1520,
       fmt::format("{}. {} threads with {} registers each{}; a colour is a warp{}. Point at an element.", v.layout_name,
                   threads, registers, copies > 1 ? fmt::format("; each element is held {} times", copies) : "",
                   threads > 7 * 32 ? ", seven in turn" : "")});
  Map block, holders;
  block.name = v.name;
  block.row_name = "row";
  block.column_name = "column";
  block.rows = rows;
  block.columns = columns;
  block.block_columns = v.shape.rank > 1 ? columns : 1;
  block.words = "T{} R{}";
  block.group = holders.group = static_cast<int>(film.nodes.size());
  block.box = {70, 132, 700, 808};
  if (rows * 2 < columns) block.box.h = std::max(160.f, 700 * length(rows) / length(columns) * 2);
  block.major.resize(elements);
  block.minor.resize(elements);
  block.colour.resize(elements);
  holders.name = "held by";
  holders.row_name = "thread";
  holders.column_name = "register";
  holders.rows = threads;
  holders.columns = registers;
  holders.block_columns = block.block_columns;
  holders.box = {870, 132, 690, 808};
  for (int t = 0; t < threads; ++t)
    for (int r = 0; r < registers; ++r) {
      const int e = v.layout.of_thread(t) | v.layout.of_register(r);
      holders.element.push_back(e);
      holders.colour.push_back(t / 32);
      holders.major.push_back(static_cast<int>(e / columns));
      holders.minor.push_back(static_cast<int>(e % columns));
      if (v.layout.is_first_holder(t)) {
        block.major[e] = t;
        block.minor[e] = r;
        block.colour[e] = t / 32;
      }
    }
  holders.words = "{},{}";
  node.maps.push_back(std::move(block));
  node.maps.push_back(std::move(holders));
  film.nodes.push_back(std::move(node));
  return static_cast<int>(film.nodes.size()) - 1;
}

std::vector<ValueInRegisters> operands_of(const DotInRegisters& d, const rules::Config& config) {
  constexpr int most = 1 << 16;  // elements
  if (config.matrix == rules::Matrix::none || d.m * d.k > most || d.k * d.n > most ||
      rules::dot_unit(config, {d.left, d.right, false, false}, d.m, d.n, d.k) != rules::DotUnit::mma_sync)
    return {};
  const auto operand = [&](const std::string& name, DType given, bool is_left) {
    const DType dtype = rules::dot_input(rules::DotUnit::mma_sync, given);
    const int bytes = static_cast<int>(size_in_bytes(dtype));
    return ValueInRegisters{
        name + " in dot",
        fmt::format("for the dot in line {}", d.line),
        d.line,
        dtype,
        is_left ? rules::Sizes{d.m, d.k} : rules::Sizes{d.k, d.n},
        is_left ? rules::mma_sync_left(d.m, d.n, d.k, bytes, config.num_warps)
                : rules::mma_sync_right(d.m, d.n, d.k, bytes, config.num_warps),
        is_left ? "mma.sync: left operand, rows by warps" : "mma.sync: right operand, columns by warps"};
  };
  return {operand(d.left_name, d.left, true), operand(d.right_name, d.right, false)};
}

}  // namespace tl::viz::film
