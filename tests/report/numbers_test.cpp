// Expected quantiles: numpy.quantile of the same samples.
#include "interp/report/numbers.h"

#include <doctest/doctest.h>

#include <cmath>

#include "interp/report/table.h"

using namespace tl::report;

TEST_CASE("quantiles interpolate between order statistics, as NumPy's do") {
  const std::vector<double> samples{7, 1, 3, 10};
  CHECK(quantile(samples, 0.5) == doctest::Approx(5));
  CHECK(quantile(samples, 0.2) == doctest::Approx(2.2));
  CHECK(quantile(samples, 0.8) == doctest::Approx(8.2));
  CHECK(quantile({4}, 0.2) == 4);
  CHECK(std::isnan(quantile({}, 0.5)));
}

TEST_CASE("statistics count the samples and name their smallest") {
  const Statistics s = statistics_of({5, 2, 9});
  CHECK(s.count == 3);
  CHECK(s.median == 5);
  CHECK(s.min == 2);
}

TEST_CASE("times take the unit that keeps them short") {
  CHECK(time_text(0.00085) == "850 ns");
  CHECK(time_text(0.0123) == "12.3 us");
  CHECK(time_text(4.5678) == "4.57 ms");
  CHECK(time_text(1234) == "1.23 s");
  CHECK(time_text(NAN) == "-");
}

TEST_CASE("rates have three digits, counts are grouped, nouns agree") {
  CHECK(rate_text(0.03124) == "0.0312");
  CHECK(rate_text(4.3456) == "4.35");
  CHECK(rate_text(4350.4) == "4350");
  CHECK(rate_text(0) == "0");
  CHECK(count_text(16777216) == "16,777,216");
  CHECK(count_text(-1000) == "-1,000");
  CHECK(plural(1, "program") == "1 program");
  CHECK(plural(3, "program") == "3 programs");
  CHECK(bytes_text(1536) == "1.5 KiB");
  CHECK(error_text(0) == "0");
  CHECK(error_text(3.14159e-5) == "3.1e-05");
}

TEST_CASE("a table aligns its first column left and the others right, and leaves no blanks at line ends") {
  const Table t{.header = {"kernel", "GB/s"}, .rows = {{"add", "4350"}, {"softmax", "3"}}};
  CHECK(t.text(0) == "kernel   GB/s\nadd      4350\nsoftmax     3\n");
  const Table short_row{.header = {"a", "b"}, .rows = {{"x"}}};
  CHECK(short_row.text(0) == "a  b\nx\n");
}
