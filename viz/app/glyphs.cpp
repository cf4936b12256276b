#include "viz/app/glyphs.h"

#include <algorithm>
#include <bit>
#include <filesystem>

namespace tl::viz {

namespace {

// Latin, Greek and Cyrillic, as comments have them; dashes, quotation marks, arrows, mathematical signs and the
// geometric shapes that the drawings' texts use. Pairs of a first and a last one.
constexpr ImWchar dejavu[] = {0x20,   0x17F,  0x370,  0x45F,  0x2010, 0x203A, 0x2190,
                              0x2193, 0x2200, 0x2265, 0x25A0, 0x25CF, 0};

// Where Debian and Ubuntu keep DejaVu (fonts-dejavu-core), and where others do.
std::string font_file(const std::string& name) {
  for (const char* folder : {"/usr/share/fonts/truetype/dejavu/", "/usr/share/fonts/TTF/", "/usr/share/fonts/dejavu/"})
    if (std::filesystem::exists(folder + name)) return folder + name;
  return "";
}

// The font file of fonts-wqy-microhei, fonts-wqy-zenhei, fonts-droid-fallback or fonts-noto-cjk; "": none is installed.
std::string wide_font_file() {
  for (const char* file :
       {"/usr/share/fonts/truetype/wqy/wqy-microhei.ttc", "/usr/share/fonts/truetype/wqy/wqy-zenhei.ttc",
        "/usr/share/fonts/truetype/droid/DroidSansFallbackFull.ttf",
        "/usr/share/fonts/opentype/noto/NotoSansCJK-Regular.ttc", "/usr/share/fonts/noto-cjk/NotoSansCJK-Regular.ttc"})
    if (std::filesystem::exists(file)) return file;
  return "";
}

// ImGui keeps the pointer until the atlas is built, which is at the end of load().
ImFont* add(const std::string& name, float pixels, const std::vector<ImWchar>& beyond) {
  ImFontAtlas& atlas = *ImGui::GetIO().Fonts;
  ImFontConfig config;
  config.PixelSnapH = true;
  config.OversampleH = 2;
  config.SizePixels = pixels;
  const std::string file = font_file(name), wide = beyond.size() > 1 ? wide_font_file() : "";
  ImFont* font =
      file.empty() ? atlas.AddFontDefault(&config) : atlas.AddFontFromFileTTF(file.c_str(), pixels, &config, dejavu);
  if (wide.empty()) return font;
  config.MergeMode = true;
  config.OversampleH = 1;
  atlas.AddFontFromFileTTF(wide.c_str(), pixels, &config, beyond.data());
  return font;
}

}  // namespace

std::set<ImWchar> characters_beyond_dejavu(std::string_view utf8) {
  std::set<ImWchar> found;
  for (std::size_t i = 0; i < utf8.size();) {
    const auto lead = static_cast<unsigned char>(utf8[i]);
    const auto length = static_cast<std::size_t>(std::clamp(std::countl_one(lead), 1, 4));
    std::uint32_t character = length == 1 ? lead : lead & (0x7Fu >> length);
    for (std::size_t k = 1; k < length && i + k < utf8.size(); ++k)
      character = character << 6 | (static_cast<unsigned char>(utf8[i + k]) & 0x3Fu);
    i += length;
    if (length < 2 || character > 0xFFFF) continue;
    bool has = false;
    for (const ImWchar* range = dejavu; range[0] != 0 && !has; range += 2)
      has = range[0] <= character && character <= range[1];
    if (!has) found.insert(static_cast<ImWchar>(character));
  }
  return found;
}

bool Glyphs::need(std::string_view text) {
  const std::size_t before = beyond_.size();
  beyond_.merge(characters_beyond_dejavu(text));
  return beyond_.size() > before;
}

std::string Glyphs::advice() const {
  return beyond_.empty() || !wide_font_file().empty()
             ? ""
             : "no font here has some of the text's characters: install the package fonts-wqy-microhei";
}

Fonts Glyphs::load(float pixels) const {
  std::vector<ImWchar> ranges;
  for (const ImWchar c : beyond_) ranges.insert(ranges.end(), {c, c});
  ranges.push_back(0);
  ImGui::GetIO().Fonts->Clear();
  const Fonts fonts{add("DejaVuSans.ttf", pixels, ranges), add("DejaVuSans-Bold.ttf", pixels, ranges),
                    add("DejaVuSansMono.ttf", pixels, ranges)};
  ImGui::GetIO().Fonts->Build();
  return fonts;
}

}  // namespace tl::viz
