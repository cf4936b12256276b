#include "interp/lang/user_folders.h"

#include <cstdlib>

namespace tl {

namespace {

std::filesystem::path absolute_from(const char* variable) {
  const char* value = std::getenv(variable);
  return value && *value == '/' ? value : "";
}

std::filesystem::path folder(const char* variable, const char* usual) {
  if (auto chosen = absolute_from(variable); !chosen.empty()) return chosen;
  const auto home = absolute_from("HOME");
  return home.empty() ? home : home / usual;
}

}  // namespace

std::filesystem::path cache_home() { return folder("XDG_CACHE_HOME", ".cache"); }
std::filesystem::path config_home() { return folder("XDG_CONFIG_HOME", ".config"); }
std::filesystem::path data_home() { return folder("XDG_DATA_HOME", ".local/share"); }
std::filesystem::path state_home() { return folder("XDG_STATE_HOME", ".local/state"); }

}  // namespace tl
