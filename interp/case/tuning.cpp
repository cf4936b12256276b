// What a case's words say of its tuning.
#include <fmt/format.h>

#include <charconv>
#include <cmath>

#include "interp/case/file_case.h"
#include "interp/case/scope.h"
#include "interp/lang/error.h"
#include "interp/lang/text.h"
#include "kernels/problems/config_words.h"

namespace tl::cases {

namespace {

std::vector<std::string> names_in(const Word& word) {
  std::vector<std::string> names;
  for (const std::string& name : list_of(word)) names.push_back(trimmed(name));
  return names;
}

double top_k_of(const Word& word) {
  double top_k = 0;
  const char* const end = word.value.data() + word.value.size();
  const auto [rest, error] = std::from_chars(word.value.data(), end, top_k);
  if (error != std::errc{} || rest != end || !(top_k > 0))
    throw Error(fmt::format("{}{}: this is not a number of configs", word.place, word.text()),
                "config_top_k=10, or a share of them: config_top_k=0.25");
  return top_k;
}

}  // namespace

problems::Tuning FileCase::tuning(const std::shared_ptr<const FileCase>& c) {
  problems::Tuning tuning;
  const Words head = c->head();
  const auto said = [](const Words& words, const char* name) {
    const auto it = words.find(name);
    return it == words.end() ? Word{name, ""} : it->second;
  };
  tuning.configs = [c, said](const problems::Settings& settings) {
    const Words words = c->words_of(settings);
    const Word word = said(words, "configs");
    const Scope scope(words);
    try {
      return problems::configs_in(word.value, [&](const std::string& e) { return scope.integer(word, e); });
    } catch (const Error& e) {
      throw Error(word.place + e.what(), e.fix);
    }
  };
  tuning.refuse = [c, said](const problems::Settings& settings) -> std::string {
    const Words words = c->words_of(settings);
    const Word word = said(words, "config_refuse");
    return word.value.empty() || Scope(words).integer(word, word.value) == 0 ? "" : word.text();
  };
  tuning.model_ms = [c, said](const problems::Settings& settings) {
    const Words words = c->words_of(settings);
    const Word word = said(words, "config_model");
    return word.value.empty() ? NAN : Scope(words).real(word, word.value);
  };
  for (const Parameter& p : c->functor().parameters)
    if (const Word word = said(head, c->canonical(p.name).c_str()); is_tensor(word.value))
      tuning.resets_outputs |= tensor_of(word).role == TensorWord::Role::inout;
  if (const Word key = said(head, "config_key"); !key.value.empty()) tuning.key = names_in(key);
  else {  // what the kernel works on, rather than what its output should be
    for (const Parameter& p : c->functor().parameters) tuning.key.push_back(c->canonical(p.name));
    for (const auto& [name, word] : head)
      if (!c->parameter(name) && !is_own_word(name)) tuning.key.push_back(name);
  }
  if (const Word top_k = said(head, "config_top_k"); !top_k.value.empty()) tuning.top_k = top_k_of(top_k);
  return tuning;
}

}  // namespace tl::cases
