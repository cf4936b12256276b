#include "interp/tune/space.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <set>

#include "interp/debug/expression.h"
#include "interp/lang/error.h"
#include "interp/lang/text.h"
#include "kernels/problems/config_words.h"

namespace tl::tune {

namespace {

std::string name_in(const std::string& assignment) { return assignment.substr(0, assignment.find('=')); }

std::vector<std::string> names_of(const problems::Problem& problem) {
  std::vector<std::string> names;
  for (const problems::Setting& s : problem.settings) names.push_back(s.name);
  return names;
}

// What else a name of no setting may have meant.
std::string meant_instead(const std::string& name, const std::vector<std::string>& names) {
  const std::string guess = nearest(name, names);
  return (guess.empty() ? "" : fmt::format("did you mean {}? ", guess)) +
         fmt::format("its settings: {}", fmt::join(names, ", "));
}

// An expression of settings: next_power_of_2(cols).
debug::Array value_of(const std::string& expression, const problems::Settings& settings) {
  return debug::evaluate(expression, [&](const std::string& name) -> std::optional<debug::Operand> {
    const auto it = settings.values.find(name);
    if (it == settings.values.end()) {
      std::vector<std::string> names;
      for (const auto& [known, value] : settings.values) names.push_back(known);
      throw Error(fmt::format("{} names no setting", name), meant_instead(name, names));
    }
    if (!is_whole_number(it->second))
      throw Error(fmt::format("'{}': {} is {}, no whole number", expression, name, it->second),
                  "name settings that are whole numbers");
    return debug::literal(static_cast<std::int64_t>(std::stoll(it->second)));
  });
}

std::int64_t integer_of(const std::string& expression, const problems::Settings& settings) {
  const debug::Array a = value_of(expression, settings);
  if (!a.is_scalar() || is_float(a.dtype))
    throw Error(fmt::format("'{}' is {}, no whole number", expression, debug::text_of(a)), "write a whole number");
  return a.data[0].whole;
}

std::function<std::string(const problems::Settings&)> refused_where(const std::string& condition) {
  return [condition](const problems::Settings& s) -> std::string {
    return debug::is_true(value_of(condition, s)) ? "--refuse '" + condition + "'" : "";
  };
}

// What the user fixed is no choice any more.
std::vector<problems::Config> without(std::vector<problems::Config> configs, const std::set<std::string>& given) {
  for (problems::Config& config : configs)
    std::erase_if(config, [&](const problems::NamedValue& v) { return given.contains(v.first); });
  return problems::without_duplicates(configs);
}

void require_settings(const Space& space) {
  const std::vector<std::string> names = names_of(*space.problem);
  for (const std::string& name : space.key)
    if (!std::ranges::count(names, name))
      throw Error(fmt::format("the key \"{}\" names no setting of {}", name, space.problem->name),
                  meant_instead(name, names));
}

}  // namespace

bool is_whole_number(const std::string& text) {
  return !text.empty() && text.find_first_not_of("0123456789") == std::string::npos;
}

Space space_of(const SpaceRequest& request) { return space_of(problems::find(request.kernel.kernel), request); }

Space space_of(const problems::Problem& problem, const SpaceRequest& request) {
  Space space;
  space.problem = &problem;
  space.given = request.kernel.settings;
  space.seed = request.kernel.seed;
  space.tuning = space.problem->tuning;
  space.sizes = problems::parse(*space.problem, space.given);
  std::set<std::string> given;
  for (const std::string& word : space.given) given.insert(name_in(word));
  if (!request.configs.empty()) {
    space.configs = problems::configs_in(
        request.configs, [&](const std::string& expression) { return integer_of(expression, space.sizes); });
    for (const problems::Config& config : space.configs)
      for (const auto& [name, value] : config)
        if (given.contains(name))
          throw Error(fmt::format("{} is given, and a choice of --configs as well", name), "leave one of them out");
        else if (name == "configs" || name.starts_with("config_"))  // all words behind --configs are its own
          throw Error(name + " is a word of the case, no setting", "write it before --configs");
  } else if (space.tuning.configs) {
    space.configs = without(space.tuning.configs(space.sizes), given);
  }
  if (space.configs.empty())
    throw Error(fmt::format("there are no configs to choose among: {}",
                            request.configs.empty() ? space.problem->name + " declares none" : "--configs names none"),
                "give them: --configs 'warps=1,2,4,8'");
  if (!request.refuse.empty()) space.tuning.refuse = refused_where(request.refuse);
  std::set<std::string> chosen;
  for (const problems::Config& config : space.configs) {
    const problems::Settings settings = settings_of(space, config);  // throws for an invalid value
    if (space.tuning.refuse) space.tuning.refuse(settings);          // and for an invalid expression
    for (const auto& [name, value] : config) chosen.insert(name);
  }
  for (const auto& [name, rule] : space.tuning.heuristics) chosen.insert(name);
  space.key = request.key;
  if (space.key.empty()) {
    space.key = space.tuning.key.empty() ? names_of(*space.problem) : space.tuning.key;
    std::erase_if(space.key, [&](const std::string& name) { return chosen.contains(name) && !given.contains(name); });
  }
  require_settings(space);
  return space;
}

std::vector<std::string> words_of(const Space& space, const problems::Config& config) {
  std::vector<std::string> words = space.given;
  for (const auto& [name, value] : config) words.push_back(name + "=" + value);
  const auto is_open = [&](const std::string& name) { return !std::ranges::count(words, name, name_in); };
  for (const auto& [name, rule] : space.tuning.heuristics)
    if (is_open(name)) words.push_back(name + "=" + rule(problems::parse(*space.problem, words)));
  return words;
}

problems::Settings settings_of(const Space& space, const problems::Config& config) {
  return problems::parse(*space.problem, words_of(space, config));
}

std::vector<std::string> names_of_configs(const problems::Problem& problem) {
  std::vector<std::string> names;
  if (!problem.tuning.configs) return names;
  for (const problems::Config& config : problem.tuning.configs(problems::parse(problem, {})))
    for (const auto& [name, value] : config)
      if (!std::ranges::count(names, name)) names.push_back(name);
  return names;
}

std::string key_text(const Space& space) {
  std::string text;
  for (const std::string& name : space.key) {
    const auto it = space.sizes.values.find(name);
    if (it != space.sizes.values.end() && !it->second.empty())
      text += (text.empty() ? "" : " ") + name + "=" + it->second;
  }
  return text;
}

}  // namespace tl::tune
