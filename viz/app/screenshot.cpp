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
  std::string png;
  const auto append = [](void* to, void* bytes, int count) {
    static_cast<std::string*>(to)->append(static_cast<const char*>(bytes), static_cast<std::size_t>(count));
  };
  stbi_write_png_to_func(append, &png, width, height, 3, pixels.data(), 3 * width);
  write_file(file, png);
}

}  // namespace tl::viz
