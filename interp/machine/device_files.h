// The devices' files, as they are embedded in the program.
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace tl::machine {

std::string_view device_file(std::string_view name);  // devices/NAME.json

// The name that begins so, or the nearest; "" where there is none.
std::string meant(const std::string& name, const std::vector<std::string>& names);

}  // namespace tl::machine
