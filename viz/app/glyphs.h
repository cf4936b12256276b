// The window's fonts: DejaVu, and from a font of the machine's what a text needs beyond it, such as Chinese comments.
#pragma once

#include <set>
#include <string>
#include <string_view>

#include "viz/panels/workspace.h"

namespace tl::viz {

// The characters of a text, of the basic multilingual plane, that DejaVu's part of the atlas lacks.
std::set<ImWchar> characters_beyond_dejavu(std::string_view utf8);

class Glyphs {
 public:
  bool need(std::string_view text);  // whether there were new ones among them: the fonts are to be loaded anew
  std::string advice() const;        // what to install, where no font has them; "": nothing
  // Without DejaVu on the machine, ImGui's own font stands for all three.
  Fonts load(float pixels) const;

 private:
  std::set<ImWchar> beyond_;
};

}  // namespace tl::viz
