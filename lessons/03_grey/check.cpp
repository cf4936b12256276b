// Lesson 3: a picture in, a grey one out. Offsets and masks of two dimensions.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "interp/report/numbers.h"
#include "kernels/problems/build.h"
#include "lessons/runner/blocks.h"
#include "lessons/runner/demo.h"
#include "lessons/runner/names.h"
#include "lessons/runner/products.h"
#include "lessons/runner/tensors.h"

namespace tl::lessons::grey {
namespace {

// 0.2989 r + 0.5870 g + 0.1140 b in integers, ten thousandths.
std::int64_t weighted(double r, double g, double b) {
  return static_cast<std::int64_t>(2989 * r + 5870 * g + 1140 * b);
}

// An exact integer may come out one lower in f32, which the store's cut would show: no pixel has one.
void avoid_integers(const Tensor& x, std::int64_t h, std::int64_t w, std::int64_t plane) {
  for (std::int64_t i = 0; i < h * w; ++i) {
    const std::int64_t at = offset_of(x, i);
    if (weighted(get(x, at), get(x, at + plane), get(x, at + 2 * plane)) % 10000 == 0)
      set(x, at + 2 * plane, get(x, at + 2 * plane) + 1);
  }
}

Trial trial(const Kernel& kernel, std::int64_t h, std::int64_t w, std::int64_t stride, std::int64_t bs0,
            std::int64_t bs1, bool on_gpu = false) {
  const Tensor x = padded("x", DType::uint8, 3 * h, w, stride), out = padded("out", DType::uint8, h, w, stride);
  fill_coded(x, 255, [](std::int64_t i) { return static_cast<double>(scrambled(i, 16) & 255); });
  avoid_integers(x, h, w, h * stride);
  Trial t{.sizes = {{"h", h}, {"w", w}, {"stride", stride}, {"bs0", bs0}, {"bs1", bs1}},
          .share = bs0 * bs1,
          .on_gpu = on_gpu};
  t.instance.inputs = {x};
  t.instance.outputs = {out};
  t.instance.launches = {
      kernel.launch({problems::cdiv(h, bs0), problems::cdiv(w, bs1)},
                    {TensorArgument{x}, TensorArgument{out}, problems::integer(h), problems::integer(w),
                     problems::integer(stride), problems::constant(bs0), problems::constant(bs1)})};
  t.instance.tolerances = {{0.5, 0}};
  t.instance.reference_at = problems::reference_by_element([=](std::int64_t i) {
    const std::int64_t at = i / w * stride + i % w, plane = h * stride;
    return static_cast<double>(weighted(get(x, at), get(x, at + plane), get(x, at + 2 * plane)) /
                               10000);  // cut off, as the store cuts
  });
  t.instance = problems::complete(std::move(t.instance));
  return t;
}

std::vector<Trial> trials(const Kernel& kernel) {
  return {trial(kernel, 4, 7, 7, 2, 2),           trial(kernel, 4, 7, 11, 2, 2), trial(kernel, 5, 9, 13, 4, 2),
          trial(kernel, 37, 29, 32, 16, 8, true), trial(kernel, 1, 1, 1, 4, 4),  trial(kernel, 53, 61, 61, 8, 32),
          trial(kernel, 40, 200, 208, 16, 128)};
}

Trial by_chance(const Kernel& kernel, Chance& c) {
  const std::int64_t w = c.size(1, 40);
  return trial(kernel, c.size(1, 30), w, w + c.size(0, 9), c.block(2, 16), c.block(2, 16));
}

// A lane that the loads' mask kept out, and that the store stores.
std::optional<Finding> store_reaches_out(const Failure& f) {
  const auto fault =
      std::ranges::find_if(f.faults, [](const Fault& x) { return x.tensor == "out" && x.kind != FaultKind::race; });
  if (fault == f.faults.end()) return std::nullopt;
  const std::int64_t bs1 = f.trial.size("bs1"), i = fault->program.x * f.trial.size("bs0") + fault->lane / bs1,
                     j = fault->program.y * bs1 + fault->lane % bs1;
  if (i < f.trial.size("h") && j < f.trial.size("w")) return std::nullopt;
  return at(Finding{fmt::format("the store reaches row {}, column {}, and rows end at {}, columns at {}", i, j,
                                f.trial.size("h") - 1, f.trial.size("w") - 1),
                    fault->headline, "the store needs the mask as much as the loads"},
            fault->site);
}

// The three bytes of a pixel, weighted.
double grey_of(const Failure& f, std::int64_t i, std::int64_t j) {
  const std::int64_t stride = f.trial.size("stride"), plane = f.trial.size("h") * stride, e = i * stride + j;
  const Tensor& x = f.trial.instance.inputs.front();
  return static_cast<double>(weighted(get(x, e), get(x, e + plane), get(x, e + 2 * plane))) / 10000;
}

// All of the picture is as if the sum had been rounded.
bool is_rounded(const Failure& f) {
  const Tensor& out = f.trial.instance.outputs.front();
  for (std::int64_t i = 0; i < f.trial.size("h"); ++i)
    for (std::int64_t j = 0; j < f.trial.size("w"); ++j)
      if (get(out, i * f.trial.size("stride") + j) != std::round(grey_of(f, i, j))) return false;
  return true;
}

// The pixel whose grey stands at the first wrong place, where rows and columns of a square block changed places.
std::optional<std::pair<std::int64_t, std::int64_t>> shown_pixel(const Failure& f) {
  const std::int64_t w = f.trial.size("w"), h = f.trial.size("h"), bs0 = f.trial.size("bs0"), bs1 = f.trial.size("bs1"),
                     i = f.first->offset / w, j = f.first->offset % w, row = i / bs0 * bs0 + j % bs1,
                     column = j / bs1 * bs1 + i % bs0;
  if (bs0 != bs1 || row >= h || column >= w || f.first->got != std::floor(grey_of(f, row, column))) return std::nullopt;
  return std::pair(row, column);
}

// Loads that are right: then the sum of them is another, or stands elsewhere.
std::optional<Finding> wrong_sum(const Failure& f) {
  if (!f.first) return std::nullopt;
  const std::int64_t w = f.trial.size("w"), plane = f.trial.size("h") * f.trial.size("stride"), i = f.first->offset / w,
                     j = f.first->offset % w, at_pixel = i * f.trial.size("stride") + j;
  const Tensor& x = f.trial.instance.inputs.front();
  const double r = get(x, at_pixel), g = get(x, at_pixel + plane), b = get(x, at_pixel + 2 * plane);
  const double sum = static_cast<double>(weighted(r, g, b)) / 10000;
  const char* fix = "which weight belongs to which plane, and do all three count?";
  if (f.first->got == static_cast<double>(weighted(b, g, r) / 10000)) fix = "red and blue have changed places";
  else if (is_rounded(f)) fix = "the sum is cut to a byte, as `to` cuts it, not rounded";
  if (const auto from = shown_pixel(f))
    return at(Finding{fmt::format("out[{}, {}] shows the grey of pixel ({}, {})", i, j, from->first, from->second),
                      "within their block rows and columns have changed places",
                      "does the store put the lanes where the loads took them?"},
              f.observed.first_site("out", true));
  return at(Finding{fmt::format("the three loads are right, but what is made of them is not: out[{}, {}] is {:g}", i, j,
                                f.first->got),
                    fmt::format("its red, green and blue are {:g}, {:g} and {:g}: 0.2989 r + 0.5870 g + 0.1140 b is "
                                "{:g}, which a byte cuts to {:g}",
                                r, g, b, sum, f.first->expected),
                    fix},
            Names(f.observed, 0).stored("out", f.observed.last_site_of(trace::Op::mul)));
}

constexpr const char* make_a_matrix =
    "rows stand upright, `offs_0(_, None)` (in Python `offs_0[:, None]`), and columns lie flat, `offs_1(None, _)` (in "
    "Python `offs_1[None, :]`): then an operator between them fills the matrix";

// A block of another shape, handed to grey_block, fails in there.
std::optional<Finding> wrong_shape_inside(const Failure& f) {
  if (std::ranges::none_of(f.faults, [](const Fault& x) {
        return x.kind == FaultKind::shape && x.headline.find("broadcast") != std::string::npos;
      }))
    return std::nullopt;
  const Names names(f.observed, 0);
  const std::int64_t bs0 = f.trial.size("bs0"), bs1 = f.trial.size("bs1");
  for (const char* name : {"offs", "mask"})
    if (const auto shape = names.shape(name);
        shape && shape->size() == 2 && *shape != std::vector{bs0, bs1} && *shape != std::vector{bs1, bs0})
      return at(Finding{fmt::format("{} is {} x {}, and should be bs0 x bs1 = {} x {}", name, (*shape)[0], (*shape)[1],
                                    bs0, bs1),
                        "", make_a_matrix},
                names.made(name));
  return std::nullopt;
}

// No access to x is a matrix.
std::optional<Finding> no_matrix(const Failure& f) {
  const Observed& o = f.observed;
  const trace::RecordedAccess* const flat = o.first_access(0, "x", false);
  if (flat && flat->shape.rank < 2)
    return at(Finding{fmt::format("the block is a line of {} lanes, and should be {} x {}", flat->lanes(),
                                  f.trial.size("bs0"), f.trial.size("bs1")),
                      "", make_a_matrix},
              o.site_of(trace::Op::arange));
  if (o.count("out").stored == 0 && f.faults.empty())
    return Finding{"the kernel stores nothing", fmt::format("{} programs ran, and out is as it was", o.programs()),
                   "make offs and mask, then call grey_block"};
  return std::nullopt;
}

// The block's size, and how it lies: from lane to lane, and from row to row.
std::optional<Finding> wrong_block(const Failure& f, const trace::RecordedAccess& first) {
  const auto slice = f.observed.site_of(trace::Op::slice);
  const std::int64_t bs0 = f.trial.size("bs0"), bs1 = f.trial.size("bs1"), stride = f.trial.size("stride"),
                     rows = first.shape[0], cols = first.shape[1];
  if (!(rows == bs0 && cols == bs1) && !(rows == bs1 && cols == bs0))
    return at(Finding{fmt::format("the block is {} x {}, and should be bs0 x bs1 = {} x {}", rows, cols, bs0, bs1), "",
                      "the block's rows are bs0 many, its columns bs1"},
              Names(f.observed, 0).axis("x", false, cols != bs1 ? 1 : 0, slice));
  const std::int64_t across = first.offset(1) - first.offset(0), down = first.offset(cols) - first.offset(0);
  const std::string steps =
      fmt::format("in the first block the next column is {} on, the next row {}; in the picture it is 1 and {}",
                  report::plural(across, "element"), down, stride);
  const char* const which_by_rows = "which of offs_0 and offs_1 moves by whole rows?";
  if (across == stride && down == 1)
    return at(Finding{"the block lies on its side: rows run along the columns", steps, which_by_rows}, slice);
  if (across == 0)
    return at(Finding{"lanes of one row all take the same pixel", steps, "the columns belong into offs as well"},
              slice);
  if (across != 1)
    return at(
        Finding{fmt::format("neighbours in a row are {} elements apart in this kernel, and 1 in the picture", across),
                steps, which_by_rows},
        slice);
  if (down != stride)
    return at(Finding{fmt::format("rows are {} elements apart in this kernel, and {} in the picture", down, stride),
                      steps, "how far is it in memory from a pixel to the one below?"},
              slice);
  return std::nullopt;
}

// Program (i, j) begins at row i * bs0, column j * bs1.
std::optional<Finding> wrong_begin(const Failure& f) {
  const Observed& o = f.observed;
  const std::int64_t bs0 = f.trial.size("bs0"), bs1 = f.trial.size("bs1");
  const Tensor& x = f.trial.instance.inputs.front();
  for (std::int64_t p = 0; p < o.programs(); ++p) {
    const ProgramId id = o.trace().programs[static_cast<std::size_t>(p)].id;
    const auto begins = o.first_lane(p, "x", false);
    const std::int64_t i = id.x * bs0, j = id.y * bs1;
    if (!begins || *begins == i * f.trial.size("stride") + j) continue;
    const auto [row, column] = block_place(x, *begins, bs0, bs1).value_or(place_of(x, *begins));
    if (row >= f.trial.size("h")) continue;  // in another plane: see wrong_plane
    return at(Finding{fmt::format("program ({}, {}) begins at row {}, column {}, and its block at row {}, column {}",
                                  id.x, id.y, row, column, i, j),
                      "axis 0 of the grid counts blocks of bs0 rows, axis 1 blocks of bs1 columns",
                      "which program_id and which size of block make offs_0, which offs_1?"},
              Names(o, p).axis("x", false, row != i ? 0 : 1, o.site_of(trace::Op::program_id)));
  }
  return std::nullopt;
}

// Each plane is h rows further on.
std::optional<Finding> wrong_plane(const Failure& f) {
  const std::int64_t h = f.trial.size("h"), stride = f.trial.size("stride");
  std::vector<std::int64_t> planes;
  std::vector<Site> loads;
  f.observed.for_each_access("x", [&](std::int64_t number, const trace::RecordedAccess& a, const Site& where) {
    if (number == 0 && !a.writes()) {
      planes.push_back(a.offset(0));
      loads.push_back(where);
    }
  });
  if (planes.size() != 3) return std::nullopt;
  const std::string plane = fmt::format("{} rows, each beginning {} elements after the one above it", h, stride);
  if (planes[0] == 0 && planes[1] != h * stride && planes[2] == 2 * planes[1])
    return at(
        Finding{fmt::format("the planes of x are {} elements apart in this kernel, and {} in x", planes[1], h * stride),
                plane,
                "how many elements lie between the first row of red and the first row of green, padding counted?"},
        Names(f.observed, 0).argument("plane", loads[1]));
  for (std::size_t i = 0; i < 3; ++i)
    if (const std::int64_t begins = static_cast<std::int64_t>(i) * h * stride;
        planes[i] != begins && std::ranges::count(planes, begins) == 0)
      return at(
          Finding{fmt::format("load {} of x begins at element {}, and plane {} at element {}: nobody loads that plane",
                              i + 1, planes[i], i + 1, begins),
                  plane, "red, green and blue are planes 0, 1 and 2"},
          loads[i]);
  return std::nullopt;
}

// The offsets are right: lanes of the block are (row, column) of the picture.
std::optional<Finding> wrong_mask(const Failure& f) {
  const Observed& o = f.observed;
  const Names names(o, 0);
  const std::int64_t h = f.trial.size("h"), w = f.trial.size("w");
  std::optional<Finding> found;
  o.for_each_access("x", [&](std::int64_t number, const trace::RecordedAccess& a, const Site& load) {
    if (found || a.shape.rank != 2) return;
    const ProgramId id = o.trace().programs[static_cast<std::size_t>(number)].id;
    for (std::int64_t lane = 0; lane < a.lanes() && !found; ++lane) {
      const std::int64_t i = id.x * a.shape[0] + lane / a.shape[1], j = id.y * a.shape[1] + lane % a.shape[1];
      const bool is_inside = i < h && j < w;
      if (a.is_active(lane) == is_inside) continue;
      found = at(Finding{is_inside ? "the mask keeps pixels out that the picture has"
                         : j >= w  ? "the mask lets columns through that the picture does not have"
                                   : "the mask lets rows through that the picture does not have",
                         fmt::format("program ({}, {}), lane {}: row {}, column {}; rows end at {}, columns at {}",
                                     id.x, id.y, lane, i, j, h - 1, w - 1),
                         is_inside ? "rows are compared with h, columns with w"
                                   : "a lane is inside when its row is and its column is"},
                 names.mask("x", false, load));
    }
  });
  return found;
}

std::optional<Finding> diagnose(const Failure& f) {
  if (auto found = wrong_shape_inside(f)) return found;
  const trace::RecordedAccess* first = nullptr;
  f.observed.for_each_access("x", [&](std::int64_t, const trace::RecordedAccess& a, const Site&) {
    if (!first && a.shape.rank == 2 && a.shape[0] > 1 && a.shape[1] > 1) first = &a;
  });
  if (!first) return no_matrix(f);
  if (auto found = wrong_block(f, *first)) return found;
  for (const auto check : {wrong_begin, wrong_plane, wrong_mask, store_reaches_out})
    if (auto found = check(f)) return found;
  return wrong_sum(f);
}

Answer predict() {
  const Demo demo("grey", {"block_h=32", "block_w=32"});
  const Observed& o = demo.observed();
  const auto& grid = o.trace().launches.front().grid;
  int edges = 0;
  std::string map = "masked-off lanes a load, program by program:\n";
  for (std::int64_t i = 0; i < grid[0]; ++i, map += "\n")
    for (std::int64_t j = 0; j < grid[1]; ++j) {
      const trace::RecordedAccess& a = o.trace().programs[static_cast<std::size_t>(i + grid[0] * j)].accesses.front();
      edges += a.active < a.lanes();
      map += fmt::format("{:>6}", a.lanes() - a.active);
    }
  return {std::to_string(edges), map};
}

std::string on_wrong(const std::string& guess) {
  if (guess == "13") return "The program in the corner is in the last row and in the last column: count it once.";
  if (guess == "28") return "Those lie wholly inside; the question is of the others.";
  if (guess == "8") return "Those are in the last row of blocks; the last column sticks out as well.";
  if (guess == "5") return "Those are in the last column of blocks; the last row sticks out as well.";
  if (guess == "40") return "Most blocks lie wholly inside the picture.";
  if (guess == "0")
    return "150 = 4 x 32 + 22 and 225 = 7 x 32 + 1: the last row and the last column of blocks stick out.";
  return "";
}

}  // namespace

Lesson lesson() {
  return {
      .folder = "03_grey",
      .title = "Grey: offsets and masks in two dimensions",
      .kernel = "grey_kernel",
      .parameters = "ttiiicc",
      .picture = {"grey", {}, "mask", "=4,=7"},
      .prediction = {{}, predict, on_wrong},
      .trials = trials,
      .by_chance = by_chance,
      .diagnose = diagnose,
      .note_when_passed =
          "Rows went by the stride, not by the width: the padding at the ends of rows was neither read nor written."};
}

}  // namespace tl::lessons::grey
