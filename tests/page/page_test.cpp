// The page's calls, in order, as a browser makes them: calls.jsonl has a question a line and what its answer must say.
#include "viz/page/page.h"

#include <doctest/doctest.h>

#include <filesystem>
#include <fstream>
#include <nlohmann/json.hpp>
#include <sstream>

#include "lessons/runner/lesson.h"

namespace {

using Json = nlohmann::ordered_json;

std::string read(const std::string& file) {
  std::ifstream in(std::string(FOLDER) + "/" + file);
  std::ostringstream text;
  text << in.rdbuf();
  return text.str();
}

// A text is one of the page's examples, some of which are a case before a text of kernels/triton, or a file of
// kernels/, with words of it swapped. calls.mjs reads questions likewise.
Json question_of(const Json& call) {
  Json question = call["ask"];
  if (!question.contains("text") || !question["text"].get<std::string>().ends_with(".py")) return question;
  const std::string name = question["text"].get<std::string>();
  std::string text = read("kernels/" + name);
  if (text.empty()) text = read("../../viz/page/examples/" + name);
  if (text.empty())
    text = read("../../viz/page/examples/" + name.substr(0, name.find('.')) + ".head") +
           read("../../kernels/triton/" + name);
  if (call.contains("swap"))
    for (const auto& [from, to] : call["swap"].items()) {
      const std::size_t at = text.find(from);
      REQUIRE_MESSAGE(at != std::string::npos, "no " << from);
      text.replace(at, from.size(), to.get<std::string>());
    }
  question["text"] = text;
  return question;
}

}  // namespace

TEST_CASE("the page answers as it should") {
  std::filesystem::current_path(std::string(FOLDER) + "/kernels");  // where a text's helpers and arrays are
  tl::page::Page page;
  std::istringstream calls(read("calls.jsonl"));
  int number = 0;
  for (std::string line; std::getline(calls, line);) {
    ++number;
    const Json call = Json::parse(line), answer = Json::parse(page.call(question_of(call).dump()));
    for (const auto& [pointer, expected] : call["expect"].items()) {
      CAPTURE(number);
      CAPTURE(call["ask"].dump());
      const Json::json_pointer at(pointer);
      REQUIRE_MESSAGE(answer.contains(at), pointer << " is missing in " << answer.dump().substr(0, 600));
      const std::string part = expected.is_object() ? expected["has"].get<std::string>() : "";
      if (part.empty()) CHECK_MESSAGE(answer[at] == expected, pointer << " is " << answer[at].dump());
      else
        CHECK_MESSAGE(answer[at].get<std::string>().find(part) != std::string::npos,
                      pointer << " is " << answer[at].dump().substr(0, 600));
    }
  }
  CHECK(number >= 100);
}

TEST_CASE("what is no JSON is answered, too") {
  tl::page::Page page;
  CHECK(Json::parse(page.call("{")).contains("error"));
  CHECK(Json::parse(page.call("[1]")).contains("error"));
}

TEST_CASE("each lesson in Triton: its starter is sent back at a line of it, its solution passes") {
  tl::page::Page page;
  for (const Json& one : Json::parse(page.call(R"({"do": "lessons"})"))) {
    const Json lesson = Json::parse(page.call(Json{{"do", "lesson"}, {"lesson", one["lesson"]}}.dump()));
    const auto check = [&](const char* of) {
      return Json::parse(page.call(Json{{"do", "check"}, {"lesson", one["lesson"]}, {"text", lesson[of]}}.dump()));
    };
    CAPTURE(one["lesson"]);
    const Json begun = check("starter"), done = check("solution");
    CHECK_MESSAGE((begun["ok"] == false && begun["finding"]["line"] >= 0), begun.dump().substr(0, 500));
    CHECK_MESSAGE(done["ok"] == true, done.dump().substr(0, 500));
  }
}

TEST_CASE("a right kernel without a case is right in the first one that the page gives it") {
  tl::page::Page page;
  const std::string text = read("kernels/guessed.py");
  const Json asked = Json::parse(page.call(Json{{"do", "kernels"}, {"text", text}}.dump()));
  CHECK(asked["kernels"].size() == 8);
  for (const Json& kernel : asked["kernels"]) {
    Json words = Json::array();
    for (const Json& word : kernel["words"])
      if (word["value"] != "")
        words.push_back(word["name"].get<std::string>() + "=" + word["value"].get<std::string>());
    const Json ran = Json::parse(
        page.call(Json{{"do", "run"}, {"text", text}, {"kernel", kernel["name"]}, {"words", words}}.dump()));
    CAPTURE(kernel["name"]);
    CAPTURE(words.dump());
    CHECK_MESSAGE(ran.value("error", "") == "", ran.dump().substr(0, 300));
    CHECK_MESSAGE((ran.contains("faults") && ran["faults"].empty()), ran.dump().substr(0, 600));
    const std::string story = ran.value("story", "");
    if (kernel["name"] == "row_softmax") CHECK(story == "softmax");
    if (kernel["name"] != "product") continue;
    CHECK(story == "matmul");
    for (const Json& panel : Json::parse(page.call(R"({"do": "panels"})")))  // by the record: no parameter is called bm
      if (panel["name"] == "order" || panel["name"] == "matmul") CHECK_MESSAGE(panel["missing"] == "", panel.dump());
  }
}

TEST_CASE("where a kernel does not say how far apart its elements lie, the form asks for it") {
  tl::page::Page page;
  const std::string text =
      "import triton\nimport triton.language as tl\n\n@triton.jit\ndef f(x_ptr, x_stride):\n"
      "    if x_stride > 1:\n        tl.store(x_ptr + tl.program_id(0), 1.0)\n";
  const Json asked = Json::parse(page.call(Json{{"do", "kernels"}, {"text", text}}.dump()));
  const Json& word = asked["kernels"][0]["words"][1];
  CHECK(word["name"] == "x_stride");
  CHECK(word["value"] == "");
  CHECK(word["asked"].get<std::string>().find("elements") != std::string::npos);
}
