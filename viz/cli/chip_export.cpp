#include "viz/cli/chip_export.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>

#include "interp/lang/error.h"
#include "interp/lang/output_file.h"
#include "interp/report/exit_codes.h"
#include "viz/export/export.h"
#include "viz/export/film_page.h"
#include "viz/model/film/side_by_side.h"
#include "viz/model/film/tour.h"
#include "viz/scene/film_case.h"

namespace tl::viz {

namespace {

// What --set may say of the chip's picture: thousandths of the launch's time, and how deep it looks.
std::map<std::string, std::int64_t> settings_of(const std::vector<std::string>& words) {
  std::map<std::string, std::int64_t> set{{"time", 500},  {"sm", -1},    {"place", -1},
                                          {"inside", -1}, {"launch", 1}, {"caption", 0}};
  for (const std::string& word : words) {
    const auto equals = word.find('=');
    const std::string name = word.substr(0, equals);
    char* end = nullptr;
    const std::int64_t value = equals == std::string::npos ? 0 : std::strtoll(word.c_str() + equals + 1, &end, 10);
    if (!end || *end || end == word.c_str() + equals + 1)
      throw Error(fmt::format("--set cannot be \"{}\"", word), "write --set NAME=NUMBER");
    if (!set.contains(name))
      throw Error(fmt::format("the chip picture has nothing to set named \"{}\"", name),
                  "it has: time (0 to 1000: thousandths of the launch), sm, place (of several programs on the SM), "
                  "inside (a slot or a block of the program), launch (of several), caption (of the tour)");
    set[name] = value;
  }
  if (set["time"] < 0 || set["time"] > 1000)
    throw Error(fmt::format("time cannot be {}", set["time"]), "choose 0 to 1000, thousandths of the launch");
  if (set["launch"] < 1) throw Error(fmt::format("launch cannot be {}", set["launch"]), "launches count from 1");
  return set;
}

film::Path path_of(const film::Film& film, std::map<std::string, std::int64_t>& set) {
  film::Path path;
  const auto enter = [&](const char* name, std::int64_t number) {
    const auto& portals = film.nodes[film::placement_of(film, path).node].portals;
    if (number < 0) return;
    if (number >= std::ssize(portals))
      throw Error(fmt::format("{} cannot be {}", name, number), fmt::format("choose 0 to {}", std::ssize(portals) - 1));
    path.push_back(static_cast<int>(number));
  };
  enter("sm", set["sm"]);
  if (path.empty()) return path;
  const bool has_places = film.nodes[film::placement_of(film, path).node].name == "SM";
  if (has_places) enter("place", std::max<std::int64_t>(set["inside"] >= 0 ? 0 : -1, set["place"]));
  enter("inside", set["inside"]);
  return path;
}

}  // namespace

int export_chip(const ChipExport& o) {
  auto set = settings_of(o.set);
  const auto film_of = [&](const run::KernelOptions& kernel) {
    return film_of_case(kernel, o.gpu, o.resident, Compiling::now, nullptr, {}, static_cast<int>(set["launch"]) - 1);
  };
  std::vector<std::shared_ptr<const film::Film>> films{film_of(o.kernel)};
  if (const auto count = std::ssize(films.front()->launches); set["launch"] > count)
    throw Error(fmt::format("launch cannot be {}", set["launch"]), fmt::format("choose 1 to {}", count));
  std::vector<std::string> names{"as given"};
  for (const std::string& change : o.compare) {
    films.push_back(film_of(changed_by(o.kernel, change)));
    names.push_back(change);
  }
  if (films.size() == 2) names = film::names_that_differ(*films[0], *films[1]);
  const film::Path path = path_of(*films.front(), set);
  std::string written;
  if (o.extension == ".html") written = film::page(films, names, o.theme);
  else {
    film::View view{
        .us = films.front()->end_us * double(set["time"]) / 1000, .camera = {}, .canvas = {o.width, o.height}};
    view.program = o.program;
    view.with_tooltips = o.extension == ".svg";
    const auto tour = film::tour_of(films, names);
    const std::int64_t caption = set["caption"];
    if (caption < 0 || caption > std::ssize(tour))
      throw Error(fmt::format("caption cannot be {}", caption), fmt::format("the tour has 1 to {}", tour.size()));
    const Drawing drawing = film::side_by_side(films, names, path, view, caption > 0 ? &tour[caption - 1] : nullptr);
    written = o.extension == ".svg"   ? svg(drawing, o.theme)
              : o.extension == ".png" ? png(drawing, o.theme, o.scale)
                                      : plain_text(drawing);
  }
  if (o.out.empty()) fmt::print("{}", written);
  else {
    write_file(o.out, written);
    fmt::print("{}: chip, {}\n", o.out, films.front()->title);
  }
  return report::exit_ok;
}

}  // namespace tl::viz
