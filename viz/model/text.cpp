// How wide text is, without a font: the advances of DejaVu Sans (regular, bold) in thousandths of the size.
#include "viz/model/drawing.h"

namespace tl::viz {

namespace {

constexpr short regular[95] = {318,  401, 460, 838, 636, 950, 780, 275, 390, 390, 500, 838, 318, 361, 318, 337,
                               636,  636, 636, 636, 636, 636, 636, 636, 636, 636, 337, 337, 838, 838, 838, 531,
                               1000, 684, 686, 698, 770, 632, 575, 775, 752, 295, 295, 656, 557, 863, 748, 787,
                               603,  787, 695, 635, 611, 732, 684, 989, 685, 611, 685, 390, 337, 390, 838, 500,
                               500,  613, 635, 550, 635, 615, 352, 635, 634, 278, 278, 579, 278, 974, 634, 612,
                               635,  635, 411, 521, 392, 634, 592, 818, 592, 592, 525, 636, 337, 636, 838};
constexpr short bold[95] = {348,  456, 521, 838, 696, 1002, 872, 306,  457, 457, 523, 838, 380, 415,  380, 365,
                            696,  696, 696, 696, 696, 696,  696, 696,  696, 696, 400, 400, 838, 838,  838, 580,
                            1000, 774, 762, 734, 830, 683,  683, 821,  837, 372, 372, 775, 637, 995,  837, 850,
                            733,  850, 770, 720, 682, 812,  774, 1103, 771, 724, 725, 457, 365, 457,  838, 500,
                            500,  675, 716, 593, 716, 678,  435, 716,  712, 343, 343, 665, 343, 1042, 712, 687,
                            716,  716, 493, 595, 478, 712,  652, 924,  645, 652, 582, 712, 365, 712,  838};
constexpr short mono = 602, other = 838;  // other: of characters beyond ASCII

bool begins_character(char c) { return (static_cast<unsigned char>(c) & 0xC0) != 0x80; }

}  // namespace

float text_width(std::string_view text, float size, bool is_mono, bool is_bold) {
  int sum = 0;
  for (const char c : text) {
    if (!begins_character(c)) continue;
    const auto u = static_cast<unsigned char>(c);
    sum += is_mono ? mono : u >= 32 && u < 127 ? (is_bold ? bold : regular)[u - 32] : other;
  }
  return static_cast<float>(sum) * size / 1000;
}

std::string fitted(std::string_view text, float width, float size, bool is_mono) {
  if (text_width(text, size, is_mono) <= width) return std::string(text);
  std::string result(text);
  while (!result.empty()) {
    do result.pop_back();
    while (!result.empty() && !begins_character(text[result.size()]));
    if (text_width(result + "\u2026", size, is_mono) <= width) return result + "\u2026";
  }
  return "";
}

}  // namespace tl::viz
