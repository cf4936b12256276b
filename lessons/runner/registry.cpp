// The lists of lessons and puzzles: the folders beside this one, as the build found them.
#include <lesson_list.h>  // TL_LESSONS(X): X(copy) X(add) ..., and TL_PUZZLES(X), made by the build
#include <cstdlib>

#include <algorithm>

#include "interp/lang/error.h"
#include "interp/lang/text.h"
#include "lessons/runner/lesson.h"
#include "lessons/runner/texts.h"

namespace tl::lessons {

#define TL_DECLARE(name) \
  namespace name {       \
  Lesson lesson();       \
  }
TL_LESSONS(TL_DECLARE)
TL_PUZZLES(TL_DECLARE)
#undef TL_DECLARE
#define TL_MAKE(name) name::lesson(),

const std::vector<Lesson>& all() {
  static const std::vector<Lesson> lessons{TL_LESSONS(TL_MAKE)};
  return lessons;
}

const std::vector<Lesson>& puzzles() {
  static const std::vector<Lesson> list{TL_PUZZLES(TL_MAKE)};
  return list;
}

const std::vector<Lesson>& list_of(const Lesson& lesson) { return lesson.is_puzzle() ? puzzles() : all(); }

const Lesson* lesson_after(const Lesson& lesson) {
  const auto& list = list_of(lesson);
  const auto it = std::ranges::find(list, lesson.folder, &Lesson::folder);
  return it == list.end() || it + 1 == list.end() ? nullptr : &*(it + 1);
}

const Lesson& find(std::string_view asked) {
  const std::string word(asked);
  const bool is_number = !word.empty() && word.size() < 4 && word.find_first_not_of("0123456789") == std::string::npos;
  std::vector<std::string> names;
  for (const auto* list : {&all(), &puzzles()})
    for (const Lesson& lesson : *list) {
      const std::string number = std::to_string(lesson.number());
      if (word == lesson.folder || word == lesson.name() ||
          (lesson.is_puzzle() ? word == "p" + number : is_number && std::stoi(word) == lesson.number()))
        return lesson;
      names.push_back(lesson.name());
    }
  const std::string guess = nearest(word, names);
  throw Error("there is no lesson \"" + word + "\"",
              guess.empty() ? "`tilescope learn list` names them all" : "did you mean " + guess + "?");
}

std::string Lesson::place() const {
  return (is_puzzle() ? "puzzle " : "lesson ") + std::to_string(number()) + " of " +
         std::to_string(list_of(*this).size());
}

std::string Lesson::text(const std::string& file) const {
  return std::string(text_of("lessons/" + folder + "/" + file));
}

std::string Lesson::page(const std::string& file, Language notation) const {
  const char* const language = std::getenv("TILESCOPE_LANGUAGE");
  const std::size_t dot = file.rfind('.');
  const std::string there = language ? text(file.substr(0, dot) + "." + language + file.substr(dot)) : "";
  return in_language(there.empty() ? text(file) : there, notation);
}

hostcc::Wanted Lesson::wanted() const {
  return {"tl::kernels::" + kernel, parameters,
          "`tilescope learn reset " + name() + "` puts the starter back and keeps a copy of yours",
          "`tilescope learn solution " + name() + "` shows it"};
}

std::string Picture::text() const {
  std::string text = kernel;
  for (const std::string& setting : settings) text += " " + setting;
  return text + " --panel " + panel + (program.empty() ? "" : " --program " + program) +
         (compare.empty() ? "" : " --compare " + compare);
}

std::string Trial::text() const {
  std::string text;
  for (const auto& [name, value] : sizes) text += (text.empty() ? "" : " ") + name + "=" + std::to_string(value);
  return text;
}

std::int64_t Trial::size(const std::string& name) const {
  for (const auto& [own, value] : sizes)
    if (own == name) return value;
  throw Error("the trial " + text() + " has no size " + name, "name one that it lists");
}

}  // namespace tl::lessons
