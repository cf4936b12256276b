#include "lessons/runner/products.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "lessons/runner/blocks.h"
#include "lessons/runner/names.h"
#include "lessons/runner/tensors.h"

namespace tl::lessons {

namespace {

const Tensor& tensor_of(const Failure& f, std::string_view name) {
  for (const auto* all : {&f.trial.instance.inputs, &f.trial.instance.outputs})
    for (const Tensor& t : *all)
      if (t.name == name) return t;
  return f.trial.instance.outputs.front();
}

std::pair<std::int64_t, std::int64_t> block_of(const Failure& f, const std::string& name) {
  const std::int64_t bm = f.trial.size("bm"), bn = f.trial.size("bn"), bk = f.trial.size("bk");
  return name == "a" ? std::pair(bm, bk) : name == "b" ? std::pair(bk, bn) : std::pair(bm, bn);
}

std::string strides_text(const std::string& name) {
  return fmt::format("which stride of {} belongs to its rows, which to its columns?", name);
}

// How a program's first block lies in the matrix: a column on, a row on.
std::optional<Finding> lies_on_its_side(const Failure& f, const std::string& name) {
  const trace::RecordedAccess* const a = f.observed.first_access(0, name, false);
  if (!a || a->shape.rank != 2 || a->shape[0] < 2 || a->shape[1] < 2) return std::nullopt;
  const Tensor& t = tensor_of(f, name);
  const std::int64_t across = a->offset(1) - a->offset(0), down = a->offset(a->shape[1]) - a->offset(0);
  if (across == t.strides[1] && down == t.strides[0]) return std::nullopt;
  return at(
      Finding{fmt::format(
                  "in the block of {} the next column is {} elements on, and the next row {}; in {} it is {} and {}",
                  name, across, down, name, t.strides[1], t.strides[0]),
              "", strides_text(name)},
      f.observed.first_site(name, false));
}

// Each step loads the block that begins bk further along k.
std::optional<Finding> wrong_step(const Failure& f, const std::string& name) {
  std::vector<std::int64_t> begins;
  std::optional<Site> where;
  f.observed.for_each_access(name, [&](std::int64_t program, const trace::RecordedAccess& a, const Site& site) {
    if (program == 0 && !a.writes()) {
      begins.push_back(a.offset(0));
      where = site;
    }
  });
  if (begins.size() < 2) return std::nullopt;
  const Tensor& t = tensor_of(f, name);
  const int axis = name == "a" ? 1 : 0;
  const std::int64_t step = begins[1] - begins[0], along = f.trial.size("bk") * t.strides[axis];
  if (step == 0)
    return at(Finding{fmt::format("every step along k loads the same block of {}", name), "",
                      fmt::format("what moves the pointers to {} on to the next block?", name)},
              where);
  if (step == along) return std::nullopt;
  return at(
      Finding{fmt::format("the pointers to {} move on by {} elements a step, and its next block begins {} further on",
                          name, step, along),
              fmt::format("bk = {}; strides of {}: {} from row to row, {} from column to column", f.trial.size("bk"),
                          name, t.strides[0], t.strides[1]),
              fmt::format("k runs along the {} of {}: which stride is theirs?", axis == 1 ? "columns" : "rows", name)},
      where);
}

// The offsets of the last block of pointers into a tensor that the last program made: those of the access that failed.
const trace::RecordedValue* last_pointers(const Failure& f, const std::string& name) {
  const auto& trace = f.observed.trace();
  if (trace.programs.empty()) return nullptr;
  const auto& tensors = trace.launches[static_cast<std::size_t>(trace.programs.back().launch)].tensors;
  const trace::RecordedValue* found = nullptr;
  for (const trace::RecordedValue& v : trace.programs.back().values)
    if (v.tensor >= 0 && tensors[v.tensor].name == name && v.shape.rank == 2 && v.is_kept()) found = &v;
  return found;
}

// "the block of a reaches row 3, and a has 3 rows": of the first lane that takes what is not the matrix's.
std::optional<Finding> reaches_out(const Failure& f, const std::string& name) {
  const Tensor& t = tensor_of(f, name);
  const std::pair<std::int64_t, std::int64_t> block = block_of(f, name);
  const std::int64_t block_rows = block.first, block_cols = block.second;
  const bool stores = name == "c";
  const auto finding = [&](const char* what, std::int64_t reached, std::int64_t there, const Site& where) {
    return at(
        Finding{fmt::format("{} reaches {} {}, and {} has {} {}s", stores ? "the store" : "the block of " + name, what,
                            reached, name, there, what),
                fmt::format("blocks of {} are {} x {}, and {} is {} x {}", name, block_rows, block_cols, name,
                            t.shape[0], t.shape[1]),
                stores ? "rm is compared with the rows of c, rn with its columns"
                       : "a lane is inside when its row is and its column is; along k, how much is left at this step?"},
        where);
  };
  // Where a lane stands, if the block is one of the matrix's.
  const auto lane_at = [&](std::int64_t base, std::int64_t lane, std::int64_t width,
                           std::int64_t element) -> std::optional<std::pair<std::int64_t, std::int64_t>> {
    const auto begins = block_place(t, base, block_rows, block_cols);
    if (!begins || base + lane / width * t.strides[0] + lane % width * t.strides[1] != element) return std::nullopt;
    return std::pair(begins->first + lane / width, begins->second + lane % width);
  };
  std::optional<Finding> found;
  const auto judge = [&](const std::optional<std::pair<std::int64_t, std::int64_t>>& place, const Site& where) {
    if (!place || found) return;
    if (place->second >= t.shape[1]) found = finding("column", place->second, t.shape[1], where);
    else if (place->first >= t.shape[0]) found = finding("row", place->first, t.shape[0], where);
  };
  f.observed.for_each_access(name, [&](std::int64_t, const trace::RecordedAccess& a, const Site& where) {
    if (found || a.writes() != stores || a.shape.rank != 2) return;
    trace::for_each_active_lane(
        a, [&](std::int64_t lane, std::int64_t e) { judge(lane_at(a.offset(0), lane, a.shape[1], e), where); });
  });
  if (found) return found;
  const auto fault = std::ranges::find_if(f.faults, [&](const Fault& x) {
    return (x.kind == FaultKind::out_of_bounds || x.kind == FaultKind::undefined_lane) && x.tensor == name;
  });
  if (fault == f.faults.end()) return std::nullopt;
  const trace::RecordedValue* const pointers = last_pointers(f, name);
  if (!pointers || fault->lane < 0 || fault->lane >= pointers->shape.product() ||
      trace::element_as_int(*pointers, fault->lane) != fault->element)
    return std::nullopt;
  const std::int64_t base = trace::element_as_int(*pointers, 0), width = pointers->shape[1], i = fault->lane / width,
                     j = fault->lane % width;
  if (const std::int64_t right = base + i * t.strides[0] + j * t.strides[1]; right != fault->element)
    return at(Finding{fmt::format("lane ({}, {}) of the block of {} takes element {}, and {} rows and {} columns after "
                                  "its first lane lies element {}",
                                  i, j, name, fault->element, i, j, right),
                      "", strides_text(name)},
              fault->site);
  judge(lane_at(base, fault->lane, width, fault->element), fault->site);
  return found;
}

// Every element of c equals `value(i, j)`, and these are not all zeros.
template <class Value>
bool is_all(const Failure& f, Value value) {
  const Tensor& c = f.trial.instance.outputs.front();
  bool has_any = false;
  for (std::int64_t i = 0; i < c.shape[0]; ++i)
    for (std::int64_t j = 0; j < c.shape[1]; ++j) {
      const double v = value(i, j);
      if (get(c, i * c.strides[0] + j * c.strides[1]) != v) return false;
      has_any |= v != 0;
    }
  return has_any;
}

double cell(const Tensor& t, std::int64_t i, std::int64_t j) { return get(t, i * t.strides[0] + j * t.strides[1]); }

// Rounded to the 11 bits that tf32 keeps of a number, ties away from zero.
double tf32(double v) {
  int exponent = 0;
  const double fraction = std::frexp(v, &exponent);
  return std::ldexp(std::round(std::ldexp(fraction, 11)), exponent - 11);
}

// Element by element, with *.
bool multiplies_matrices(const Observed& o) {
  for (const trace::RecordedProgram& p : o.trace().programs)
    for (const trace::Step& s : p.steps)
      if (s.op == trace::Op::mul && !p.results(s).empty()) {
        const trace::RecordedValue& v = p.values[static_cast<std::size_t>(p.results(s)[0])];
        if (v.shape.rank > 1 && is_float(v.dtype)) return true;
      }
  return false;
}

// No dot, one whose result goes nowhere, one of b and a, one that rounds.
std::optional<Finding> another_product(const Failure& f) {
  const Observed& o = f.observed;
  if (!o.has_op(trace::Op::dot) && !multiplies_matrices(o))
    return at(Finding{"no dot is made at these sizes",
                      fmt::format("m = {}, n = {}, k = {}, bk = {}", f.trial.size("m"), f.trial.size("n"),
                                  f.trial.size("k"), f.trial.size("bk")),
                      "every block along k is multiplied, also where it is the only one"},
              o.first_site("c", true));
  if (!o.has_op(trace::Op::dot))
    return at(
        Finding{
            "there is no tl.dot: * multiplies element by element, and a product of matrices sums rows times columns",
            "", "acc = tl.dot(a, b, acc, tl.ieee)"},
        o.first_site("c", true));
  if (!o.is_result_taken(trace::Op::dot))
    return at(Finding{"nobody takes what this tl.dot gives: acc stays as it was",
                      "tl.dot(a, b, acc) adds a b to acc and gives the sum back; acc itself it does not change",
                      "which variable should hold the sum?"},
              o.site_of(trace::Op::dot));
  const Tensor &a = tensor_of(f, "a"), &b = tensor_of(f, "b");
  const std::int64_t m = f.trial.size("m"), n = f.trial.size("n"), k = f.trial.size("k"), i = f.first->offset / n,
                     j = f.first->offset % n;
  const std::string values =
      fmt::format("c[{}, {}] is {:g}, and should be {:g}", i, j, f.first->got, f.first->expected);
  const auto turned = [&](std::int64_t row, std::int64_t col) {  // where both lie in one block
    double sum = 0;
    for (std::int64_t l = 0; row < k && col < k && l < std::min(n, m); ++l) sum += cell(b, row, l) * cell(a, l, col);
    return sum;
  };
  if (k <= f.trial.size("bk") && is_all(f, turned))
    return at(Finding{"this is B A, and C is A B: the order of a dot's sides matters", values, "tl.dot(a, b, acc)"},
              o.site_of(trace::Op::dot));
  const auto rounded = [&](std::int64_t row, std::int64_t col) {
    double sum = 0;
    for (std::int64_t l = 0; l < k; ++l) sum += tf32(cell(a, row, l)) * tf32(cell(b, l, col));
    return sum;
  };
  if (is_all(f, rounded))
    return at(Finding{"this tl.dot rounds a and b to tf32, 11 significant bits",
                      values + "\nall of c is the product of the rounded a and b",
                      "the check wants f32 as it is: which last argument of tl.dot says so?"},
              o.site_of(trace::Op::dot));
  return std::nullopt;
}

// A masked-off lane takes part in the dot.
std::optional<Finding> masked_lanes_count(const Failure& f, const std::string& name) {
  const auto held = f.observed.masked_value(name);
  if (!held || *held == 0) return std::nullopt;
  return at(Finding{fmt::format("masked-off lanes of {} hold {:g}, and the dot adds them to its sums", name, *held), "",
                    "what must they hold so that no sum changes?"},
            f.observed.first_site(name, false));
}

// A row of a, or a column of b, of which no element is loaded.
bool is_left_out(const std::vector<int>& loads, const Tensor& t, std::int64_t number, bool is_row) {
  for (std::int64_t l = 0; l < t.shape[is_row ? 1 : 0]; ++l)
    if (loads[number * t.strides[is_row ? 0 : 1] + l * t.strides[is_row ? 1 : 0]] > 0) return false;
  return true;
}

// An element that no program loads: a mask keeps it out, or the loop ends before it.
std::optional<Finding> nobody_loads(const Failure& f, const std::string& name) {
  const Tensor& t = tensor_of(f, name);
  if (f.observed.count(name).loaded == 0 && !f.observed.first_site(name, false))
    return at(
        Finding{fmt::format("no step loads a block of {}", name),
                fmt::format("the loop along k makes no round; k = {}, bk = {}", f.trial.size("k"), f.trial.size("bk")),
                "from where to where does k_start go?"},
        Names(f.observed, 0).loop());
  const auto loads = f.observed.loads(name);
  const bool along_m = name == "a";  // else its columns lie along n
  for (std::int64_t i = 0; i < t.shape[0]; ++i)
    for (std::int64_t j = 0; j < t.shape[1]; ++j)
      if (loads[i * t.strides[0] + j * t.strides[1]] == 0)
        return at(
            Finding{
                fmt::format("nobody loads {}[{}, {}]", name, i, j),
                fmt::format("{} is {} x {}; each of its elements belongs into a sum", name, t.shape[0], t.shape[1]),
                is_left_out(loads, t, along_m ? i : j, along_m)
                    ? fmt::format("nor any other of {} {}: where do the programs' blocks of {} begin, and what does a "
                                  "mask keep out?",
                                  along_m ? "row" : "column", along_m ? i : j, along_m ? "rows" : "columns")
                    : "does a mask keep it out, or does the loop end before it? At each step along k bk fewer "
                      "elements are left"},
            f.observed.first_site(name, false));
  return std::nullopt;
}

std::optional<Finding> along_k(const Failure& f) {
  const std::int64_t k = f.trial.size("k"), bk = f.trial.size("bk");
  if (k <= bk) return std::nullopt;
  const Tensor &a = tensor_of(f, "a"), &b = tensor_of(f, "b");
  const auto last_step = [&](std::int64_t i, std::int64_t j,
                             double factor) {  // each step's terms, with those before it counted `factor` times
    double sum = 0;
    for (std::int64_t begin = 0; begin < k; begin += bk) {
      sum *= factor;
      for (std::int64_t l = begin; l < std::min(begin + bk, k); ++l) sum += cell(a, i, l) * cell(b, l, j);
    }
    return sum;
  };
  const std::int64_t n = f.trial.size("n"), i = f.first->offset / n, j = f.first->offset % n;
  if (is_all(f, [&](std::int64_t row, std::int64_t col) { return last_step(row, col, 2); }))
    return at(
        Finding{"each step adds what acc holds once more: earlier blocks along k count twice, four times and so on",
                fmt::format("c[{}, {}] is {:g}, and should be {:g}", i, j, f.first->got, f.first->expected),
                "tl.dot(a, b, acc) has added acc already"},
        f.observed.site_of(trace::Op::dot));
  if (is_all(f, [&](std::int64_t row, std::int64_t col) { return last_step(row, col, 0); }))
    return at(Finding{"only the last block along k counts: acc is overwritten at every step, not added to",
                      fmt::format("c[{}, {}] is {:g}, the sum over the last {} of {} terms; all make {:g}", i, j,
                                  f.first->got, k - (k - 1) / bk * bk, k, f.first->expected),
                      "tl.dot(a, b, acc) adds to acc"},
              f.observed.site_of(trace::Op::dot));
  return std::nullopt;
}

}  // namespace

std::optional<std::pair<std::int64_t, std::int64_t>> block_place(const Tensor& t, std::int64_t base, std::int64_t rows,
                                                                 std::int64_t cols) {
  std::optional<std::pair<std::int64_t, std::int64_t>> found;
  for (std::int64_t col = 0; col * t.strides[1] <= base; col += cols) {
    const std::int64_t rest = base - col * t.strides[1], row = rest / t.strides[0];
    if (rest % t.strides[0] != 0 || row % rows != 0) continue;
    if (row < t.shape[0] && col < t.shape[1]) return std::pair(row, col);
    if (!found) found = std::pair(row, col);
  }
  return found;
}

std::optional<Finding> diagnose_addresses(const Failure& f) {
  for (const char* name : {"a", "b"}) {
    if (auto found = lies_on_its_side(f, name)) return found;
    if (auto found = wrong_step(f, name)) return found;
    if (auto found = reaches_out(f, name)) return found;
  }
  return reaches_out(f, "c");
}

std::optional<Finding> diagnose_sums(const Failure& f) {
  if (!f.first) return std::nullopt;
  for (const char* name : {"a", "b"}) {
    if (auto found = masked_lanes_count(f, name)) return found;
    if (auto found = nobody_loads(f, name)) return found;
  }
  if (auto found = another_product(f)) return found;
  return along_k(f);
}

}  // namespace tl::lessons
