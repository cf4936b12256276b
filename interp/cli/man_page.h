// The manual page, made of the commands' own help.
#pragma once

#include <string>

namespace CLI {
class App;
}

namespace tl::cli {

// For man(1). `overview` is what the program says when it is run alone.
std::string man_page(const CLI::App& program, const std::string& overview);

}  // namespace tl::cli
