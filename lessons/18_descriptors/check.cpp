// Lesson 18: descriptors, and warps of their own that ask for tiles while others multiply.
#include <fmt/format.h>

#include <algorithm>
#include <map>

#include "interp/report/table.h"
#include "kernels/problems/build.h"
#include "lessons/runner/best.h"
#include "lessons/runner/blocks.h"
#include "lessons/runner/gantt.h"
#include "lessons/runner/tensors.h"
#include "lessons/runner/traffic.h"

namespace tl::lessons::descriptors {
namespace {

struct Sizes {
  std::int64_t m, n, k, bm, bn, bk;
};

std::vector<int> tile(std::int64_t rows, std::int64_t cols) { return {static_cast<int>(rows), static_cast<int>(cols)}; }

std::vector<Argument> arguments(const Sizes& z, const Tensor& a, const Tensor& b, const Tensor& c, float alpha) {
  using problems::constant, problems::integer;
  return {DescriptorArgument{a, tile(z.bm, z.bk)},
          DescriptorArgument{b, tile(z.bn, z.bk)},
          DescriptorArgument{c, tile(z.bm, z.bn)},
          integer(z.k),
          FloatArgument{alpha},
          constant(z.bm),
          constant(z.bn),
          constant(z.bk)};
}

// Where the tile of an access begins: row and column, inside of the tensor or not.
std::pair<std::int64_t, std::int64_t> begin_of(const trace::RecordedAccess& a, const Tensor& t) {
  const std::int64_t row = a.base >= 0 ? a.base / t.strides[0] : -1;
  return {row, a.base - row * t.strides[0]};
}

// What stands between a load and its dot: a tile that goes straight to the tensor cores passes through no register.
std::optional<Finding> passes_through(const Observed& o) {
  for (const trace::RecordedProgram& p : o.trace().programs) {
    std::vector<const trace::Step*> made(p.values.size(), nullptr);
    for (const trace::Step& s : p.steps) {
      if (s.op == trace::Op::dot)
        for (const int side : {0, 1}) {
          const trace::Step* from = made[static_cast<std::size_t>(p.operands(s)[static_cast<std::size_t>(side)])];
          while (from && (from->op == trace::Op::trans || from->op == trace::Op::permute))
            from = made[static_cast<std::size_t>(p.operands(*from)[0])];
          if (!from || from->access >= 0) continue;
          const trace::Step* made_by = from;
          while (made_by && made_by->op == trace::Op::cast)
            made_by = made[static_cast<std::size_t>(p.operands(*made_by)[0])];
          const bool is_multiplied = made_by && made_by->op == trace::Op::mul;
          return at(Finding{fmt::format("the numbers are right, but {} goes through {} on its way to the dot",
                                        side == 0 ? "a" : "b",
                                        is_multiplied                 ? "a product"
                                        : from->op == trace::Op::cast ? "a cast"
                                                                      : fmt::format("`{}`", info_of(from->op).text)),
                            "a dot takes a tile from where the copy engine put it; what is computed from it goes "
                            "through registers first, in every round",
                            is_multiplied ? "alpha belongs to the sum: once a tile of c"
                                          : "a dot takes f16 as it was loaded, and adds up in f32"},
                    o.site(from->site));
        }
      for (const std::int32_t v : p.results(s)) made[static_cast<std::size_t>(v)] = &s;
    }
  }
  return std::nullopt;
}

// Sums of 12 to 18 bits: f32 holds them, f16 does not, and those of a trial whose c is f16 are more than it holds until
// they were multiplied by alpha.
Trial trial(const Kernel& kernel, const Sizes& z, DType out, double alpha, bool on_gpu = false) {
  const auto padded_to_8 = [](std::int64_t cols) { return (cols + 7) / 8 * 8 + 8; };
  const Tensor a = padded("a", DType::float16, z.m, z.k, padded_to_8(z.k)),
               b = padded("b", DType::float16, z.n, z.k, padded_to_8(z.k)),
               c = padded("c", out, z.m, z.n, padded_to_8(z.n));
  const std::int64_t least = out == DType::float16 ? 0 : 40;
  fill_coded(a, 6e4, [=](std::int64_t i) { return static_cast<double>((scrambled(i, 16) & 1023) % 61 - least); });
  fill_coded(b, 6e4,
             [=](std::int64_t i) { return static_cast<double>((scrambled(i + 9000, 16) & 1023) % 41 - least); });
  const std::int64_t high = problems::cdiv(z.m, z.bm), wide = problems::cdiv(z.n, z.bn);
  Trial t{.sizes = {{"m", z.m}, {"n", z.n}, {"k", z.k}, {"BM", z.bm}, {"BN", z.bn}, {"BK", z.bk}},
          .expect = passes_through,
          .allowed_loads = {{"a", wide}, {"b", high}},
          .share = z.bm * z.bn,
          .on_gpu = on_gpu};
  t.instance.inputs = {a, b};
  t.instance.outputs = {c};
  t.instance.tolerances = {{0, 0}};  // whole numbers, times a power of two, rounded to what c holds
  t.instance.reference_at = problems::reference_by_element([=](std::int64_t e) {
    double sum = 0;
    for (std::int64_t l = 0; l < z.k; ++l)
      sum += get(a, e / z.n * a.strides[0] + l) * get(b, e % z.n * b.strides[0] + l);
    return rounded(out, sum * alpha);
  });
  t.instance = problems::complete(std::move(t.instance));
  t.instance.launches = {kernel.launch({high, wide}, arguments(z, a, b, c, static_cast<float>(alpha)))};
  return t;
}

std::vector<Trial> trials(const Kernel& kernel) {
  return {trial(kernel, {32, 32, 32, 16, 16, 16}, DType::float32, 0.5),
          trial(kernel, {20, 24, 40, 16, 16, 16}, DType::float32, 2),
          trial(kernel, {70, 100, 50, 32, 64, 16}, DType::float32, -0.25),
          trial(kernel, {64, 48, 96, 64, 16, 32}, DType::float16, 0.25, true),
          trial(kernel, {1, 1, 1, 16, 16, 16}, DType::float32, 4),
          trial(kernel, {20, 24, 40, 16, 16, 16}, DType::float32, 0.1f)};  // f16 holds none such
}

Trial by_chance(const Kernel& kernel, Chance& c) {
  const Sizes z{c.size(1, 60), c.size(1, 60), c.size(1, 80), c.block(16, 32), c.block(16, 32), c.block(16, 32)};
  return trial(kernel, z, DType::float32, static_cast<float>(c.real(-3, 3)));
}

// Tiles that begin elsewhere than this program's, this round's.
std::optional<Finding> wrong_tiles(const Failure& f) {
  const Sizes z{f.trial.size("m"),  f.trial.size("n"),  f.trial.size("k"),
                f.trial.size("BM"), f.trial.size("BN"), f.trial.size("BK")};
  std::map<std::pair<std::int64_t, std::string>, std::int64_t> rounds;
  std::optional<Finding> found;
  f.observed.for_each_access("", [&](std::int64_t number, const trace::RecordedAccess& access, const Site& site) {
    const auto& trace = f.observed.trace();
    const std::string& name = trace.launches.front().tensors[static_cast<std::size_t>(access.tensor)].name;
    const ProgramId id = trace.programs[static_cast<std::size_t>(number)].id;
    const std::int64_t round = rounds[{number, name}]++;
    const Tensor& t = name == "c" ? f.trial.instance.outputs.front() : f.trial.instance.inputs[name == "a" ? 0 : 1];
    const std::int64_t row = name == "b" ? id.y * z.bn : id.x * z.bm, col = name == "c" ? id.y * z.bn : round * z.bk;
    const auto [is_row, is_col] = begin_of(access, t);
    if (found || (is_row == row && is_col == col) || access.writes() != (name == "c")) return;
    const bool counts_tiles =
        access.base == (name == "b" ? id.y : id.x) * t.strides[0] + (name == "c" ? id.y : round) ||
        access.base == row * t.strides[0] + round;
    found = at(
        Finding{
            fmt::format("program ({}, {}) {} {} from element {} on; its tile{} begins at row {}, column {}, element "
                        "{}",
                        id.x, id.y, access.writes() ? "stores" : "loads", name, access.base,
                        name == "c" ? "" : fmt::format(" in round {}", round), row, col, row * t.strides[0] + col),
            fmt::format("{} is {} x {}, and {} elements lie from row to row", name, t.shape[0], t.shape[1],
                        t.strides[0]),
            counts_tiles ? "the two numbers count rows and columns of the tensor, not tiles"
                         : "which program_id counts tiles of rows of a and c, which of b's rows and c's columns?"},
        site);
  });
  return found;
}

// Everything is the right number times the same factor, or a dot starts again.
std::optional<Finding> wrong_sums(const Failure& f) {
  const Tensor &a = f.trial.instance.inputs[0], &b = f.trial.instance.inputs[1], &c = f.trial.instance.outputs.front();
  const std::int64_t bk = f.trial.size("BK"), k = a.shape[1];
  const auto all = [&](auto value) {
    for (std::int64_t i = 0; i < c.shape[0]; ++i)
      for (std::int64_t j = 0; j < c.shape[1]; ++j)
        if (get(c, i * c.strides[0] + j) != value(i, j)) return false;
    return true;
  };
  const auto sum = [&](std::int64_t i, std::int64_t j, std::int64_t from) {
    double s = 0;
    for (std::int64_t l = from; l < k; ++l) s += get(a, i * a.strides[0] + l) * get(b, j * b.strides[0] + l);
    return s;
  };
  const std::string values = fmt::format("c[{}, {}] is {:g}, and should be {:g}", f.first->offset / c.shape[1],
                                         f.first->offset % c.shape[1], f.first->got, f.first->expected);
  const auto dot = f.observed.last_site_of(trace::Op::dot);
  const double alpha = std::get<FloatArgument>(f.trial.instance.launches.front().arguments.at(4)).value;
  if (all([&](std::int64_t i, std::int64_t j) { return sum(i, j, 0); }))
    return at(Finding{"c is the product without alpha", values, "alpha times the sum, before it is stored"},
              f.observed.first_site("c", true));
  if (all([&](std::int64_t i, std::int64_t j) { return alpha * alpha * sum(i, j, 0); }))
    return at(Finding{"c is multiplied by alpha twice", values, "alpha times the sum, once"},
              f.observed.first_site("c", true));
  if (k > bk && all([&](std::int64_t i, std::int64_t j) { return alpha * sum(i, j, (k - 1) / bk * bk); }))
    return at(Finding{"only the last tile along k counts: acc is overwritten at every step, not added to", values,
                      "tl.dot(a, b, acc) adds to acc"},
              dot);
  return std::nullopt;
}

std::optional<Finding> diagnose(const Failure& f) {
  if (!f.observed.has_op(trace::Op::store) && !f.observed.first_site("c", true) && f.faults.empty())
    return Finding{"the kernel stores nothing",
                   fmt::format("{} programs ran, and c is as it was", f.observed.programs()),
                   "c_desc.store({row, col}, block)"};
  if (auto found = wrong_tiles(f)) return found;
  if (!f.first) return std::nullopt;
  if (auto found = nobody_loads(f.trial, f.observed)) return found;
  return wrong_sums(f);
}

// The solution on a clock where warps of their own ask for tiles: how many slots until no dot but the first waits.
Answer predict() {
  const Sizes z{16, 16, 128, 16, 16, 16};
  const Tensor a = make_tensor("a", DType::float16, {z.m, z.k}), b = make_tensor("b", DType::float16, {z.n, z.k}),
               c = make_tensor("c", DType::float32, {z.m, z.n});
  for (const Tensor* t : {&a, &b})
    for (std::int64_t i = 0; i < t->elems(); ++i) set(*t, i, 1);
  problems::Instance instance;
  instance.launches = {launch_of_solution("18_descriptors", {1, 1}, arguments(z, a, b, c, 1), {})};
  std::vector<Fault> faults;
  const Observed o = observe(instance, faults);
  report::Table table{.header = {"slots", "units", "dots waited", "loads waited"}};
  std::int64_t enough = 0;
  for (std::int64_t slots = 1; slots <= 5; ++slots) {
    const auto bars = bars_of(o.trace(), o.trace().programs.front(), {.load = 4, .dot = 2, .slots = slots});
    std::int64_t dots = 0, loads = 0;
    for (const Bar& bar : bars) (bar.is_dot ? dots : loads) += bar.waited;
    if (enough == 0 && dots == 4) enough = slots;
    table.rows.push_back(
        {std::to_string(slots), std::to_string(end_of(bars)), std::to_string(dots), std::to_string(loads)});
  }
  return {std::to_string(enough),
          "eight tiles, a load 4 units, a dot 2; the first dot always waits 4:\n" + table.text(0)};
}

std::string on_wrong(const std::string& guess) {
  if (guess == "2")
    return "The copy of a tile begins as its slot is free, that is a dot's end; until it is there, 4 units, two other "
           "tiles must be ready.";
  if (guess == "1") return "With one slot a copy begins as the dot before it has ended: one after the other.";
  if (guess == "4" || guess == "8") return "That is enough; fewer are, too.";
  return "";
}

}  // namespace

Lesson lesson() {
  return {
      .folder = "18_descriptors",
      .title = "Descriptors: copies by warps of their own",
      .kernel = "descriptor_kernel",
      .parameters = "dddifccc",
      .picture = {"persistent_matmul", {"m=256", "n=256", "k=256", "bm=64", "bn=64", "bk=64"}, "chip"},
      .prediction = {{}, predict, on_wrong},
      .trials = trials,
      .by_chance = by_chance,
      .relations = {{.law = "(2 A) B = 2 (A B)", .times = 2, .outputs = 2}},
      .diagnose = diagnose,
      .note_when_passed =
          "No offset of an element, no mask, and no op between a copy and its dot: some warps only copy, the others "
          "only multiply."};
}

}  // namespace tl::lessons::descriptors
