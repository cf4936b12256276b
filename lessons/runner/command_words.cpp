#include "lessons/runner/command_words.h"

#include <algorithm>

namespace tl::lessons {

std::vector<std::string> words_of(const std::string& command) {
  std::vector<std::string> words;
  std::string word;
  bool is_open = false;
  char quote = 0;
  for (std::size_t i = 0; i < command.size(); ++i) {
    const char c = command[i];
    if (quote ? c == quote : c == '\'' || c == '"') {
      quote = quote ? 0 : c;
      is_open = true;
    } else if (!quote && (c == ' ' || c == '\n' || (c == '\\' && i + 1 < command.size() && command[i + 1] == '\n'))) {
      if (is_open) words.push_back(word);
      word.clear();
      is_open = false;
    } else {
      word += c;
      is_open = true;
    }
  }
  if (is_open) words.push_back(word);
  return words;
}

bool is_command(const std::string& text) {
  if (!text.starts_with("tilescope ") || text.find("...") != std::string::npos) return false;
  const auto words = words_of(text);
  return words.size() > 1 && (words[1] != "learn" || (words.size() > 2 && words[2] == "check"));
}

std::optional<Picture> picture_of(const std::string& command) {
  const auto words = words_of(command);
  if (words.size() < 3 || (words[1] != "debug" && words[1] != "view" && words[1] != "export")) return std::nullopt;
  Picture picture{words[2], {}, ""};
  for (std::size_t i = 3; i < words.size(); ++i) {
    if (words[i] == "--panel" && i + 1 < words.size()) picture.panel = words[++i];
    else if (words[i] == "--program" && i + 1 < words.size()) picture.program = words[++i];
    else if (words[i] == "--compare" && i + 1 < words.size()) picture.compare = words[++i];
    else if (words[i].starts_with("-")) ++i;
    else picture.settings.push_back(words[i]);
  }
  return picture;
}

}  // namespace tl::lessons
