// The devices' files, as they are embedded in the program.
#pragma once

#include <nlohmann/json_fwd.hpp>
#include <string>
#include <string_view>
#include <vector>

#include "interp/lang/tensor_cores.h"

namespace tl::machine {

// What a device's file says of its tensor cores; `where` is what errors call the file.
TensorCores read_tensor_cores(const nlohmann::json& list, const std::string& where);

std::string_view device_file(std::string_view name);  // devices/NAME.json

// The name that begins so, or the nearest; "": no name is near.
std::string meant(const std::string& name, const std::vector<std::string>& names);

}  // namespace tl::machine
