// Undoing what was typed, a word at a time.
#include "lessons/window/edit_history.h"

#include <doctest/doctest.h>

using tl::lessons::EditHistory;

namespace {

// A text that grows and shrinks at its end, a character at a time.
struct Typist {
  EditHistory history;
  std::string text;
  void type(const std::string& words) {
    for (const char c : words) {
      text += c;
      history.note(text, static_cast<int>(text.size()));
    }
  }
  void delete_last(int count) {
    for (int i = 0; i < count; ++i) {
      text.pop_back();
      history.note(text, static_cast<int>(text.size()));
    }
  }
  std::string undo() {
    const auto state = history.undo();
    return text = state ? state->text : "nothing to undo";
  }
};

}  // namespace

TEST_CASE("edit history: undo takes back a word, the space before it, and so on to the beginning") {
  Typist t;
  t.type("auto offs = pid");
  CHECK(t.undo() == "auto offs = ");
  CHECK(t.undo() == "auto offs =");
  CHECK(t.undo() == "auto offs ");
  CHECK(t.undo() == "auto offs");
  CHECK(t.undo() == "auto ");
  CHECK(t.undo() == "auto");
  CHECK(t.undo().empty());
  CHECK(t.undo() == "nothing to undo");
}

TEST_CASE("edit history: words that come within one frame are words, what is pasted is one step") {
  EditHistory history;
  history.note("two words", 9);
  CHECK(history.undo()->text == "two ");
  history.forget("");
  history.note("a line that was copied elsewhere\nand one more", 45);
  CHECK(history.undo()->text.empty());
}

TEST_CASE("edit history: letters that were deleted one after the other come back together") {
  Typist t;
  t.type("x = mask");
  t.delete_last(4);
  CHECK(t.undo() == "x = mask");
  CHECK(t.undo() == "x = ");
}

TEST_CASE("edit history: what was undone is done again, until something else is typed") {
  Typist t;
  t.type("a + b");
  t.undo();
  CHECK(t.history.redo()->text == "a + b");
  CHECK_FALSE(t.history.redo());
  t.text = "a + b";
  t.undo();
  t.type("c");
  CHECK_FALSE(t.history.redo());
  CHECK(t.undo() == "a + ");
}

TEST_CASE("edit history: a word that is typed elsewhere is a step of its own") {
  EditHistory history;
  history.forget("x y");
  history.note("xa y", 2);
  history.note("xa yb", 5);
  CHECK(history.undo()->text == "xa y");
  CHECK(history.undo()->text == "x y");
}

TEST_CASE("edit history: the cursor goes to where the change was") {
  EditHistory history;
  history.forget("one two");
  history.note("one  two", 5);
  CHECK(history.undo()->cursor == 4);
  history.forget("one two three");
  history.note("one three", 4);  // a word that was marked, deleted
  CHECK(history.undo()->cursor == 8);
}
