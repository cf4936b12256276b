// Lesson 16: flash attention. Blocks of scores that no memory holds, and, causal, two loops: whole blocks, then the
// diagonal.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <memory>
#include <mutex>

#include "interp/report/numbers.h"
#include "interp/report/table.h"
#include "kernels/problems/build.h"
#include "lessons/runner/best.h"
#include "lessons/runner/blocks.h"
#include "lessons/runner/puzzle.h"

namespace tl::lessons::flash {
namespace {

struct Sizes {
  std::int64_t n, bm, bn, d;
};

double in_f16(double v) {  // of 11 bits, fewer below 2 to the power of -14
  int exponent = 0;
  std::frexp(v, &exponent);
  const double unit = std::ldexp(1, std::max(exponent, -13) - 11);
  return std::nearbyint(v / unit) * unit;
}

// Scores are whole numbers, so that weights are powers of two, which f16 holds, and only the quotient is rounded.
struct Attention {
  Tensor q, k, v;
  Sizes z;
  double scale;

  // n x n, computed when a thread first asks for them.
  struct Scores {
    std::once_flag once;
    std::vector<double> all;
  };
  std::shared_ptr<Scores> kept = std::make_shared<Scores>();

  const std::vector<double>& scores() const {
    std::call_once(kept->once, [this] { compute(kept->all); });
    return kept->all;
  }
  void compute(std::vector<double>& scores) const {
    scores.resize(static_cast<std::size_t>(z.n * z.n));
    for (std::int64_t i = 0; i < z.n; ++i)
      for (std::int64_t j = 0; j < z.n; ++j) {
        double sum = 0;
        for (std::int64_t l = 0; l < z.d; ++l) sum += get(q, i * z.d + l) * get(k, j * z.d + l);
        scores[static_cast<std::size_t>(i * z.n + j)] = sum * scale;
      }
  }
  // How a mistaken kernel's row differs from a right one.
  struct Otherwise {
    std::int64_t most_keys;                                         // keys 0 to this one, without it
    double scores = 1, base = 2;                                    // another factor, another base
    bool divides = true, sum_rescaled = true, acc_rescaled = true;  // else: each block by the largest so far
    bool sum_goes_on = true, acc_goes_on = true;                    // else: of the last block alone
  };
  double value(std::int64_t e, const Otherwise& o) const {
    const std::int64_t i = e / z.d, keys = o.most_keys;
    const std::vector<double>& all_scores = scores();
    const auto s = [&](std::int64_t j) { return all_scores[static_cast<std::size_t>(i * z.n + j)] * o.scores; };
    double all = -INFINITY, so_far = -INFINITY, sum = 0, acc = 0;
    for (std::int64_t j = 0; j < keys; ++j) all = std::max(all, s(j));
    const std::int64_t last = (keys - 1) / z.bn * z.bn;
    for (std::int64_t j = 0; j < keys; ++j) {
      for (std::int64_t l = j; j % z.bn == 0 && l < std::min(j + z.bn, keys); ++l) so_far = std::max(so_far, s(l));
      const float weight = static_cast<float>(std::pow(o.base, s(j) - so_far));  // 0 below what f32 holds
      const double factor = std::pow(o.base, so_far - all);
      if (o.sum_goes_on || j >= last) sum += weight * (o.sum_rescaled ? factor : 1);
      if (o.acc_goes_on || j >= last) acc += in_f16(weight) * (o.acc_rescaled ? factor : 1) * get(v, j * z.d + e % z.d);
    }
    return o.divides ? acc / sum : acc;
  }
};

std::vector<Slip> slips_of(const std::shared_ptr<const Attention>& a) {
  std::vector<Slip> slips{all_nan()};
  const auto slip = [&](const char* headline, const char* fix, auto otherwise) {
    slips.push_back({headline, fix, [=](std::int64_t e) { return a->value(e, otherwise(e / a->z.d)); }});
  };
  using Otherwise = Attention::Otherwise;
  const char* both = "both are made of terms measured from the old largest: both times exp2(old - new)";
  slip("every query sees all keys, also those after its own", "a query i sees the keys j <= i: tl.where",
       [n = a->z.n](std::int64_t) { return Otherwise{.most_keys = n}; });
  slip("the scores are not multiplied by scale", "s = scale (q . k)",
       [scale = a->scale](std::int64_t i) { return Otherwise{.most_keys = i + 1, .scores = 1 / scale}; });
  slip("the scores are multiplied by scale twice", "once is enough, of q or of the scores",
       [scale = a->scale](std::int64_t i) { return Otherwise{.most_keys = i + 1, .scores = scale}; });
  slip("the weights are powers of e, not of 2", "tl.exp2: the factor 1 / ln 2 stands in scale already",
       [](std::int64_t i) { return Otherwise{.most_keys = i + 1, .base = std::exp(1.0)}; });
  slip("o was not divided by the sum of the weights",
       "`acc / sum(_, None)` (in Python `acc / sum[:, None]`), at the end",
       [](std::int64_t i) { return Otherwise{.most_keys = i + 1, .divides = false}; });
  slip("where the largest score rises, what was summed before is measured from the old one", both,
       [](std::int64_t i) { return Otherwise{.most_keys = i + 1, .sum_rescaled = false, .acc_rescaled = false}; });
  slip("acc was rescaled where the largest score rose, and the sum was not", both,
       [](std::int64_t i) { return Otherwise{.most_keys = i + 1, .sum_rescaled = false}; });
  slip("the sum was rescaled where the largest score rose, and acc was not", both,
       [](std::int64_t i) { return Otherwise{.most_keys = i + 1, .acc_rescaled = false}; });
  const char* goes_on = "what the blocks before it made is multiplied by the factor, and this block's is added";
  slip("the sum is of the last block of keys alone: every step overwrites what the others made", goes_on,
       [](std::int64_t i) { return Otherwise{.most_keys = i + 1, .sum_goes_on = false}; });
  slip("acc is of the last block of keys alone: every step overwrites what the others made", goes_on,
       [](std::int64_t i) { return Otherwise{.most_keys = i + 1, .acc_goes_on = false}; });
  return slips;
}

// Dots with scores as a result, or ops that choose among scores, of one program.
template <class Is>
std::vector<Site> on_scores(const Observed& o, const trace::RecordedProgram& p, const Sizes& z, Is is) {
  std::vector<Site> sites;
  for (const trace::Step& s : p.steps) {
    if (!is(s.op) || p.results(s).empty()) continue;
    const auto& shape = p.values[static_cast<std::size_t>(p.results(s)[0])].shape;
    const bool mine =
        z.bn != z.d || s.op != trace::Op::dot || p.values[static_cast<std::size_t>(p.operands(s)[0])].shape[1] == z.d;
    if (shape.rank == 2 && shape[0] == z.bm && shape[1] == z.bn && mine) sites.push_back(o.site(s.site));
  }
  return sites;
}

bool is_dot(trace::Op op) { return op == trace::Op::dot; }

// Blocks that no query of the program sees, and masks where every query sees every key.
std::optional<Finding> needless(const Observed& o, const Sizes& z) {
  for (const trace::RecordedProgram& p : o.trace().programs) {
    const std::int64_t first = p.id.x * z.bm, seen = problems::cdiv(std::min(first + z.bm, z.n), z.bn),
                       diagonal = seen - first / z.bn;
    const std::string queries = fmt::format("queries {} to {}", first, std::min(first + z.bm, z.n) - 1);
    if (const auto masks = on_scores(o, p, z, [](trace::Op op) { return op == trace::Op::where; });
        std::ssize(masks) > diagonal)
      return at(Finding{fmt::format("the numbers are right, but program {} masks {} blocks of scores, and {} need it",
                                    p.id.x, masks.size(), diagonal),
                        fmt::format("its {} see all of keys 0 to {}", queries, first - 1),
                        "two loops: blocks before the diagonal without the mask, then those that it crosses"},
                masks.front());
  }
  return std::nullopt;
}

// Blocks of keys that a program multiplies beyond those that its queries see, or fewer.
std::optional<Finding> wrong_blocks(const Observed& o, const Sizes& z, bool too_many) {
  for (const trace::RecordedProgram& p : o.trace().programs) {
    const std::int64_t last = std::min((p.id.x + 1) * z.bm, z.n) - 1, seen = last / z.bn + 1;
    std::vector<Site> dots = on_scores(o, p, z, is_dot);
    if (z.bn == z.d && z.bn == z.bm) dots.resize(dots.size() / 2);  // w v has the same shapes
    const auto many = std::ssize(dots);
    if (too_many ? many <= seen : many >= seen) continue;
    return at(
        Finding{fmt::format("program {} multiplies {} of keys, and its queries see {}", p.id.x,
                            report::plural(many, "block"), seen),
                fmt::format("queries {} to {}; block {} begins with key {}", p.id.x * z.bm, last,
                            too_many ? seen : many, (too_many ? seen : many) * z.bn),
                too_many ? "where does the loop over keys end?" : "from where to where do the loops over keys go?"},
        dots.empty() ? o.site_of(trace::Op::store) : dots.back());
  }
  return std::nullopt;
}

// `step`: of the scores. Where it is 1, every weight is a power of two, and no dtype rounds it.
Trial trial(const Kernel& kernel, const Sizes& z, double scale, bool on_gpu = false, double step = 1) {
  constexpr double most_v = 600.0 / 16;
  const auto q_value = [d = z.d](std::int64_t number) { return small_numbers(d > 16 ? 1 : 3)(number); };
  const Tensor q = puzzle_input("q", DType::float16, {z.n, z.d}, z.n, q_value);
  const Tensor k = puzzle_input("k", DType::float16, {z.n, z.d}, z.n + 50,
                                [=](std::int64_t number) { return small_numbers(2)(number) * step / scale; });
  const Tensor v = puzzle_input("v", DType::float16, {z.n, z.d}, z.n + 70, [](std::int64_t number) {
    return small_numbers(600)(number) / 16;  // more bits than bf16 holds
  });
  for (std::int64_t i = 3; i < z.n; i += 7)  // queries whose scores go far beyond what f32's powers reach
    for (std::int64_t l = 0; l < z.d; ++l) set(q, i * z.d + l, 24 * get(q, i * z.d + l));
  // All keys begin alike, and some queries with a large negative number: their scores have 12 bits, none above -2900.
  for (std::int64_t j = 0; j < z.n; ++j) {
    set(k, j * z.d, 1 / scale);
    set(q, j * z.d, j % 7 == 5 ? -3000 : 0);
  }
  const auto a = std::make_shared<const Attention>(Attention{q, k, v, z, scale});
  const std::int64_t programs = problems::cdiv(z.n, z.bm);
  Trial t = trial_of(kernel, {.sizes = {{"n", z.n}, {"BM", z.bm}, {"BN", z.bn}, {"D", z.d}},
                              .floats = {static_cast<float>(scale)},
                              .grid = {programs},
                              .inputs = {q, k, v},
                              .output = puzzle_output("o", DType::float32, {z.n, z.d}),
                              .value = [=](std::int64_t e) { return a->value(e, {.most_keys = e / z.d + 1}); },
                              // v of both signs cancel, weights below 2 to the -24 are 0, f16 rounds the others.
                              .tolerance = {step == 1 ? 2e-4 : 1.05 * 0x1p-11 * most_v, 1e-5},
                              .allowed_loads = {{"k", programs}, {"v", programs}},
                              .share = z.bm * z.d,
                              .slips = slips_of(a),
                              .on_gpu = on_gpu});
  t.expect = [z](const Observed& o) -> std::optional<Finding> {
    if (auto found = wrong_blocks(o, z, true)) {
      found->headline = "the numbers are right, but " + found->headline;
      return found;
    }
    return needless(o, z);
  };
  return t;
}

std::vector<Trial> trials(const Kernel& kernel) {
  return {trial(kernel, {32, 16, 16, 32}, 1),
          trial(kernel, {37, 32, 16, 64}, 0.5),
          trial(kernel, {90, 64, 32, 16}, 0.25),
          trial(kernel, {64, 16, 16, 16}, 0.5),
          trial(kernel, {5, 16, 16, 32}, 0.25),
          trial(kernel, {150, 64, 16, 32}, 0.25, true),
          trial(kernel, {40, 32, 16, 32}, 0.69725, false, 0.8125)};  // of more bits than bf16 holds
}

Trial by_chance(const Kernel& kernel, Chance& c) {
  const std::int64_t bn = c.block(16, 32), d = bn == 16 ? 32 : 16;  // of other shapes are q k and w v
  return trial(kernel, {c.size(1, 90), bn * c.block(1, 2), bn, d}, c.one_of({1.0, 0.5, 0.25}), false,
               c.one_of({1.0, 0.8125}));
}

bool takes_nan(const Observed& o, trace::Op op) {
  for (const trace::RecordedProgram& p : o.trace().programs)
    for (const trace::Step& s : p.steps) {
      if (s.op != op) continue;
      const trace::RecordedValue& given = p.values[static_cast<std::size_t>(p.operands(s)[0])];
      for (std::int64_t lane = 0; given.is_kept() && lane < given.shape.product(); ++lane)
        if (std::isnan(trace::element_as_double(given, lane))) return true;
    }
  return false;
}

std::optional<Finding> diagnose(const Failure& f) {
  const Tensor& o = f.trial.instance.outputs.front();
  if (f.first && std::isnan(f.first->got) && f.observed.last_writer("o", offset_of(o, f.first->offset)))
    if (const auto site = f.observed.site_of(trace::Op::where); site && takes_nan(f.observed, trace::Op::exp2))
      return at(
          Finding{fmt::format("o[{}, {}] is nan: of query {} a whole block was masked off before it saw any key",
                              f.first->offset / o.shape[1], f.first->offset % o.shape[1], f.first->offset / o.shape[1]),
                  "its largest is -inf then, and -inf minus -inf is nan",
                  "a query sees the keys j <= i, its own among them"},
          site);
  if (auto found = diagnose_puzzle(f)) return found;
  const auto size = [&](const char* name) { return f.trial.size(name); };
  if (!f.first) return std::nullopt;
  const Sizes sizes{size("n"), size("BM"), size("BN"), size("D")};
  const auto too_few = wrong_blocks(f.observed, sizes, false);
  return too_few ? too_few : wrong_blocks(f.observed, sizes, true);
}

// The solution's dots, two a block of keys.
Answer predict() {
  const Sizes z{128, 32, 16, 16};
  std::vector<Tensor> t;
  for (const char* name : {"q", "k", "v"}) {
    t.push_back(make_tensor(name, DType::float16, {z.n, z.d}));
    for (std::int64_t i = 0; i < t.back().elems(); ++i) set(t.back(), i, static_cast<double>(i % 3));
  }
  const Tensor o = make_tensor("o", DType::float32, {z.n, z.d});
  problems::Instance instance;
  instance.launches = {launch_of_solution(
      "16_flash", {4},
      {TensorArgument{t[0]}, TensorArgument{t[1]}, TensorArgument{t[2]}, TensorArgument{o}, problems::integer(z.n),
       FloatArgument{1}, problems::constant(z.bm), problems::constant(z.bn), problems::constant(z.d)},
      {})};
  std::vector<Fault> faults;
  const Observed run = observe(instance, faults);
  report::Table table{.header = {"program", "queries", "blocks of keys", "with a mask"}};
  std::int64_t all = 0;
  for (const trace::RecordedProgram& p : run.trace().programs) {
    const auto blocks = std::ranges::count(p.steps, trace::Op::dot, &trace::Step::op) / 2,
               masked = std::ranges::count(p.steps, trace::Op::where, &trace::Step::op);
    all += blocks;
    table.rows.push_back({std::to_string(p.id.x), fmt::format("{}..{}", p.id.x * z.bm, (p.id.x + 1) * z.bm - 1),
                          std::to_string(blocks), std::to_string(masked)});
  }
  return {std::to_string(all), table.text(0)};
}

std::string on_wrong(const std::string& guess) {
  if (guess == "32") return "That are all blocks; program 0's queries see no key after 31.";
  if (guess == "16") return "Half of the 32, and half of those that the diagonal crosses as well: those are computed.";
  if (guess == "10") return "A block of queries is 32 long, a block of keys 16: two blocks of keys a step down.";
  if (guess == "12") return "Those lie wholly before the diagonal; those that it crosses are computed, too.";
  if (guess == "8") return "Those are the blocks that the diagonal crosses.";
  return "";
}

}  // namespace

Lesson lesson() {
  return {
      .folder = "16_flash",
      .title = "Flash attention: scores that no memory holds",
      .kernel = "flash_kernel",
      .parameters = "ttttifccc",
      .picture = {"attention", {"heads=1", "seq=128", "head_dim=16", "bm=32", "bn=16"}, "attention"},
      .changes_starter = "its starter's one loop, and the line of its sum, give way to others",
      .prediction = {{}, predict, on_wrong},
      .trials = trials,
      .by_chance = by_chance,
      .diagnose = diagnose,
      .exponent_degree = 2,
      .note_when_passed = "n n scores, half of them computed, none of them stored; and a mask on the diagonal alone."};
}

}  // namespace tl::lessons::flash
