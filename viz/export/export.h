// Drawings to files: SVG with text as text, PNG, and one HTML page that steps through many drawings.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "viz/model/drawing.h"
#include "viz/model/theme.h"

namespace tl::viz {

std::string svg(const Drawing& drawing, const Theme& theme);

bool has_png();
// Throws Error where the program was built without Cairo. `scale` 2 doubles the pixels.
std::string png(const Drawing& drawing, const Theme& theme, float scale = 1);

// One step of a page: its name, what the text says there.
struct Frame {
  std::string label;  // program 1, step 4: copy.h:9
  Drawing drawing;
  int line = 0;  // of the kernel's text: the next; 0: none
};
// The frames of one run.
struct Walk {
  std::string name;  // what it was run with, where a page holds several
  std::vector<Frame> frames;
  std::size_t start = 0;
  std::vector<std::string> source = {};  // the kernel's text, from line 1 on
};
// Needs nothing from anywhere. It plays; arrow keys, Home and End walk the frames; each has its tables as text. What
// stands for the same thing lights up together, in the picture and in the text.
std::string html(const std::string& title, const std::vector<Walk>& walks, const Theme& theme);

// What its script reads, JSON: each fragment of SVG once, a frame as a list of their numbers.
std::string html_data(const std::vector<Walk>& walks, const Theme& theme);

// A shape as an SVG element, and the definitions (hatches, arrow heads) that such elements name.
std::string svg_element(const Drawing& drawing, const Shape& shape, const Theme& theme);
std::string svg_definitions(const Theme& theme);
std::string escaped(const std::string& text);  // for XML and HTML
std::string base64(const std::string& bytes);
std::vector<std::uint32_t> colours_of(const Image& image, const Theme& theme);  // its palette, 0x00RRGGBB
// An image's texels as a BMP of a byte a texel: what browsers and SVG viewers read without a library.
std::string bmp(const Image& image, const Theme& theme);

}  // namespace tl::viz
