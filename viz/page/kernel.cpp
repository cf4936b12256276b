// What a text offers to run: its kernels, and the words of their cases, for a form.
#include <fmt/format.h>

#include "interp/case/file_case.h"
#include "interp/case/python_signature.h"
#include "interp/triton/program.h"
#include "viz/page/state.h"

namespace tl::page {

namespace {

// A first value for a parameter of which nothing is said: a reader changes it, or runs it as it is.
std::string guess(const cases::Parameter& p) {
  constexpr int elements = 64, block = 16;  // small enough to be seen
  if (p.kind == 'c') return std::to_string(block);
  const bool is_pointer = p.name.ends_with("ptr") || p.is_stored || p.name.size() == 1;
  const bool is_count = p.name == "n" || p.name == "m" || p.name == "k";
  if (is_pointer && !is_count) return fmt::format("{}f32[{}]", p.is_stored ? "out:" : "", elements);
  return p.name.find("stride") != std::string::npos ? "1" : std::to_string(elements);
}

}  // namespace

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
      for (const cases::Parameter& p : f.parameters)
        for (Json& word : words)
          if (word["name"] == of.canonical(p.name) && word["value"] == "") word["value"] = guess(p);
      for (Json& word : words)
        if (word["name"] == "grid" && word["value"] == "") word["value"] = "4";
    }
    all.push_back({{"name", f.name}, {"has_case", has_case}, {"words", words}});
  }
  return {{"kernels", all}};
}

}  // namespace tl::page
