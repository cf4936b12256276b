#include "interp/report/fields.h"

#include <doctest/doctest.h>

#include <nlohmann/json.hpp>

using namespace tl::report;

TEST_CASE("fields: one list is a text's column and a JSON object, nested by its keys") {
  const Fields launch{{"programs", "programs", Value::count(2048)},
                      {"l2/hit_rate", "hit rate", Value::share(0.905, 1)},
                      {"l2/sectors", "", Value::count(7)},
                      {"", "time", Value::time(0.0123)}};
  CHECK(json_of(launch).dump() == R"({"programs":2048,"l2":{"hit_rate":0.905,"sectors":7}})");
  CHECK(table_of({"bm=64"}, {launch}).text() ==
        "              bm=64\n"
        "  programs    2,048\n"
        "  hit rate   90.5 %\n"
        "  time      12.3 us\n");
}

TEST_CASE("fields: rows may lack what the longest one has") {
  const std::vector<Fields> rows{{{"kernel", "kernel", Value::word("add")}},
                                 {{"kernel", "kernel", Value::word("sum")}, {"bytes", "memory", Value::bytes(1536)}}};
  CHECK(table_of(rows).text(0) ==
        "kernel   memory\n"
        "add           -\n"
        "sum     1.5 KiB\n");
  CHECK(json_of(rows).dump() == R"([{"kernel":"add"},{"kernel":"sum","bytes":1536}])");
}
