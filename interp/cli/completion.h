// What a shell may offer while a command is typed, and the scripts that ask for it.
#pragma once

#include <string>
#include <vector>

namespace CLI {
class App;
}

namespace tl::cli {

// `words` follow the program's name; the last is the one being typed, "" where it is not begun. Commands, options,
// their values, kernels and settings that fit; none: the shell offers files.
std::vector<std::string> completions(const CLI::App& program, const std::vector<std::string>& words);

// For bash or zsh. Throws Error for other shells.
std::string completion_script(const std::string& shell);

}  // namespace tl::cli
