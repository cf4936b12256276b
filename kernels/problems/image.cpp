// Pictures, by stb_image; and a landscape of sums of waves.
#include "kernels/problems/image.h"

#include <stb/stb_image.h>
#include <stb/stb_image_write.h>

#include <algorithm>
#include <cmath>
#include <cstring>
#include <filesystem>
#include <memory>

#include "interp/lang/error.h"
#include "interp/lang/input_file.h"
#include "interp/lang/output_file.h"
#include "kernels/problems/random.h"

namespace tl::problems {
namespace {

constexpr std::uintmax_t most_image_bytes = 1 << 30;

struct Colour {
  double r, g, b;
};
Colour mix(Colour a, Colour b, double t) {
  return {a.r + (b.r - a.r) * t, a.g + (b.g - a.g) * t, a.b + (b.b - a.b) * t};
}

// The height of a ridge at column x, from 0 at the top to 1 at the bottom: waves of falling size.
double ridge(double x, double base, double roughness, double phase) {
  double y = base;
  for (double wave = 1; wave < 40; wave *= 2.3) y += roughness / wave * std::sin(x * wave * 4 + phase * wave);
  return y;
}

Colour landscape(double x, double y) {
  const Colour zenith{36, 60, 122}, horizon{250, 170, 96}, sun{255, 240, 200};
  const double from_sun = std::hypot((x - 0.68) * 1.5, y - 0.46);
  Colour c = mix(zenith, horizon, std::clamp(y / 0.6, 0.0, 1.0));
  c = mix(c, sun, std::exp(-from_sun * from_sun * 60));
  if (from_sun < 0.07) c = sun;
  const Colour ridges[] = {{120, 96, 120}, {70, 66, 92}, {28, 36, 48}};  // paler with distance
  for (int i = 0; i < 3; ++i)
    if (y > ridge(x, 0.52 + 0.13 * i, 0.05, 1.7 + 2.1 * i)) c = mix(ridges[i], horizon, 0.12 * (1 - y));
  return c;
}

// .jpg, of picture.JPG
std::string ending(const std::string& path) {
  std::string e = std::filesystem::path(path).extension().string();
  for (char& c : e) c = c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c;
  return e;
}
bool is_jpeg(const std::string& path) { return ending(path) == ".jpg" || ending(path) == ".jpeg"; }

std::uint8_t byte_of(double v) { return static_cast<std::uint8_t>(std::clamp(v, 0.0, 255.0)); }

}  // namespace

Tensor made_image(std::int64_t height, std::int64_t width) {
  const Tensor image = make_tensor("x", DType::uint8, {3, height, width});
  std::uint8_t* to = image.as<std::uint8_t>();
  for (std::int64_t i = 0; i < height && image.holds_data; ++i)
    for (std::int64_t j = 0; j < width; ++j) {
      const std::int64_t pixel = i * width + j;
      const auto middle = [](std::int64_t at, std::int64_t of) {
        return (static_cast<double>(at) + 0.5) / static_cast<double>(of);
      };
      const Colour c = landscape(middle(j, width), middle(i, height));
      const double grain =
          static_cast<double>(random_bits(7, static_cast<std::uint64_t>(pixel)) % 13) - 6;  // as a film's
      to[pixel] = byte_of(c.r + grain);
      to[height * width + pixel] = byte_of(c.g + grain);
      to[2 * height * width + pixel] = byte_of(c.b + grain);
    }
  return image;
}

Tensor read_image(const std::string& path) {
  const std::string name = "the image \"" + path + "\"", give = "give image= the path of a PNG or JPEG file";
  const auto refuse = [&](const std::string& why, const std::string& fix) {
    return Error(name + " cannot be read: " + why, fix);
  };
  const std::string file = read_regular_file(path, most_image_bytes, give, name);
  const auto* bytes = reinterpret_cast<const stbi_uc*>(file.data());
  int w = 0, h = 0, channels = 0;
  const bool is_image = stbi_info_from_memory(bytes, static_cast<int>(file.size()), &w, &h, &channels) != 0;
  const std::unique_ptr<stbi_uc, decltype(&stbi_image_free)> pixels(
      stbi_load_from_memory(bytes, static_cast<int>(file.size()), &w, &h, &channels, 3), &stbi_image_free);
  // Replaces stb_image's messages, which are meant for its programmers.
  if (!pixels && std::strcmp(stbi_failure_reason(), "too large") == 0)
    throw refuse("it has too many pixels", "make it smaller: up to 2^30 bytes, 3 a pixel");
  if (!pixels)
    throw is_image ? refuse("it is damaged or cut short", "save it again as PNG or JPEG")
                   : refuse("it is neither PNG nor JPEG", give);
  const Tensor image = make_tensor("x", DType::uint8, {3, h, w});
  const std::int64_t count = std::int64_t{h} * w;
  for (std::int64_t i = 0; i < count; ++i)
    for (int plane = 0; plane < 3; ++plane) image.as<std::uint8_t>()[plane * count + i] = pixels.get()[i * 3 + plane];
  return image;
}

void check_image_name(const std::string& path, const std::string& read_from) {
  if (!is_jpeg(path) && ending(path) != ".png")
    throw Error("the image \"" + path + "\" would be neither PNG nor JPEG", "end its name in .png or .jpg");
  std::error_code unknown;
  if (!read_from.empty() && std::filesystem::equivalent(path, read_from, unknown))
    throw Error("out=" + path + " is the picture that is read: it would be lost", "give out= another path");
}

void write_grey_image(const Tensor& t, const std::string& path) {
  const int h = static_cast<int>(t.shape[0]), w = static_cast<int>(t.shape[1]);
  std::string bytes;
  const auto keep = [](void* to, void* data, int size) {
    static_cast<std::string*>(to)->append(static_cast<const char*>(data), static_cast<std::size_t>(size));
  };
  if (is_jpeg(path)) stbi_write_jpg_to_func(keep, &bytes, w, h, 1, t.data(), 92);
  else stbi_write_png_to_func(keep, &bytes, w, h, 1, t.data(), w);
  write_file(path, bytes);
}

}  // namespace tl::problems
