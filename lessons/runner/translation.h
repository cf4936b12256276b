// What a check says, in the language of TILESCOPE_LANGUAGE, where somebody has written it: messages.zh.txt of the
// lesson's folder has each sentence as the code makes it, and below it the translation; {1} stands for a part that
// differs between messages, and is translated as well:
//
//     - program {1} stored {2}
//     + program {1} 写了 {2}
//
// A line that fits no sentence stays as it is.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "lessons/runner/report.h"

namespace tl::lessons {

class Translation {
 public:
  // Throws Error for a line that is neither - nor +, or a - without its +.
  explicit Translation(std::string_view text);
  std::string of(std::string_view message) const;  // line by line

 private:
  struct Piece {
    std::string literal;
    int hole = 0;  // after it; 0: none, the sentence ends
  };
  struct Sentence {
    std::vector<Piece> from, to;
    std::size_t literal_bytes = 0;  // of `from`: the more, the surer
  };
  static std::vector<Piece> pieces_of(std::string_view text);
  static bool fits(const std::vector<Piece>& pieces, std::size_t piece, std::string_view text,
                   std::vector<std::string>& holes);
  std::string line(std::string_view text) const;
  std::vector<Sentence> sentences_;
};

// In English if the lesson has no translation.
std::string translate(const Lesson& lesson, const std::string& message);
Report translate(const Lesson& lesson, Report report);

}  // namespace tl::lessons
