#include "viz/app/actions.h"

#include <doctest/doctest.h>

#include "viz/app/glyphs.h"

using namespace tl::viz;

TEST_CASE("actions: keys read as people write them") {
  CHECK(key_text({key_f10, shift}) == "Shift+F10");
  CHECK(key_text({'P', control}) == "Ctrl+P");
  CHECK(key_text({'N', 0}) == "n");
  CHECK(key_text({key_escape, 0}) == "Esc");
  CHECK(key_text({key_tab, shift}) == "Shift+Tab");
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

TEST_CASE("glyphs: what a text needs beyond DejaVu's part of the atlas, each once") {
  CHECK(characters_beyond_dejavu("m\u00e9thode \u2192 \u03b1") == std::set<ImWchar>{});
  CHECK(characters_beyond_dejavu("\u8ba1\u7b97 C\uff1a \u8ba1") == std::set<ImWchar>{0x8BA1, 0x7B97, 0xFF1A});
  CHECK(characters_beyond_dejavu("cut \xE8\xAE") == characters_beyond_dejavu("cut \xE8\xAE"));  // no read past the end
}
