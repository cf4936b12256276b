// What a text offers to run: its kernels, and the words of their cases, for a form.
#include "interp/case/file_case.h"
#include "interp/case/guessed_case.h"
#include "interp/case/python_signature.h"
#include "interp/triton/program.h"
#include "viz/page/state.h"

namespace tl::page {

Json kernels_of(const Json& q) {
  const std::string text = q.at("text");
  triton::Program program(file, text);
  const auto functors = cases::functors_of(program);
  if (functors.empty()) program.refuse_empty();
  Json all = Json::array();
  for (const cases::Functor& f : functors) {
    const cases::FileCase of(file, text, f, cases::words_of_text(program, program.kernel(f.name), file));
    Json words = Json::array();
    for (const problems::Setting& s : of.settings())
      if (s.name != "like")  // of kernels in C++, which a page has none of
        words.push_back({{"name", s.name}, {"value", s.default_value}, {"help", s.help}});
    const bool has_case = !cases::case_in(file, text, f.name).empty();
    if (!has_case) {
      const cases::GuessedCase guess = cases::guessed_case(program, program.kernel(f.name), of);
      for (Json& word : words) {
        const std::string name = word["name"], given = word["value"];
        const bool is_open = given.empty() || given.find(" is not None") != std::string::npos;
        const auto value = guess.words.find(name);
        if (is_open && value != guess.words.end()) word["value"] = value->second;
        if (const auto asked = guess.asked.find(name); asked != guess.asked.end()) word["asked"] = asked->second;
      }
    }
    all.push_back({{"name", f.name}, {"has_case", has_case}, {"words", words}});
  }
  return {{"kernels", all}};
}

}  // namespace tl::page
