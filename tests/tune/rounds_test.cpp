// Who is dropped, who is tied: by intervals of timings that the test makes up.
#include <doctest/doctest.h>

#include "interp/lang/unavailable.h"
#include "interp/tune/measure_trials.h"

using namespace tl::tune;
using Standing = Trial::Standing;

namespace {

constexpr auto never = [] { return false; };

// Timings that alternate between two values.
std::vector<double> between(double low, double high) { return {low, high, (low + high) / 2}; }

std::vector<Trial*> all(std::vector<Trial>& trials) {
  std::vector<Trial*> pointers;
  for (Trial& t : trials) pointers.push_back(&t);
  return pointers;
}

}  // namespace

TEST_CASE("the interval of a median lies between the order statistics that the binomial distribution names") {
  // R: qbinom(0.025, n, 0.5) is 2 of 10 timings and 6 of 20; the interval is from that place to as far from the end.
  std::vector<double> ten, twenty;
  for (int i = 1; i <= 10; ++i) ten.push_back(i);
  for (int i = 1; i <= 20; ++i) twenty.push_back(i);
  CHECK(interval_of(ten).low == 2);
  CHECK(interval_of(ten).high == 9);
  CHECK(interval_of(ten).median == 5.5);
  CHECK(interval_of(twenty).low == 6);
  CHECK(interval_of(twenty).high == 15);
}

TEST_CASE("the interval of thousands of timings ends") {
  std::vector<double> many;  // qbinom(0.025, 5000, 0.5) is 2431
  for (int i = 1; i <= 5000; ++i) many.push_back(i);
  CHECK(interval_of(many).low == 2431);
  CHECK(interval_of(many).high == 2570);
}

TEST_CASE("of few timings the interval is all of them") {
  CHECK(interval_of({3, 1, 2}).low == 1);
  CHECK(interval_of({3, 1, 2}).high == 3);
}

TEST_CASE("who is clearly behind is timed in the first round alone") {
  std::vector<Trial> trials(3);
  int rounds = 0;
  measure_in_rounds(
      all(trials),
      [&](Trial& t) {
        rounds += &t == &trials[0];
        return &t == &trials[2] ? between(5, 6) : between(1, 2);
      },
      20, never);
  CHECK(trials[2].samples_ms.size() == 3);
  CHECK(trials[0].samples_ms.size() > 3);
  CHECK(trials[1].samples_ms.size() == trials[0].samples_ms.size());
  CHECK(rounds > 1);
}

TEST_CASE("the fastest wins, and whose interval overlaps its own is told as tied") {
  std::vector<Trial> trials(3);
  trials[0].samples_ms = between(1.1, 2.1);
  trials[1].samples_ms = between(1, 2);
  trials[2].samples_ms = between(3, 4);
  rank(all(trials));
  CHECK(trials[0].standing == Standing::tied);
  CHECK(trials[1].standing == Standing::winner);
  CHECK(trials[2].standing == Standing::behind);
}

TEST_CASE("a config that fails while it is timed is out, and the others go on") {
  std::vector<Trial> trials(2);
  measure_in_rounds(
      all(trials),
      [&](Trial& t) -> std::vector<double> {
        if (&t == &trials[0]) {
          t.refuse("it crashed");
          return {};
        }
        return between(1, 2);
      },
      20, never);
  rank(all(trials));
  CHECK(trials[0].standing == Standing::refused);
  CHECK(trials[1].standing == Standing::winner);
}

TEST_CASE("a stop keeps what was measured") {
  std::vector<Trial> trials(2);
  int timings = 0;
  measure_in_rounds(all(trials), [&](Trial&) { return ++timings, between(1, 2); }, 1e9, [&] { return timings >= 5; });
  CHECK(trials[0].samples_ms.size() == 9);
  CHECK(trials[1].samples_ms.size() == 6);
}

TEST_CASE("where the GPU is lost, what was measured before stays") {
  std::vector<Trial> trials(2);
  int timings = 0;
  const auto measure = [&](Trial&) -> std::vector<double> {
    if (++timings == 4) throw tl::Unavailable("no GPU");
    return between(1, 2);
  };
  CHECK_THROWS_AS(measure_in_rounds(all(trials), measure, 1e9, never), tl::Unavailable);
  rank(all(trials));
  CHECK(trials[0].samples_ms.size() == 6);
  CHECK(trials[1].standing != Standing::ranked);
}

TEST_CASE("a single config is not timed") {
  std::vector<Trial> trials(1);
  int timings = 0;
  measure_in_rounds(all(trials), [&](Trial&) { return ++timings, between(1, 2); }, 10, never);
  CHECK(timings == 0);
}
