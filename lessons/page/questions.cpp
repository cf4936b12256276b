// A lesson's prediction and its further questions. Those about kernels that the page does not have were asked where
// they are: known.json keeps what was answered. Those about the learner's own kernel are answered by its run.
#include "lessons/runner/questions.h"
#include "interp/lang/error.h"
#include "lessons/page/answers.h"
#include "lessons/runner/check.h"
#include "lessons/runner/prediction.h"
#include "lessons/runner/texts.h"
#include "lessons/runner/triton_kernel.h"

namespace tl::lessons {

using page::Json;

namespace {

const Json& known_of(const Lesson& lesson) {
  static const Json known = Json::parse(text_of("lessons/page/known.json"));
  static const Json nothing = {{"questions", {{"", Json::array()}}}};  // a puzzle asks nothing
  return known.contains(lesson.folder) ? known[lesson.folder] : nothing;
}

// In the reader's language, where somebody has written them in it.
const Json& known_questions(const Lesson& lesson) {
  const Json& in = known_of(lesson)["questions"];
  const char* const language = std::getenv("TILESCOPE_LANGUAGE");
  return language && in.contains(language) ? in[language] : in[""];
}

Answer answer_in(const Json& known) {
  return {.value = known["value"], .evidence = known["evidence"], .others = known["others"]};
}

Question question_in(const Json& known) {
  Question q{.section = known["section"], .text = known["text"], .figure = known["figure"], .prediction = {}};
  q.prediction.choices = known["choices"];
  q.prediction.on_wrong = on_wrong(known["replies"]);
  return q;
}

Answer answer_to(const Question& q, const Json& known, const Lesson& lesson, const std::string& text) {
  if (q.figure.empty()) return answer_in(known);
  const Report report = report_of(lesson, TritonKernel(lesson.kernel, text, page::file));
  if (!report.ok())
    throw Error("your kernel does not pass yet, and this asks how much it moves", "mend it until Check passes");
  return answer_of(q, report);
}

}  // namespace

Json questions_of_page(const Lesson& lesson) {
  Json all = Json::array();
  for (const Json& known : known_questions(lesson)) {
    const Question q = question_in(known);
    all.push_back({{"heading", heading_of(q)},
                   {"text", q.text},
                   {"choices", q.prediction.choices},
                   {"is_before", q.is_before()},
                   {"is_of_own_kernel", !q.figure.empty()}});
  }
  return all;
}

Json guess_of_page(page::State&, const Json& asked) {
  const Lesson& lesson = lesson_in(asked);
  const bool is_prediction = !asked.contains("question");
  const Json& known = is_prediction ? known_of(lesson).at("prediction")
                                    : known_questions(lesson).at(asked["question"].get<std::size_t>());
  Question q{.section = {}, .text = {}, .figure = {}, .prediction = lesson.prediction};
  if (!is_prediction) q = question_in(known);
  const std::string guess = asked.value("guess", "");
  if (!guess.empty() && !is_answer(q.prediction, guess))
    throw Error("\"" + guess + "\" is no guess", q.prediction.choices.empty() ? "a number" : "choose one");
  const Answer answer = answer_to(q, known, lesson, asked.value("text", ""));
  return {{"right", !guess.empty() && is_right(answer, guess)},
          {"text", prediction_text(q.prediction, answer, guess, report::Paint(), &lesson)}};
}

}  // namespace tl::lessons
