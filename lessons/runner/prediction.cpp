#include "lessons/runner/prediction.h"

#include <fmt/format.h>

#include <algorithm>
#include <cctype>
#include <cmath>
#include <cstdlib>
#include <sstream>

#include "interp/lang/text.h"
#include "lessons/runner/translation.h"

namespace tl::lessons {

using report::Paint;

namespace {

std::string indented(const std::string& text) {
  std::string out;
  for (const std::string& line : lines_of(text)) out += line.empty() ? "\n" : "    " + line + "\n";
  return out;
}

// The number in "2.0", "2 cells", "two"; NaN: no number.
double number_in(const std::string& text) {
  static const std::vector<std::string> words{"zero",     "one",      "two",      "three",   "four",    "five",
                                              "six",      "seven",    "eight",    "nine",    "ten",     "eleven",
                                              "twelve",   "thirteen", "fourteen", "fifteen", "sixteen", "seventeen",
                                              "eighteen", "nineteen", "twenty"};
  std::istringstream in(text);
  for (std::string word; in >> word;) {
    for (char& c : word) c = static_cast<char>(std::tolower(static_cast<unsigned char>(c)));
    if (const auto it = std::ranges::find(words, word); it != words.end())
      return static_cast<double>(it - words.begin());
  }
  const std::size_t at = std::min(text.find_first_of("-0123456789"), text.size());
  char* end = nullptr;
  const double value = std::strtod(text.c_str() + at, &end);
  return end == text.c_str() + at ? NAN : value;
}

}  // namespace

bool is_right(const Answer& answer, const std::string& guess) {
  const auto plain = [](const std::string& text) {
    std::string out;
    for (const char c : text)
      if (std::isalnum(static_cast<unsigned char>(c)) || c == '.' || c == '-')
        out += static_cast<char>(std::tolower(static_cast<unsigned char>(c)));
    return out;
  };
  if (plain(guess) == plain(answer.value)) return !guess.empty();
  return number_in(guess) == number_in(answer.value);  // NaN is equal to none
}

bool is_answer(const Prediction& prediction, const std::string& guess) {
  const auto& choices = prediction.choices;
  if (std::ranges::find(choices, guess) != choices.end()) return true;
  const auto is_word = [](const std::string& choice) { return std::isnan(number_in(choice)); };
  return !std::isnan(number_in(guess)) && (choices.empty() || !std::ranges::all_of(choices, is_word));
}

std::string prediction_text(const Prediction& prediction, const Answer& answer, const std::string& guess, Paint paint,
                            const Lesson* lesson) {
  const auto local = [lesson](const std::string& message) { return lesson ? translate(*lesson, message) : message; };
  std::string out = local(fmt::format("\n{}\n", indented(answer.evidence)));
  if (guess.empty()) return out + local(fmt::format("The run says {}.", answer.value)) + "\n";
  if (is_right(answer, guess)) return out + paint.good(local(fmt::format("Right: {}.", answer.value))) + "\n";
  out += paint.bold(local(fmt::format("You said {}, the run says {}.", guess, answer.value))) + "\n";
  const double number = number_in(guess);
  const bool is_choice = std::ranges::find(prediction.choices, guess) != prediction.choices.end();
  const std::string plain = is_choice || std::isnan(number) ? guess : fmt::format("{:.12g}", number);
  std::string why = prediction.on_wrong ? prediction.on_wrong(plain) : "";
  if (const auto it = answer.others.find(plain); why.empty() && it != answer.others.end()) why = it->second;
  return why.empty() ? out : out + local(why) + "\n";
}

}  // namespace tl::lessons
