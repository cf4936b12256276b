// The data of an exported page as an element that its script reads: page_data.js.
#pragma once

#include <string>

namespace tl::viz {

// <script id="data">, packed where the program was built with zlib.
std::string data_element(const std::string& json);
// Of zlib's format. "": the program was built without it.
std::string deflated(const std::string& bytes);

}  // namespace tl::viz
