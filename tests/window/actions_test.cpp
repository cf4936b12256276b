#include "viz/app/actions.h"

#include <doctest/doctest.h>

using namespace tl::viz;

TEST_CASE("actions: keys read as people write them") {
  CHECK(key_text({key_f10, shift}) == "Shift+F10");
  CHECK(key_text({'P', control}) == "Ctrl+P");
  CHECK(key_text({'N', 0}) == "n");
  CHECK(key_text({key_escape, 0}) == "Esc");
}

TEST_CASE("actions: the palette finds every word in any order and case, titles that begin with the query first") {
  const std::vector<Action> actions = {
      {"Panel: Step", {}, {}}, {"Step back over", {}, {}}, {"Step over", {}, {}}, {"Quit", {}, {}}};
  const auto found = matching(actions, "step");
  REQUIRE(found.size() == 3);
  CHECK(found[0]->title == "Step back over");
  CHECK(found[2]->title == "Panel: Step");
  CHECK(matching(actions, "over STEP").size() == 2);
  CHECK(matching(actions, "stop").empty());
}
