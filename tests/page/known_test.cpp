// What the page knows of the lessons' predictions and questions is what the lessons compute: a page cannot run what
// they are of, kernels in C++. TILESCOPE_WRITE_GOLDEN=1 writes it anew.
#include <doctest/doctest.h>

#include <fstream>
#include <nlohmann/json.hpp>

#include "lessons/runner/questions.h"
#include "tests/lessons/workshop.h"

namespace {

using namespace tl::lessons;
using Json = nlohmann::ordered_json;

Json known(const Answer& answer) {
  return {{"value", answer.value}, {"evidence", answer.evidence}, {"others", answer.others}};
}

Json known(const Question& asked) {
  const Question q = asked.whole ? asked.whole() : asked;
  Json all = {{"section", q.section},
              {"text", q.text},
              {"figure", q.figure},
              {"choices", q.prediction.choices},
              {"replies", q.replies}};
  if (q.figure.empty()) all.update(known(q.prediction.answer()));  // else the learner's own kernel answers
  return all;
}

Json questions(const Lesson& lesson, const char* language) {
  setenv("TILESCOPE_LANGUAGE", language, 1);
  Json all = Json::array();
  for (const Question& q : questions_of(lesson, {.program = TILESCOPE_PROGRAM, .seconds = 60, .seed = 1, .gpu = false}))
    all.push_back(known(q));
  unsetenv("TILESCOPE_LANGUAGE");
  return all;
}

}  // namespace

TEST_CASE("what the page knows of predictions and questions is what the lessons compute") {
  const Workshop here;
  choose_language(Language::python);
  Json all = Json::object();
  for (const Lesson& lesson : tl::lessons::all()) {
    Json& one = all[lesson.folder];
    one["prediction"] = known(lesson.prediction.answer());
    one["questions"][""] = questions(lesson, "");
    if (!lesson.text("questions.zh.md").empty()) one["questions"]["zh"] = questions(lesson, "zh");
  }
  const std::string file = std::string(FOLDER) + "/../../lessons/page/known.json";
  if (std::getenv("TILESCOPE_WRITE_GOLDEN")) write_file(file, all.dump(1) + "\n");
  CHECK(Json::parse(read_file(file)) == all);
}
