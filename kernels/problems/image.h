// Pictures as three planes of bytes: read, written, and one of our own making.
#pragma once

#include <string>

#include "interp/lang/tensor.h"

namespace tl::problems {

// [3, height, width], uint8. Any PNG or JPEG; throws Error when it cannot be read.
Tensor read_image(const std::string& path);
// A landscape at dusk, the same every time; 150 x 225 is the size of the lecture's picture.
Tensor made_image(std::int64_t height, std::int64_t width);
// Throws Error when the name ends in neither .png nor .jpg nor .jpeg, or names the picture that was read.
void check_image_name(const std::string& path, const std::string& read_from);
// [height, width], uint8, as a PNG (or JPEG, by the path's ending); throws Error when it cannot be written.
void write_grey_image(const Tensor& t, const std::string& path);

}  // namespace tl::problems
