// Programs recorded by themselves join a recording.
#include "interp/trace/merge.h"

#include <doctest/doctest.h>

using namespace tl;
using namespace tl::trace;

namespace {

// A recording of programs that made one op each at a line of file "k.h", of a tensor of two pages.
RecordedTrace recording(const std::vector<int>& programs, int line, std::vector<std::int64_t> pages) {
  RecordedTrace trace;
  trace.files = {"k.h"};
  RecordedTensor tensor{"x", DType::int32, {2048}, {1}, 2048, false, {}};
  tensor.before.assign(4 * 1024 * pages.size(), std::byte(line));
  tensor.pages = std::move(pages);
  trace.launches.push_back({"kernel", "", {8, 1, 1}, {tensor}, {}});
  for (const int x : programs) {
    RecordedProgram& p = trace.programs.emplace_back();
    p.id = {x, 0, 0};
    Step& step = p.steps.emplace_back();
    step.site = {0, line, 1};
  }
  return trace;
}

}  // namespace

TEST_CASE("merge: programs stand in the order of their ids, and one recorded again takes its place") {
  RecordedTrace to = recording({0, 5}, 1, {0});
  merge(to, recording({7, 2, 5}, 9, {0}), 0);
  std::vector<std::pair<std::int64_t, int>> lines;
  for (const RecordedProgram& p : to.programs) lines.emplace_back(p.id.x, p.steps.front().site.line);
  CHECK(lines == std::vector<std::pair<std::int64_t, int>>{{0, 1}, {2, 9}, {5, 9}, {7, 9}});
}

TEST_CASE("merge: memory that was known stays, unknown pages come along, files keep their names") {
  RecordedTrace to = recording({0}, 1, {0}), more = recording({1}, 9, {0, 1});
  more.files = {"helper.h", "k.h"};
  merge(to, std::move(more), 0);
  const RecordedTensor& x = to.launches[0].tensors[0];
  CHECK(x.pages == std::vector<std::int64_t>{0, 1});
  CHECK(x.before[0] == std::byte(1));
  CHECK(x.before[4 * 1024] == std::byte(9));
  CHECK(to.files[to.programs[1].steps[0].site.file] == "helper.h");
}
