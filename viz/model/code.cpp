// The instructions of a compiled kernel beside the lines that they come from; another variant's beside them.
#include <fmt/format.h>

#include <algorithm>
#include <map>

#include "viz/model/panel.h"
#include "viz/model/sheet.h"

namespace tl::viz {

namespace {

constexpr float row = 18, text_size = 13, stripe = 5;

// Neighbouring lines differ.
Colour colour_of_line(int line) { return line > 0 ? category(line % 7) : Colour{Role::faint}; }

struct CodePicture {
  Scene& scene;
  std::vector<const CodeRun*> variants;
  const bool is_sass = scene.setting("code", 0) == 1;
  const int chosen = scene.chosen.line;  // its instructions alone; -1: all
  Sheet sheet;
  Table table;
  float bottom = 0;  // of the drawing

  CodePicture(Scene& s, const Canvas& canvas)
      : scene(s),
        variants(s.code_beside && s.code_beside != s.code ? std::vector{s.code_beside, s.code} : std::vector{s.code}),
        sheet(
            "code", fmt::format("{} for {}: {}", s.code->kernel, s.code->arch, summary_of(*s.code)),
            "Each instruction has the colour of the line that it comes from. A click on a line shows its instructions "
            "alone, Esc all of them.",
            canvas) {}

  const std::vector<Instruction>& code_of(const CodeRun& run) const { return is_sass ? run.sass : run.ptx; }

  static std::string summary_of(const CodeRun& run) {
    return fmt::format("{} registers a thread, {} threads, {} shared{}", run.registers, run.threads,
                       bytes_text(run.shared_bytes),
                       run.spill_bytes ? fmt::format(", {} spilled", bytes_text(run.spill_bytes)) : "");
  }

  // Lines that have instructions in a variant, with what stands between them; how many each has.
  void draw_source(float x, float width) {
    std::map<int, std::vector<std::int64_t>> counts;
    for (std::size_t v = 0; v < variants.size(); ++v)
      for (const Instruction& i : code_of(*variants[v])) {
        auto& count = counts[i.line];
        count.resize(variants.size());
        ++count[v];
      }
    std::int64_t most = 1;
    for (const auto& [line, count] : counts) most = std::max(most, *std::ranges::max_element(count));
    table = {"instructions of each line", {"line", "text"}, {}};
    for (const CodeRun* v : variants) table.header.push_back(v->settings);
    const float numbers = 46 * length(variants.size());
    float y = sheet.y;
    for (const auto& [line, count] : counts) {
      const std::string text = line == 0 ? "(what calls it)"
                               : line <= std::ssize(scene.code->source)
                                   ? scene.code->source[static_cast<std::size_t>(line) - 1]
                                   : "";
      Shape& ground =
          sheet.rect(x, y, width, row, {line == chosen ? Role::current : Role::paper}, fmt::format("source/{}", line));
      ground.layer = Layer::ground;
      ground.about.line = line > 0 ? line : -1;
      ground.tooltip = text;
      sheet.rect(x, y + 1, stripe, row - 2, colour_of_line(line)).about = ground.about;
      if (line > 0)
        sheet.text(x + 36, y + 13, fmt::format("{}", line), text_size, Align::right, {Role::soft}).is_mono = true;
      const auto indent = std::min(text.size(), text.find_first_not_of(' '));
      sheet.text(x + 44, y + 13, fitted(text.substr(indent), width - 50 - numbers, text_size, true), text_size)
          .is_mono = true;
      table.rows.push_back({fmt::format("{}", line), text.substr(indent)});
      for (std::size_t v = 0; v < variants.size(); ++v) {
        const float from = x + width - numbers + 46 * length(v);
        sheet.rect(from, y + 3, 42 * static_cast<float>(count[v]) / static_cast<float>(most), row - 6,
                   {Role::accent, 0, 0, 0.3f});
        sheet.text(from + 42, y + 13, count_text(count[v]), text_size, Align::right).is_mono = true;
        table.rows.back().push_back(count_text(count[v]));
      }
      y += row;
    }
    bottom = std::max(bottom, y);
  }

