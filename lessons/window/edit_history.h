// What was typed, to be undone and done again a word at a time.
#pragma once

#include <optional>
#include <string>
#include <vector>

namespace tl::lessons {

class EditHistory {
 public:
  struct State {
    std::string text;
    int cursor = 0;
  };
  // Takes the text as it is now. Letters that follow each other are one step, and so are letters that are deleted one
  // after the other; whatever else changes the text is a step of its own.
  void note(const std::string& text, int cursor);
  void forget(const std::string& text);  // begins anew, with this text
  std::optional<State> undo();
  std::optional<State> redo();

 private:
  enum class Kind : unsigned char { none, typed, deleted, other };
  std::vector<State> states_ = {{}};
  std::size_t now_ = 0;
  Kind last_ = Kind::none;
  std::size_t end_ = 0;  // of the last change: where the next one continues it
};

}  // namespace tl::lessons
