#include "lessons/window/edit_history.h"

#include <algorithm>
#include <string_view>

namespace tl::lessons {

namespace {

// Of a word, or of a character of several bytes.
bool is_of_word(char c) {
  const auto u = static_cast<unsigned char>(c);
  return (u >= '0' && u <= '9') || (u >= 'A' && u <= 'Z') || (u >= 'a' && u <= 'z') || u == '_' || u >= 0x80;
}

}  // namespace

void EditHistory::note(const std::string& text, int cursor) {
  const std::string& before = states_[now_].text;
  if (text == before) return;
  const std::size_t shorter = std::min(text.size(), before.size());
  std::size_t same = 0, same_behind = 0;
  while (same < shorter && text[same] == before[same]) ++same;
  while (same_behind < shorter - same && text[text.size() - 1 - same_behind] == before[before.size() - 1 - same_behind])
    ++same_behind;
  const std::string_view typed = std::string_view(text).substr(same, text.size() - same - same_behind),
                         deleted = std::string_view(before).substr(same, before.size() - same - same_behind);
  // Letters that came within one frame are as if each had come alone; what is longer was pasted.
  constexpr std::size_t most_of_a_frame = 24;
  if (deleted.empty() && typed.size() > 1 && typed.size() <= most_of_a_frame &&
      typed.find('\n') == std::string_view::npos) {
    const std::string start = before.substr(0, same), rest = before.substr(same);
    for (std::size_t i = 1; i <= typed.size(); ++i)
      note(start + std::string(typed.substr(0, i)) + rest, static_cast<int>(same + i));
    return;
  }
  const bool is_typed = deleted.empty() && std::ranges::all_of(typed, is_of_word),
             is_deleted = typed.empty() && std::ranges::all_of(deleted, is_of_word);
  const Kind kind = is_typed ? Kind::typed : is_deleted ? Kind::deleted : Kind::other;
  // Of equal letters the place is not certain: any at which the change may have been continues it.
  const bool is_continued =
      kind != Kind::other && kind == last_ && (is_typed ? same == end_ : same + deleted.size() == end_ || same == end_);
  states_.resize(now_ + 1);
  if (!is_continued) {
    states_.push_back({});
    ++now_;
  }
  states_[now_] = {text, cursor};
  last_ = kind;
  end_ = is_typed ? same + typed.size() : same;
}

void EditHistory::forget(const std::string& text) {
  states_ = {{text, 0}};
  now_ = 0;
  last_ = Kind::none;
}

std::optional<EditHistory::State> EditHistory::undo() {
  if (now_ == 0) return std::nullopt;
  last_ = Kind::none;
  State state = states_[--now_];
  const State& changed = states_[now_ + 1];
  const auto size = [](const State& s) { return static_cast<int>(s.text.size()); };
  state.cursor =
      std::clamp(changed.cursor + size(state) - size(changed), 0, size(state));  // at what comes back or goes
  return state;
}

std::optional<EditHistory::State> EditHistory::redo() {
  if (now_ + 1 >= states_.size()) return std::nullopt;
  last_ = Kind::none;
  return states_[++now_];
}

}  // namespace tl::lessons
