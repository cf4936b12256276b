// Lesson 25: gather and scatter. Addresses that are data: pages of keys and values, results that go to their places.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "interp/report/table.h"
#include "kernels/problems/build.h"
#include "lessons/runner/best.h"
#include "lessons/runner/blocks.h"
#include "lessons/runner/puzzle.h"
#include "lessons/runner/tensors.h"

namespace tl::lessons::paged {
namespace {

struct Sizes {
  std::int64_t requests, most_pages, page, d;
};

// Pages of all requests in one memory, in a scrambled order; as many again belong to nobody.
struct Cache {
  Sizes s;
  Tensor q, k, v, table, length, place;

  double score(std::int64_t r, std::int64_t token, std::int64_t at_page) const {
    double sum = 0;
    for (std::int64_t j = 0; j < s.d; ++j)
      sum += get(q, r * s.d + j) * get(k, (at_page * s.page + token % s.page) * s.d + j);
    return sum;
  }
  // Of request r, whose page p is page_of(r, p): element j of its result.
  template <class PageOf>
  double attention(std::int64_t r, std::int64_t j, std::int64_t tokens, double scale, PageOf page_of) const {
    double largest = -INFINITY, total = 0, sum = 0;
    for (std::int64_t t = 0; t < tokens; ++t) largest = std::max(largest, scale * score(r, t, page_of(r, t / s.page)));
    for (std::int64_t t = 0; t < tokens; ++t) {
      const std::int64_t at = page_of(r, t / s.page);
      const double w = std::exp(scale * score(r, t, at) - largest);
      total += w;
      sum += w * get(v, (at * s.page + t % s.page) * s.d + j);
    }
    return sum / total;
  }
  std::int64_t page(std::int64_t r, std::int64_t p) const {
    return static_cast<std::int64_t>(get(table, r * s.most_pages + p));
  }
  std::int64_t tokens(std::int64_t r) const { return static_cast<std::int64_t>(get(length, r)); }
  std::int64_t request_at(std::int64_t row) const {
    for (std::int64_t r = 0; r < s.requests; ++r)
      if (static_cast<std::int64_t>(get(place, r)) == row) return r;
    return -1;
  }
};

// `full`: every request's last page is full.
Cache cache_of(const Sizes& s, bool full) {
  const std::int64_t pages = 2 * s.requests * s.most_pages, number = s.requests * 100 + s.most_pages;
  const auto quarters = [](std::int64_t bound) {
    return [bound](std::int64_t i) { return small_numbers(bound)(i) / 4; };
  };
  Cache c{s,
          puzzle_input("q", DType::float32, {s.requests, s.d}, number, quarters(8)),
          puzzle_input("k", DType::float32, {pages * s.page, s.d}, number + 1, quarters(8)),
          puzzle_input("v", DType::float32, {pages * s.page, s.d}, number + 2, quarters(40)),
          puzzle_input("table", DType::int32, {s.requests, s.most_pages}, 0, [](std::int64_t) { return 0.0; }),
          puzzle_input("length", DType::int32, {s.requests}, 0, [](std::int64_t) { return 0.0; }),
          puzzle_input("place", DType::int32, {s.requests}, 0, [](std::int64_t) { return 0.0; })};
  const std::int64_t turn = 1 + (scrambled(number, 10) & 0x3ff) % (pages - 1);
  for (std::int64_t i = 0; i < s.requests * s.most_pages; ++i)
    set(c.table, i, static_cast<double>((i * (pages - 1) + turn) % pages));  // backwards from `turn` on
  for (std::int64_t r = 0; r < s.requests; ++r) {
    const std::int64_t used = 1 + (r * 5 + turn) % s.most_pages;
    set(c.length, r, static_cast<double>(full ? used * s.page : (used - 1) * s.page + 1 + (r * 3 + turn) % s.page));
    set(c.place, r, static_cast<double>((s.requests - 1 - r + turn) % s.requests));
  }
  return c;
}

std::vector<Slip> slips_of(const Cache& c, double scale) {
  const Sizes s = c.s;
  const auto row_of = [=](std::int64_t e) { return std::pair{c.request_at(e / s.d), e % s.d}; };
  std::vector<Slip> slips;
  const auto slip = [&](const char* headline, const char* fix, auto value) { slips.push_back({headline, fix, value}); };
  slip("each request takes pages that follow each other; the table's are others",
       "table[request, p] says where page p of a request lies", [=](std::int64_t e) {
         const auto [r, j] = row_of(e);
         return c.attention(r, j, c.tokens(r), scale,
                            [&](std::int64_t q, std::int64_t p) { return q * s.most_pages + p; });
       });
  if (s.requests > 1)
    slip("each result lies in the row of its request's number, and belongs to place[request]",
         "o's row is data, too: load it", [=](std::int64_t e) {
           return c.attention(e / s.d, e % s.d, c.tokens(e / s.d), scale,
                              [&](std::int64_t q, std::int64_t p) { return c.page(q, p); });
         });
  if (s.requests > 1)
    slip("pages follow each other, and results lie in the order of requests: table and place are not asked",
         "table[request, p] says where a page lies, place[request] where the result belongs", [=](std::int64_t e) {
           return c.attention(e / s.d, e % s.d, c.tokens(e / s.d), scale,
                              [&](std::int64_t q, std::int64_t p) { return q * s.most_pages + p; });
         });
  slip("scores are not multiplied by scale", "scale goes into q, once", [=](std::int64_t e) {
    const auto [r, j] = row_of(e);
    return c.attention(r, j, c.tokens(r), 1, [&](std::int64_t q, std::int64_t p) { return c.page(q, p); });
  });
  slip("the last page counts whole, and the request ends within it", "which tokens of a page are below length?",
       [=](std::int64_t e) {
         const auto [r, j] = row_of(e);
         return c.attention(r, j, problems::cdiv(c.tokens(r), s.page) * s.page, scale,
                            [&](std::int64_t q, std::int64_t p) { return c.page(q, p); });
       });
  return slips;
}

Trial trial(const Kernel& kernel, const Sizes& s, float scale, bool full = false, bool on_gpu = false) {
  const Cache c = cache_of(s, full);
  const double by = scale;
  return trial_of(kernel, {.sizes = {{"most_pages", s.most_pages}, {"PAGE", s.page}, {"D", s.d}},
                           .floats = {scale},
                           .grid = {s.requests},
                           .inputs = {c.q, c.k, c.v, c.table, c.length, c.place},
                           .output = puzzle_output("o", DType::float32, {s.requests, s.d}),
                           .value =
                               [=](std::int64_t e) {
                                 const std::int64_t r = c.request_at(e / s.d);
                                 return c.attention(r, e % s.d, c.tokens(r), by,
                                                    [&](std::int64_t q, std::int64_t p) { return c.page(q, p); });
                               },
                           .tolerance = {2e-5, 2e-5},
                           .share = s.d,
                           .slips = slips_of(c, by),
                           .on_gpu = on_gpu});
}

std::vector<Trial> trials(const Kernel& kernel) {
  return {trial(kernel, {1, 2, 4, 4}, 0.5f, true), trial(kernel, {3, 2, 4, 4}, 0.5f, true),
          trial(kernel, {3, 3, 4, 8}, 0.35f), trial(kernel, {5, 4, 16, 16}, 0.25f, false, true),
          trial(kernel, {2, 5, 8, 4}, 3.0f)};
}

Trial by_chance(const Kernel& kernel, Chance& c) {
  return trial(kernel, {c.size(1, 6), c.size(1, 5), c.block(4, 16), c.block(4, 16)},
               static_cast<float>(c.real(0.05, 1)), c.between(0, 1) == 1);
}

// The solution on two requests of the third trial's kind: pages loaded, in the order of the loop.
Answer predict() {
  const Cache c = cache_of({2, 3, 4, 4}, true);
  const Tensor o = make_tensor("o", DType::float32, {2, 4});
  for (std::int64_t i = 0; i < 6; ++i) set(c.table, i, static_cast<double>(11 - 2 * i));
  set(c.length, 0, 9);
  set(c.length, 1, 4);
  set(c.place, 0, 1);
  set(c.place, 1, 0);
  problems::Instance instance;
  instance.launches = {
      launch_of_solution("25_paged", {2},
                         {TensorArgument{c.q}, TensorArgument{c.k}, TensorArgument{c.v}, TensorArgument{c.table},
                          TensorArgument{c.length}, TensorArgument{c.place}, TensorArgument{o}, problems::integer(3),
                          FloatArgument{0.5f}, problems::constant(4), problems::constant(4)},
                         {})};
  std::vector<Fault> faults;
  const Observed seen = observe(instance, faults);
  report::Table table{.header = {"request", "tokens", "pages loaded"}};
  std::vector<std::string> pages[2];
  std::int64_t all = 0;
  seen.for_each_access("k", [&](std::int64_t p, const trace::RecordedAccess& a, const Site&) {
    pages[p].push_back(std::to_string(a.first / 16));
    ++all;
  });
  for (std::int64_t r = 0; r < 2; ++r)
    table.rows.push_back(
        {std::to_string(r), std::to_string(c.tokens(r)), fmt::format("{}", fmt::join(pages[r], ", "))});
  return {std::to_string(all), table.text(0)};
}

std::string on_wrong(const std::string& guess) {
  if (guess == "6") return "So many places the table has; a request of 4 tokens needs one page.";
  if (guess == "3") return "9 tokens are two full pages and one token of a third; the other request has a page, too.";
  if (guess == "13") return "Those are tokens; a page holds four.";
  return "";
}

}  // namespace

Lesson lesson() {
  return {.folder = "25_paged",
          .title = "Gather and scatter: addresses that are data",
          .kernel = "paged_attention_kernel",
          .parameters = "tttttttifcc",
          .picture = {"attention", {"heads=2", "seq=128", "head_dim=16", "bm=32", "bn=16"}, "attention"},
          .changes_starter = "two addresses that were counted are loaded instead",
          .prediction = {{}, predict, on_wrong},
          .trials = trials,
          .by_chance = by_chance,
          .diagnose = diagnose_puzzle,
          .exponent_degree = 2,
          .note_when_passed =
              "Two more loads a page and a result, and memory needs no gaps: a request takes a page when it needs one, "
              "and gives it back when it is done."};
}

}  // namespace tl::lessons::paged
