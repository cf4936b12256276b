#include "viz/app/screenshot.h"

#define STB_IMAGE_WRITE_IMPLEMENTATION
#define STB_IMAGE_WRITE_STATIC
#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Wmissing-field-initializers"
#pragma GCC diagnostic ignored "-Wunused-function"
#include <stb/stb_image_write.h>
#pragma GCC diagnostic pop

#include "interp/lang/output_file.h"

namespace tl::viz {

void write_png(const std::string& file, int width, int height, const std::vector<std::uint8_t>& pixels) {
  if (!stbi_write_png(file.c_str(), width, height, 3, pixels.data(), 3 * width))
    throw OutputError("\"" + file + "\" cannot be written", "give a file in a folder that exists and has room");
}

}  // namespace tl::viz
