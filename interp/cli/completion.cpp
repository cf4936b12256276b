#include "interp/cli/completion.h"

#include <CLI/CLI.hpp>
#include <algorithm>
#include <sstream>

#include "interp/lang/error.h"
#include "interp/machine/device.h"
#include "kernels/problems/problem.h"

namespace tl::cli {

namespace {

using Words = std::vector<std::string>;

// Readline takes for the word what follows the last =; $1 is the program as it was typed, build/tilescope too.
constexpr const char* bash_script = R"sh(_tilescope() {
  local line=${COMP_LINE:0:COMP_POINT} words
  read -ra words <<<"$line"
  [[ $line == *[[:space:]] ]] && words+=('')
  mapfile -t COMPREPLY < <("$1" complete "${words[@]:1}" 2>/dev/null)
  [[ ${words[-1]} == *=* ]] && COMPREPLY=("${COMPREPLY[@]#*=}")
  [[ ${COMPREPLY[0]} == *= ]] && compopt -o nospace
}
complete -o default -F _tilescope tilescope
)sh";

constexpr const char* zsh_script = R"sh(#compdef tilescope
local -a found whole open
found=(${(f)"$(${words[1]} complete "${(@)words[2,CURRENT]}" 2>/dev/null)"})
whole=(${found:#*=})
open=(${(M)found:#*=})
(( $#found )) || { _files; return }
(( $#whole )) && compadd -- $whole
(( $#open )) && compadd -S '' -- $open
)sh";

Words split(const std::string& text, char by) {
  Words parts;
  std::istringstream in(text);
  for (std::string part; std::getline(in, part, by);) parts.push_back(part);
  return parts;
}

// cpu|cuda; names in capitals and ranges stand for values that cannot be listed.
Words values_of(const CLI::Option& option) {
  if (option.check_lname("gpu")) return machine::device_names();
  const std::string type = option.get_type_name();
  if (type.find('|') == std::string::npos) return {};
  Words values = split(type, '|');
  std::erase_if(
      values, [](const std::string& v) { return std::ranges::any_of(v, [](char c) { return c >= 'A' && c <= 'Z'; }); });
  return values;
}

Words names_of_options(const CLI::App& command) {
  Words names;
  for (const CLI::Option* o : command.get_options()) {
    if (o->get_group().empty()) continue;
    for (const std::string& name : o->get_lnames()) names.push_back("--" + name);
    for (const std::string& name : o->get_snames()) names.push_back("-" + name);
  }
  return names;
}

bool takes_kernels(const CLI::App& command) {
  return command.get_option_no_throw("kernel") || command.get_option_no_throw("kernels");
}

const problems::Problem* kernel_named(const std::string& word) {
  if (problems::names_file(word)) try {
      return &problems::find(word);
    } catch (const Error&) {
      return nullptr;
    }
  const auto at = std::ranges::find(problems::all(), word, &problems::Problem::name);
  return at == problems::all().end() ? nullptr : &*at;
}

// name= of the settings that the kernels before `word` have; name=value where the name is there already.
void add_settings(const Words& words, Words& found) {
  const std::string& word = words.back();
  for (std::size_t i = 0; i + 1 < words.size(); ++i)
    if (const problems::Problem* kernel = kernel_named(words[i]))
      for (const problems::Setting& s : kernel->settings) {
        const Words values = s.kind == problems::Setting::Kind::boolean ? Words{"true", "false"} : s.choices;
        if (!word.starts_with(s.name + "=")) found.push_back(s.name + "=");
        else
          for (const std::string& value : values) found.push_back(s.name + "=" + value);
      }
}

}  // namespace

Words completions(const CLI::App& program, const Words& words) {
  if (words.empty()) return {};
  const CLI::App* command = &program;
  const CLI::Option* before = nullptr;  // whose value the last word is
  for (std::size_t i = 0; i + 1 < words.size(); ++i) {
    const auto next = command->get_subcommands([&](const CLI::App* sub) { return sub->get_name() == words[i]; });
    before = words[i].starts_with("-") ? command->get_option_no_throw(words[i]) : nullptr;
    if (before && before->get_expected_max() == 0) before = nullptr;  // a flag
    if (!next.empty()) command = next.front();
  }
  Words found;
  if (before) found = values_of(*before);
  else if (words.back().starts_with("-")) found = names_of_options(*command);
  else {
    for (const CLI::App* sub : command->get_subcommands([](const CLI::App* s) { return !s->get_group().empty(); }))
      found.push_back(sub->get_name());
    const bool has_kernel = std::any_of(words.begin(), words.end() - 1, kernel_named);
    if (takes_kernels(*command) && (!has_kernel || command->get_option_no_throw("kernels")))
      for (const problems::Problem& p : problems::all()) found.push_back(p.name);
    if (takes_kernels(*command)) add_settings(words, found);
  }
  std::erase_if(found, [&](const std::string& f) { return !f.starts_with(words.back()); });
  return found;
}

std::string completion_script(const std::string& shell) {
  if (shell == "bash") return bash_script;
  if (shell == "zsh") return zsh_script;
  throw Error("there is no completion for \"" + shell + "\"", "tilescope completion bash, or tilescope completion zsh");
}

}  // namespace tl::cli
