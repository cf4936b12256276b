// A picture of the window as a PNG file.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

namespace tl::viz {

// `pixels`: rows from the top, 3 bytes a pixel. Throws OutputError when the file cannot be written.
void write_png(const std::string& file, int width, int height, const std::vector<std::uint8_t>& pixels);

}  // namespace tl::viz
