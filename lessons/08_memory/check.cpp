// Lesson 8: a transpose. Which bytes a warp's request brings along, by the machine model.
#include <fmt/format.h>

#include <algorithm>

#include "interp/cpu/run.h"
#include "interp/machine/access/coalescing.h"
#include "interp/machine/access/coalescing_picture.h"
#include "interp/trace/access_builder.h"
#include "kernels/problems/build.h"
#include "lessons/runner/blocks.h"
#include "lessons/runner/demo.h"
#include "lessons/runner/line_plans.h"
#include "lessons/runner/tensors.h"

namespace tl::lessons::memory {
namespace {

double waste_of(const machine::Coalescing& c) {
  return c.useful_bytes ? 32.0 * static_cast<double>(c.sectors) / static_cast<double>(c.useful_bytes) : 1;
}

// The model's word on each line that loads x or stores y.
std::vector<machine::LineCoalescing> requests_of(const Observed& o, const Launch& launch) {
  const trace::AccessRecord record = trace::accesses_of(o.trace());
  return machine::coalescing_of(record, plans_of(launch, record));
}

std::string request_text(const machine::LineCoalescing& line) {
  return fmt::format(
      "{} requests of a warp, {:.1f} sectors of 32 bytes each; {} bytes used, {} moved\none of them, by the machine "
      "model:\n{}",
      line.cuda.requests, line.cuda.per_request(), line.cuda.useful_bytes, 32 * line.cuda.sectors,
      machine::text_of(machine::picture_of(line.cuda.worst, size_in_bytes(line.dtype)), 3));
}

Trial trial(const Kernel& kernel, std::int64_t m, std::int64_t n, std::int64_t bn, bool on_gpu = false) {
  const std::int64_t bm = problems::next_power_of_2(m);
  const Tensor x = make_tensor("x", DType::float32, {m, n}), y = make_tensor("y", DType::float32, {n, m});
  fill_coded(x, 0, [](std::int64_t i) {
    return static_cast<double>(scrambled(i, 20)) / 8;
  });  // no two alike; f16, tf32 and integers do not hold them
  Trial t{.sizes = {{"m", m}, {"n", n}, {"BM", bm}, {"BN", bn}}, .share = m * bn, .on_gpu = on_gpu};
  t.instance.inputs = {x};
  t.instance.outputs = {y};
  t.instance.launches = {
      kernel.launch({problems::cdiv(n, bn)}, {TensorArgument{x}, TensorArgument{y}, problems::integer(m),
                                              problems::integer(n), problems::constant(bm), problems::constant(bn)})};
  t.instance.tolerances = {{0, 0}};
  t.instance.reference_at = problems::reference_by_element([=](std::int64_t e) { return get(x, e % m * n + e / m); });
  t.instance = problems::complete(std::move(t.instance));
  t.expect = [=, launch = t.instance.launches.front()](const Observed& o) -> std::optional<Finding> {
    const std::int64_t loaded = o.count("x").loaded;
    if (loaded != m * n)
      return at(Finding{fmt::format("y is right, but the kernel loads each element of x {:g} times",
                                    static_cast<double>(loaded) / static_cast<double>(m * n)),
                        "", "once suffices"},
                o.first_site("x", false));
    if (n % 32 != 0 || m % 32 != 0) return std::nullopt;  // elsewhere rows begin or end within a sector: nobody's fault
    for (const machine::LineCoalescing& line : requests_of(o, launch))
      // One lane after the other, or as our CUDA lays lanes along memory: either may serve.
      if (const double waste = std::min(waste_of(line.cuda), waste_of(line.simple)); waste > 1.25)
        return at(Finding{fmt::format("y is right, but this {} moves {:.0f} times the bytes it uses",
                                      line.key.kind == trace::AccessKind::load ? "load" : "store", waste),
                          request_text(line),
                          "which index should differ by 1 from one lane to the next, so that a sector of 32 bytes "
                          "serves 8 lanes?"},
                  Site{line.key.file.c_str(), line.key.line, line.key.column});
    return std::nullopt;
  };
  t.note = [=, launch = t.instance.launches.front()](const Observed& o) -> std::optional<std::string> {
    if (n % 32 != 0 || m % 32 != 0) return std::nullopt;
    for (const machine::LineCoalescing& line : requests_of(o, launch))
      if (waste_of(line.cuda) > 1.25)
        return fmt::format(
            "neighbouring lanes are neighbours in memory in line {}, as they should be; the layout that this program's "
            "CUDA gives the block takes {:.1f} sectors a request all the same, as it finds no stride of 1 in the "
            "pointers (a property of this compiler, not of GPUs)",
            line.key.line, line.cuda.per_request());
    return std::nullopt;
  };
  return t;
}

std::vector<Trial> trials(const Kernel& kernel) {
  return {trial(kernel, 32, 64, 32),        trial(kernel, 24, 40, 16),    trial(kernel, 37, 50, 16),
          trial(kernel, 64, 128, 64, true), trial(kernel, 160, 224, 128), trial(kernel, 1, 1, 16)};
}

Trial by_chance(const Kernel& kernel, Chance& c) { return trial(kernel, c.size(1, 40), c.size(1, 70), c.block(8, 32)); }

std::optional<Finding> diagnose(const Failure& f) {
  const Observed& o = f.observed;
  const std::int64_t m = f.trial.size("m"), n = f.trial.size("n");
  const auto fault = std::ranges::find(f.faults, FaultKind::out_of_bounds, &Fault::kind);
  if (fault != f.faults.end() && fault->tensor == "x") {
    // A lane of a BM x BN block stands at a row and a column, where its element does.
    const std::int64_t bn = f.trial.size("BN"), i = fault->lane / bn, j = fault->program.x * bn + fault->lane % bn;
    if (i * n + j == fault->element && j >= n)
      return at(Finding{fmt::format("the block of x reaches column {}, and x has {} columns", j, n),
                        fault->headline + ", " + fault->detail, "a lane is inside when its row is and its column is"},
                fault->site);
  }
  if (fault != f.faults.end() && fault->tensor == "x" && fault->element >= m * n)
    return at(Finding{fmt::format("the block of x reaches row {}, and x has {} rows", m, m),
                      fault->headline + ", " + fault->detail, "a lane is inside when its row is and its column is"},
              fault->site);
  const Tensor &x = f.trial.instance.inputs.front(), &y = f.trial.instance.outputs.front();
  const trace::RecordedAccess* const block = o.first_access(0, "x", false);
  if (block && block->shape.rank == 2 && block->shape[0] > 1 && block->shape[1] > 1) {
    const std::int64_t across = block->offset(1) - block->offset(0),
                       down = block->offset(block->shape[1]) - block->offset(0);
    if (std::min(across, down) != 1 || std::max(across, down) != n)
      return at(
          Finding{
              fmt::format("in the block of x neighbours are {} and {} elements apart, in x 1 and {}", across, down, n),
              fmt::format("x has {} rows of {}", m, n), "how far is it in memory from one row of x to the next?"},
          o.first_site("x", false));
  }
  const std::string shapes = fmt::format("x has {} rows of {}, y has {} rows of {}", m, n, n, m);
  if (fault != f.faults.end() && fault->tensor == "y")
    return at(Finding{fmt::format("the store reaches beyond y, which has {} rows of {}", n, m),
                      fault->headline + ", " + fault->detail,
                      "y has n rows, and each begins m elements after the one before: where does row j of y begin, and "
                      "which j are there?"},
              fault->site);
  const auto loads = o.loads("x");
  if (const auto undefined = std::ranges::find(f.faults, FaultKind::undefined_lane, &Fault::kind);
      undefined != f.faults.end() && undefined->element < m * n) {
    const std::int64_t i = undefined->element % m, j = undefined->element / m;
    if (loads[static_cast<std::size_t>(i * n + j)] == 0)
      return at(
          Finding{fmt::format("the mask keeps x[{}, {}] from being loaded, and y[{}, {}] is made of it", i, j, j, i),
                  undefined->headline, "rows of x are compared with m, its columns with n"},
          o.first_site("x", false));
  }
  if (!f.first) return std::nullopt;
  const std::int64_t e = f.first->offset;
  if (!o.last_writer("y", e))
    return at(Finding{fmt::format("nobody writes y[{}, {}]", e / m, e % m), shapes,
                      "row j of y is column j of x: does each program begin with column `first`, and does the store's "
                      "mask compare j with n, i with m?"},
              o.first_site("y", true));
  if (get(y, e) == get(x, e))
    return at(Finding{"this is x as it was, not turned",
                      fmt::format("{}; y[{}, {}] is x[{}, {}]", shapes, e / m, e % m, e / n, e % n),
                      "tl.trans turns a block; then its rows go where y's rows are"},
              o.first_site("y", true));
  return std::nullopt;
}

// A column of a row-major matrix, 32 lanes of it: the starter's load, here by the transpose's store with one lane an
// element.
Answer predict() {
  machine::Request column, row;
  for (std::int64_t lane = 0; lane < 32; ++lane) {
    column.address[static_cast<std::size_t>(lane)] = lane * 64 * 4;
    row.address[static_cast<std::size_t>(lane)] = lane * 4;
  }
  column.active = row.active = ~0u;
  const auto text = [](const char* what, const machine::Request& r) {
    return fmt::format("{}: {} sectors, {} bytes for {} used\n{}", what, machine::sectors_of(r),
                       32 * machine::sectors_of(r), machine::useful_bytes_of(r),
                       machine::text_of(machine::picture_of(r, 4), 3));
  };
  return {std::to_string(machine::sectors_of(column)),
          text("32 lanes along a column", column) + "\n" + text("32 lanes along a row", row)};
}

std::string on_wrong(const std::string& guess) {
  if (guess == "4")
    return "That is a row: 32 neighbours of 4 bytes fill four sectors. Down a column, neighbours are 256 bytes apart.";
  if (guess == "8") return "So many f32 a sector holds; down a column each lane's lies in another sector.";
  if (guess == "64") return "A row has 64 elements, and 32 lanes take one of each row: a sector each.";
  if (guess == "128") return "That is how many bytes the lanes want; a sector has 32, and each lane's lies in another.";
  if (guess == "1") return "One instruction it is, and one request; but memory answers in sectors of 32 bytes.";
  return "";
}

}  // namespace

Lesson lesson() {
  return {.folder = "08_memory",
          .title = "Memory: what a request brings along",
          .kernel = "turn_kernel",
          .parameters = "ttiicc",
          .picture = {"transpose", {"m=64", "n=64", "block_m=1", "block_n=32"}, "coalesce"},
          .changes_starter = "its starter is right and slow: the loop over columns gives way to a block of them",
          .prediction = {{}, predict, on_wrong},
          .trials = trials,
          .by_chance = by_chance,
          .relations = {{.law = "the transpose of 2 x is twice that of x", .times = 2, .outputs = 2}},
          .takes_infinities = true,
          .is_elementwise = true,
          .diagnose = diagnose,
          .note_when_passed =
              "Every byte that was moved was used, on both sides: by the machine model, an eighth of the starter's "
              "loads. `tilescope banks transpose` shows the turn in between."};
}

}  // namespace tl::lessons::memory
