#include "interp/report/sweep.h"

#include <doctest/doctest.h>

#include "interp/lang/error.h"

using tl::report::parse_sweep;
using Values = std::vector<std::int64_t>;

TEST_CASE("sweeps add, multiply, or list") {
  CHECK(parse_sweep("n=256:700:+128").values == Values{256, 384, 512, 640});
  CHECK(parse_sweep("n=1024:8192:x2").values == Values{1024, 2048, 4096, 8192});
  CHECK(parse_sweep("n=2^10:2^12:x2").values == Values{1024, 2048, 4096});
  CHECK(parse_sweep("block=64,128,256").values == Values{64, 128, 256});
  CHECK(parse_sweep("n=5:5:+1").values == Values{5});
  CHECK(parse_sweep("n=1024:8192:x2").is_geometric);
  CHECK_FALSE(parse_sweep("n=1:3:+1").is_geometric);
  CHECK(parse_sweep("cols=1:3:+1").name == "cols");
  CHECK(parse_sweep("m=n=k=64:256:x2").name == "m");
  CHECK(parse_sweep("m=n=k=64:256:x2").also == std::vector<std::string>{"n", "k"});
}

TEST_CASE("the lecture's softmax sweep has 98 sizes") { CHECK(parse_sweep("cols=256:12672:+128").values.size() == 98); }

TEST_CASE("a sweep near the largest integer ends") {
  CHECK(parse_sweep("n=2^61:9223372036854775807:x2").values.size() == 2);
}

TEST_CASE("a sweep that is none is refused with an example") {
  for (const char* text :
       {"", "n", "=1:2:+1", "n=1:2", "n=1:2:3", "n=1:2:+0", "n=1:2:x1", "n=0:8:x2", "n=8:1:+1", "n=1:2:+", "n=a:b:+1",
        "n=", "n=1,,2", "n=1:2:+1:3", "n=1:999999999:+1", "n=2^99:2^100:x2"}) {
    try {
      parse_sweep(text);
      FAIL(text << " was accepted");
    } catch (const tl::Error& e) {
      CHECK_MESSAGE(!e.fix.empty(), text);
    }
  }
}
