// A tile in shared memory, by banks; a block in registers, by threads.
#include <fmt/ranges.h>

#include <algorithm>

#include "viz/model/film/nodes.h"
#include "viz/model/sheet.h"

namespace tl::viz::film {

int add_slot_node(Film& film, const Op& op, bool) {
  Node node{.name = op.name};
  add_text(node, 40, 60, fmt::format("{} x {} elements of {} bytes", op.rows, op.columns, op.element_bytes), 20);
  film.nodes.push_back(std::move(node));
  return static_cast<int>(film.nodes.size()) - 1;
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
  add_text(node, 40, 64,
           fmt::format("{}. {} threads with {} registers each{}. Point at an element, or at a register.", v.layout_name,
                       threads, registers, copies > 1 ? fmt::format("; each element is held {} times", copies) : ""),
           13, Align::left, {Role::soft});
  Map block, holders;
  block.name = v.name, block.row_name = "row", block.column_name = "column";
  block.rows = rows, block.columns = columns, block.block_columns = v.shape.rank > 1 ? columns : 1;
  block.words = "T{} R{}", block.group = holders.group = static_cast<int>(film.nodes.size());
  block.box = {70, 110, 700, 830};
  if (rows * 2 < columns) block.box.h = std::max(160.f, 700 * length(rows) / length(columns) * 2);
  block.major.resize(elements), block.minor.resize(elements), block.colour.resize(elements);
  holders.name = "held by", holders.row_name = "thread", holders.column_name = "register";
  holders.rows = threads, holders.columns = registers, holders.block_columns = block.block_columns;
  holders.box = {870, 110, 690, 830};
  for (int t = 0; t < threads; ++t)
    for (int r = 0; r < registers; ++r) {
      const int e = v.layout.of_thread(t) | v.layout.of_register(r);
      holders.element.push_back(e), holders.colour.push_back(t / 32);
      holders.major.push_back(static_cast<int>(e / columns)), holders.minor.push_back(static_cast<int>(e % columns));
      if (v.layout.is_first_holder(t)) block.major[e] = t, block.minor[e] = r, block.colour[e] = t / 32;
    }
  holders.words = "{},{}";
  add_text(node, 70, 985, "colours: warps, 0 to 6 and again", 13, Align::left, {Role::soft});
  node.maps.push_back(std::move(block)), node.maps.push_back(std::move(holders));
  film.nodes.push_back(std::move(node));
  return static_cast<int>(film.nodes.size()) - 1;
}

}  // namespace tl::viz::film
