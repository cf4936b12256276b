#include "viz/model/ordered_blocks.h"

#include <algorithm>
#include <utility>

#include "viz/model/product.h"

namespace tl::viz {

namespace {

// Where the programs stored last, by linear id: as the model's accesses say, else as recorded; empty if that is not
// one launch as a whole.
std::vector<StoredAt> last_stores(Scene& scene) {
  if (scene.model && !scene.model->last_stores.empty()) return scene.model->last_stores;
  const trace::RecordedTrace& trace = scene.session.trace();
  std::vector<StoredAt> stores(trace.programs.size());
  if (trace.launches.size() != 1) return {};
  for (const trace::RecordedProgram& p : trace.programs) {
    const auto store = std::find_if(p.accesses.rbegin(), p.accesses.rend(),
                                    [](const trace::RecordedAccess& a) { return a.writes() && a.active > 0; });
    const std::int64_t program = linear_id(trace.launches.front(), p.id);
    if (store == p.accesses.rend() || program >= std::ssize(stores)) return {};
    const std::int64_t stride =
        std::max<std::int64_t>(1, trace.launches.front().tensors[store->tensor].strides.front());
    stores[program] = {store->first / stride, store->first % stride};
  }
  return stores;
}

// The block of C that each program of the run made, by where it stored; empty if a program made more than one.
std::vector<std::int64_t> order_of_run(Scene& scene, const OrderedBlocks& b) {
  std::vector<std::int64_t> order;
  for (const StoredAt& at : last_stores(scene)) {
    const std::int64_t i = at.row / b.rows, j = at.column / b.columns;
    if (at.row < 0 || i >= b.m || j >= b.n) return {};
    order.push_back(i * b.n + j);
  }
  return std::ssize(order) == b.m * b.n ? order : std::vector<std::int64_t>();
}

// The blocks of a program that sums tiles of two tensors into a third's.
std::optional<OrderedBlocks> blocks_of_product(debug::Session& session) {
  const auto cdiv = [](std::int64_t a, std::int64_t b) { return (a + b - 1) / b; };
  const auto& programs = session.trace().programs;
  for (std::size_t p = 0; p < programs.size(); ++p)
    for (const Product& made : products_of(session, p)) {
      if (made.is_by_loop || !made.a.is_read() || !made.b.is_read() || !made.c.is_read() || made.sums.empty()) continue;
      const Sum& sum = made.sums.front();
      const std::int64_t depth = sum.turns.front().a.columns;
      if (sum.c.rows < 1 || sum.c.columns < 1 || depth < 1) continue;
      OrderedBlocks b;
      b.rows = sum.c.rows;
      b.columns = sum.c.columns;
      b.m = cdiv(made.c.rows, b.rows);
      b.n = cdiv(made.c.columns, b.columns);
      b.k = cdiv(made.a.columns, depth);
      return b;
    }
  return std::nullopt;
}

}  // namespace

Swizzled<std::int64_t> block_of(const OrderedBlocks& blocks, bool is_grouped, std::int64_t program) {
  if (is_grouped && !blocks.own.empty()) return {blocks.own[program] / blocks.n, blocks.own[program] % blocks.n};
  return is_grouped ? swizzle2d<std::int64_t>(program / blocks.n, program % blocks.n, blocks.m, blocks.n, blocks.group)
                    : Swizzled<std::int64_t>{program / blocks.n, program % blocks.n};
}

std::optional<OrderedBlocks> blocks_of(Scene& scene) {
  debug::Session& session = scene.session;
  // The model's settings come before the recording's: after a slider moves, the model is there first.
  const auto argument = [&](const char* name) -> std::optional<std::int64_t> {
    if (scene.model)
      if (const auto it = scene.model->sizes.find(name); it != scene.model->sizes.end()) return it->second;
    return integer_argument(session, name);
  };
  const auto cdiv = [](std::int64_t a, std::int64_t b) { return (a + b - 1) / b; };
  OrderedBlocks b;
  const auto m = argument("m"), n = argument("n"), k = argument("k"), bm = argument("bm"), bn = argument("bn"),
             bk = argument("bk");
  auto group = argument("group_size");
  for (const char* name : {"GROUP_SIZE_M", "GROUP_M", "GROUP_SIZE", "group_sz"})
    if (!group) group = argument(name);
  if (m && n && k && bm && bn && bk && *bm > 0 && *bn > 0 && *bk > 0) {
    b.m = cdiv(*m, *bm);
    b.n = cdiv(*n, *bn);
    b.k = cdiv(*k, *bk);
    b.group = group.value_or(0);
    b.rows = *bm;
    b.columns = *bn;
  } else if (m && n && k && !bm && !bn && session.launch().grid[0] == *m * *n) {  // blocks of one element
    b.m = *m;
    b.n = *n;
    b.k = *k;
    b.group = group.value_or(0);
  } else if (group && session.launch().grid[1] > 1) {
    b.m = session.launch().grid[0];
    b.n = session.launch().grid[1];
    b.group = *group;
    b.is_product = false;
  } else if (const auto made = blocks_of_product(session)) {
    b = *made;
    b.group = group.value_or(0);
  } else {
    return std::nullopt;
  }
  const bool is_group_known = b.group > 0;
  if (b.group < 1) b.group = std::min<std::int64_t>(b.m, 8);
  b.is_run = true;
  b.launched = programs_of(session.launch());
  const OrderedBlocks run = b;
  b.m = std::clamp<std::int64_t>(scene.setting("blocks_m", b.m), 1, 4096);
  b.n = std::clamp<std::int64_t>(scene.setting("blocks_n", b.n), 1, 4096);
  b.k = std::clamp<std::int64_t>(scene.setting("blocks_k", b.k), 1, 4096);
  b.group = std::clamp<std::int64_t>(scene.setting("group_size", b.group), 1, b.m);
  b.is_run = b.m == run.m && b.n == run.n && b.k == run.k && b.group == std::min(run.group, b.m);
  if (!b.is_run || !b.is_product) return b;  // without sizes the grid is the picture: its ids are blocks
  b.across = session.launch().grid[1];
  std::vector<std::int64_t> own = order_of_run(scene, b);
  const auto is_made_so = [&](bool is_grouped) {
    for (std::size_t p = 0; p < own.size(); ++p)
      if (const auto at = block_of(b, is_grouped, static_cast<std::int64_t>(p)); own[p] != at.i * b.n + at.j)
        return false;
    return true;
  };
  for (std::int64_t g = 1; g <= b.m && b.across == 1 && !is_group_known && !is_made_so(false) && !is_made_so(true); ++g)
    b.group = g;
  b.is_grouped_run = !own.empty() && !is_made_so(false) && is_made_so(true);
  if (!own.empty() && !is_made_so(false) && !is_made_so(true)) b.own = std::move(own);
  return b;
}

}  // namespace tl::viz
