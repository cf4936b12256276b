// The user's folders by the XDG rules: a variable that holds an absolute path, else the usual place in an absolute
// HOME, else "": there is none.
#pragma once

#include <filesystem>

namespace tl {

std::filesystem::path cache_home();   // XDG_CACHE_HOME, ~/.cache
std::filesystem::path config_home();  // XDG_CONFIG_HOME, ~/.config
std::filesystem::path data_home();    // XDG_DATA_HOME, ~/.local/share
std::filesystem::path state_home();   // XDG_STATE_HOME, ~/.local/state

}  // namespace tl
