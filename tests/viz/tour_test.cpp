// The tour of a launch: its captions say what the schedule says, at times that the schedule has.
#include "viz/model/film/tour.h"

#include <doctest/doctest.h>

#include "interp/report/numbers.h"
#include "interp/run/schedule_case.h"
#include "viz/model/film/side_by_side.h"
#include "viz/scene/film_case.h"

using namespace tl;
using namespace tl::viz;

namespace {

std::shared_ptr<const film::Film> film_of(const std::string& kernel, std::vector<std::string> settings,
                                          std::int64_t programs_an_sm = 1) {
  return film_of_case({.kernel = kernel, .settings = std::move(settings)}, "h200", programs_an_sm, Compiling::never);
}

std::string told(const std::vector<film::Caption>& tour) {
  std::string all;
  for (const film::Caption& c : tour) all += c.text + "\n";
  return all;
}

bool is_said(const std::vector<film::Caption>& tour, const std::string& words) {
  return told(tour).find(words) != std::string::npos;
}

const std::vector<std::string> large{"m=2048", "n=2048", "k=2048", "bm=128", "bn=128", "bk=64", "warps=8"};

std::vector<std::string> with(std::vector<std::string> settings, const std::string& more) {
  settings.push_back(more);
  return settings;
}

}  // namespace

TEST_CASE("tour: eight to twelve captions of a large product, in the order of time, in a minute, each at its place") {
  const auto f = film_of("grouped_matmul", large);
  CHECK(f->tour.size() >= 8);
  CHECK(f->tour.size() <= 12);
  CHECK(f->tour.front().seconds == 0);
  CHECK(f->tour.back().seconds < film::tour_seconds);
  for (std::size_t i = 0; i < f->tour.size(); ++i) {
    const film::Caption& c = f->tour[i];
    CHECK(c.us <= f->end_us);
    if (i > 0) CHECK(c.us >= f->tour[i - 1].us);
    if (i > 0) CHECK(c.seconds > f->tour[i - 1].seconds);
    CHECK_NOTHROW(film::placement_of(*f, c.path));
    CHECK(film::caption_at(f->tour, c.seconds) == static_cast<int>(i));
    CHECK(film::clock_at(f->tour, c.seconds) == doctest::Approx(c.us));
  }
  CHECK(film::clock_at(f->tour, film::tour_seconds) == f->end_us);
  for (const char* words : {"256 programs for 132 SMs", "DRAM sends it", "are merged", "the first dot begins",
                            "the first wave ends", "The tail:", "Done after"})
    CHECK_MESSAGE(is_said(f->tour, words), words, "\n", told(f->tour));
}

TEST_CASE("tour: what does not happen is not told") {
  const auto f = film_of("copy", {});
  for (const char* words : {"dot", "wave", "tail", "L2 is full", "ring"}) CHECK_FALSE(is_said(f->tour, words));
}

TEST_CASE("tour: a softmax that reads and writes more than L2 holds keeps DRAM busy, in captions and in the strip") {
  const auto f = film_of("softmax", {"rows=16384", "cols=4096"}, 8);
  CHECK_MESSAGE(is_said(f->tour, "DRAM sets the pace: at work for 9"), told(f->tour));
  CHECK(is_said(f->tour, "L2 sends to DRAM what was stored first"));
  const film::Series& strip = f->nodes[0].series[0];
  const film::Table& t = f->tables[strip.table];
  double moved = 0;  // bytes
  for (std::size_t r = 0; r + 1 < t.rows(); ++r)
    for (const int column : strip.columns)
      moved += double(t.columns[column][r]) * double(t.columns[0][r + 1] - t.columns[0][r]) * 1e3;
  const double tensor = 16384.0 * 4096 * 4;
  CHECK(moved > 1.8 * tensor);  // what is left in L2 at the end was not written
  CHECK(moved < 2.01 * tensor);
  const auto middle = film::last_row(t, 0, f->end_us / 2);
  CHECK(double(t.columns[strip.columns[0]][middle] + t.columns[strip.columns[1]][middle]) > 0.9 * strip.limit);
}

TEST_CASE("tour: nothing is written back before a program has stored") {
  const auto f = film_of("softmax", {"rows=16384", "cols=4096"}, 8);
  const auto at = [&](const std::string& words) {
    const auto found =
        std::ranges::find_if(f->tour, [&](const film::Caption& c) { return c.text.find(words) != std::string::npos; });
    REQUIRE(found != f->tour.end());
    return found->us;
  };
  CHECK(at(" stores ") <= at("L2 sends to DRAM"));
}

TEST_CASE("tour: lanes that want less than whole sectors are told, beside those that want all") {
  const auto strided = film_of("transpose", {"m=256", "n=256", "block_m=64", "block_n=1"}, 16),
             whole = film_of("transpose", {"m=256", "n=256", "block_m=64", "block_n=64"}, 8);
  CHECK(is_said(strided->tour, "Memory moves in sectors of 32 bytes"));
  CHECK(is_said(strided->tour, "they use 12 %"));  // 4 of 32 bytes
  CHECK_FALSE(is_said(whole->tour, "sectors"));
  const std::vector films{strided, whole};
  const auto tour = film::tour_of(films, film::names_that_differ(*strided, *whole));
  CHECK_MESSAGE(is_said(tour, "of what comes, lanes use 12 % on the left and 100 % on the right"), told(tour));
}

TEST_CASE("tour: its figures are those of the command schedule") {
  const auto said = run::schedule_case({.kernel = {.kernel = "grouped_matmul", .settings = large},
                                        .ctas_per_sm = 1,
                                        .why_not_compiled = "neither does the film"});
  const auto f = film_of("grouped_matmul", large);
  const auto& of = said.launches.front();
  CHECK(is_said(f->tour, report::bytes_text(of.schedule.dram_read_bytes)));
  CHECK(is_said(f->tour, report::time_text(of.schedule.model_ms)));
  CHECK(is_said(f->tour, report::percent_text(of.schedule.reads.logical_hit_rate(), 1)));
  CHECK(is_said(f->tour, report::percent_text(of.cause.share)));
}

TEST_CASE("tour: of two launches it tells how they differ and what that is in time") {
  const auto tour = [](const auto& left, const auto& right) {
    const std::vector films{left, right};
    return film::tour_of(films, film::names_that_differ(*left, *right));
  };
  const auto stages =
      tour(film_of("grouped_matmul", with(large, "stages=4")), film_of("grouped_matmul", with(large, "stages=2")));
  CHECK(is_said(stages, "stages=4 on the left, stages=2 on the right"));
  CHECK(is_said(stages, "with a dot at work for"));
  CHECK(is_said(stages, "a ring: 4 slots on the left, 2 on the right"));
  CHECK(is_said(stages, "The left is done after"));
  const auto persistent =
      tour(film_of("grouped_matmul", large), film_of("persistent_matmul", {"m=2048", "n=2048", "k=2048"}));
  CHECK(is_said(persistent, "256 programs on the left"));
  CHECK(is_said(persistent, "while it stores: 1 tile on the left, "));
  const auto same = tour(film_of("copy", {}), film_of("copy", {}));
  CHECK_FALSE(is_said(same, "DRAM reads"));
}
