#include "lessons/runner/translation.h"

#include <algorithm>
#include <cctype>

#include "interp/lang/error.h"
#include "interp/lang/text.h"

namespace tl::lessons {

std::vector<Translation::Piece> Translation::pieces_of(std::string_view text) {
  std::vector<Piece> pieces(1);
  for (std::size_t i = 0; i < text.size(); ++i)
    if (text[i] == '{' && i + 2 < text.size() && std::isdigit(static_cast<unsigned char>(text[i + 1])) &&
        text[i + 2] == '}') {
      pieces.back().hole = text[i + 1] - '0';
      pieces.emplace_back();
      i += 2;
    } else {
      pieces.back().literal += text[i];
    }
  return pieces;
}

Translation::Translation(std::string_view text) {
  bool is_open = false;  // a - that waits for its +
  for (const std::string& line : lines_of(std::string(text))) {
    if (line.empty() || line.starts_with("#")) continue;
    const bool begins = line.starts_with("- ");
    if (begins == is_open || (!begins && !line.starts_with("+ ")))
      throw Error("a translation has each sentence after -, and below it the other after +: " + line,
                  "begin the line with one of them");
    if (begins) sentences_.emplace_back().from = pieces_of(line.substr(2));
    else sentences_.back().to = pieces_of(line.substr(2));
    is_open = begins;
  }
  if (is_open) throw Error("the last sentence of a translation lacks its other", "add a line that begins with +");
  for (Sentence& s : sentences_)
    for (const Piece& p : s.from) s.literal_bytes += p.literal.size();
  std::ranges::stable_sort(sentences_, std::greater{}, &Sentence::literal_bytes);
}

// The shortest text for each hole that lets the rest fit.
bool Translation::fits(const std::vector<Piece>& pieces, std::size_t piece, std::string_view text,
                       std::vector<std::string>& holes) {
  const Piece& p = pieces[piece];
  if (!text.starts_with(p.literal)) return false;
  text.remove_prefix(p.literal.size());
  if (p.hole == 0) return text.empty();
  for (std::size_t n = 1; n <= text.size(); ++n)
    if (fits(pieces, piece + 1, text.substr(n), holes)) {
      holes[static_cast<std::size_t>(p.hole)] = text.substr(0, n);
      return true;
    }
  return false;
}

std::string Translation::line(std::string_view text) const {
  for (const Sentence& s : sentences_) {
    std::vector<std::string> holes(10);
    if (!fits(s.from, 0, text, holes)) continue;
    std::string out;
    for (const Piece& p : s.to) out += p.literal + (p.hole ? line(holes[static_cast<std::size_t>(p.hole)]) : "");
    return out;
  }
  return std::string(text);
}

std::string Translation::of(std::string_view message) const {
  std::string out;
  for (std::size_t begin = 0; begin <= message.size();) {
    const std::size_t end = std::min(message.find('\n', begin), message.size());
    out += line(message.substr(begin, end - begin)) + (end < message.size() ? "\n" : "");
    begin = end + 1;
  }
  return out;
}

std::string translate(const Lesson& lesson, const std::string& message) {
  const std::string sentences =
      lesson.page("messages.txt", Language::cpp);  // there is none in English: the code has it
  return sentences.empty() ? message : Translation(sentences).of(message);
}

Report translate(const Lesson& lesson, Report report) {
  if (report.finding)
    for (std::string* text : {&report.finding->headline, &report.finding->detail, &report.finding->fix})
      *text = translate(lesson, *text);
  for (std::string& note : report.notes) note = translate(lesson, note);
  return report;
}

}  // namespace tl::lessons
