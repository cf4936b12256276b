// Checks across a device's fields: a part is no larger than its whole, a farther memory no faster.
#pragma once

#include <string>

#include "interp/machine/device.h"

namespace tl::machine {

// Throw Error that names the field of `where`, its value and the fix.
void check_together(const Device& d, const std::string& where);
void check_groups(const Device& d, const std::string& where);

// A number as short as a person writes it.
std::string plain(double v);

}  // namespace tl::machine