  void draw_code(std::size_t variant, float x, float width) {
    const CodeRun& run = *variants[variant];
    const auto& code = code_of(run);
    int most = 0;
    for (const Instruction& i : code) most = std::max(most, i.live);
    float y = sheet.y;
    if (variants.size() > 1) {
      sheet.heading(x, y + 12, fitted(different_settings(variant), width, 13));
      sheet.note(x, y + 28, fitted(summary_of(run), width, text_size), text_size);
      y += 36;
    }
    if (most > 0)
      sheet.note(x + 70, y + 12, fitted(fmt::format("live values: at most {} words", most), width - 70, text_size),
                 text_size);
    y += row;
    const float bars = most > 0 ? 60 : 0;
    int before = -1;
    for (std::size_t n = 0; n < code.size(); ++n) {
      const Instruction& i = code[n];
      if (chosen > 0 && i.line != chosen) continue;
      Shape& ground = sheet.rect(x, y, width, row, {Role::paper}, fmt::format("code/{}/{}", variant, n));
      ground.layer = Layer::ground, ground.about.line = i.line > 0 ? i.line : -1;
      ground.tooltip = i.text;
      sheet.rect(x, y, stripe, row, colour_of_line(i.line)).about = ground.about;
      if (i.line != before && i.line > 0)
        sheet.text(x + 34, y + 13, fmt::format("{}", i.line), text_size, Align::right, {Role::soft}).is_mono = true;
      before = i.line;
      if (i.live >= 0 && most > 0) {
        Shape& bar = sheet.rect(x + 40, y + 4, bars * length(i.live) / length(most) * 0.9f, row - 8,
                                {Role::accent, 0, 0, i.live == most ? 0.9f : 0.35f});
        bar.tooltip = fmt::format("{} words of registers are live before it", i.live);
        bar.about = ground.about;
      }
      sheet.text(x + 44 + bars, y + 13, fitted(i.text, width - 48 - bars, text_size, true), text_size).is_mono = true;
      y += row;
    }
    bottom = std::max(bottom, y);
  }

  // The lines that differ from the other variant's.
  std::string different_settings(std::size_t variant) const {
    const auto words = [](const std::string& text) {
      std::vector<std::string> all;
      for (std::size_t from = 0; from < text.size();) {
        const auto end = std::min(text.find(' ', from), text.size());
        all.push_back(text.substr(from, end - from));
        from = end + 1;
      }
      return all;
    };
    const auto mine = words(variants[variant]->settings), others = words(variants[1 - variant]->settings);
    std::string result;
    for (const std::string& w : mine)
      if (!std::ranges::count(others, w)) result += (result.empty() ? "" : " ") + w;
    return result.empty() ? variants[variant]->kernel : result;
  }

  void draw() {
    if (is_sass && !scene.code->no_sass.empty()) {
      sheet.fact(scene.code->no_sass);
    } else {
      const float source = std::max(240.f, (variants.size() == 1 ? 0.44f : 0.36f) * sheet.inner()), gap = 16,
                  width = (sheet.inner() - source) / length(variants.size()) - gap;
      draw_source(sheet.left(), source);
      for (std::size_t v = 0; v < variants.size(); ++v)
        draw_code(v, sheet.left() + source + gap + (width + gap) * length(v), width);
      sheet.y = bottom + 8;
      sheet.table(table);
    }
    if (!is_sass)
      sheet.fact(
          fmt::format("PTX has as many registers as it likes: the bars count the values that are live, in words; "
                      "ptxas found {} registers a thread",
                      scene.code->registers));
    sheet.control({"code", "code", Control::Kind::choice, 0, 1, is_sass, {"PTX", "SASS"}});
  }
};

}  // namespace

std::string missing_code(Scene& scene) {
  if (scene.code) return "";
  return scene.no_code.empty() ? "the kernel is not compiled yet" : scene.no_code;
}

Drawing draw_code(Scene& scene, const Canvas& canvas) {
  CodePicture picture(scene, canvas);
  picture.draw();
  return picture.sheet.finish();
}

}  // namespace tl::viz
