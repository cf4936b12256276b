#include "interp/debug/text_functions.h"

#include <fmt/format.h>

#include <algorithm>
#include <list>

#include "interp/lang/parameters.h"

namespace tl::debug {
namespace {

struct Row {
  std::string_view name, parameters, text;
  std::size_t by_place = 8;  // so many values need no name; NumPy has other parameters there
};
// A name of two rows is chosen by how many values are given. Names are parameters and functions, never a user's.
constexpr Row rows[] = {
    {"square", "x", "x * x"},
    {"sign", "x", "where(x > 0, 1, where(x < 0, -1, x * 0))"},
    {"cdiv", "x, div", "(x + div - 1) // div"},
    {"outer", "a, b", "ravel(a)[:, None] * ravel(b)"},
    {"inner", "a, b", "a @ b if b.ndim == 1 else a @ b.T"},
    {"kron", "a, b",
     "outer(a, b).reshape(-1) if a.ndim == 1 else "
     "(a[:, None, :, None] * b[None, :, None, :]).reshape(a.shape[0] * b.shape[0], a.shape[1] * b.shape[1])"},
    {"convolve", "a, v", "sum(pad(a, v.size - 1)[arange(a.size + v.size - 1)[:, None] + arange(v.size)] * v[::-1], 1)"},
    // Along axes.
    {"ptp", "x, axis=None", "amax(x, axis) - amin(x, axis)"},
    {"count_nonzero", "x, axis=None", "sum(where(x != 0, 1, 0), axis)"},
    {"norm", "x, axis=None, keepdims=False", "sqrt(sum(x * x, axis, keepdims))", 1},
    {"logsumexp", "x, axis=None", "log(sum(exp(x - amax(x, axis, True)), axis)) + amax(x, axis)"},
    {"median", "x", "sort(ravel(x))[(x.size - 1) // 2] * 0.5 + sort(ravel(x))[x.size // 2] * 0.5"},
    {"diff", "x", "x[..., 1:] - x[..., :-1]"},
    {"bincount", "x", "sum(where(ravel(x)[:, None] == arange(amax(x) + 1), 1, 0), 0)"},
    {"bincount", "x, minlength", "sum(where(ravel(x)[:, None] == arange(maximum(minlength, amax(x) + 1)), 1, 0), 0)",
     1},
    {"searchsorted", "a, v", "sum(where(a < array(v)[..., None], 1, 0), -1)"},
    // Matrices.
    {"eye", "n", "where(arange(n)[:, None] == arange(n), 1.0, 0.0)"},
    {"eye", "n, m", "where(arange(n)[:, None] == arange(m), 1.0, 0.0)"},
    {"identity", "n", "eye(n)"},
    {"diag", "x", "where(arange(x.size)[:, None] == arange(x.size), x, 0) if x.ndim == 1 else diagonal(x)"},
    {"diagonal", "x", "ravel(x)[arange(minimum(x.shape[0], x.shape[1])) * (x.shape[1] + 1)]"},
    {"trace", "x", "sum(diagonal(x))"},
    {"tril", "x, k=0", "where(arange(x.shape[-2])[:, None] >= arange(x.shape[-1]) - k, x, x * 0)"},
    {"triu", "x, k=0", "where(arange(x.shape[-2])[:, None] <= arange(x.shape[-1]) - k, x, x * 0)"},
    // Lanes to other places.
    {"take", "x, indices", "ravel(x)[indices]"},
    {"take", "x, indices, axis", "swapaxes(swapaxes(x, axis, 0)[indices], axis, 0)"},
    {"take_along_axis", "x, indices, axis", "gather(x, indices, axis)"},
    {"roll", "x, shift", "ravel(x)[(arange(x.size) - shift) % x.size].reshape(x.shape)"},
    {"roll", "x, shift, axis", "take(x, (arange(x.shape[axis]) - shift) % x.shape[axis], axis)"},
    {"repeat", "x, repeats", "ravel(x)[arange(x.size * repeats) // repeats]"},
    {"repeat", "x, repeats, axis", "take(x, arange(x.shape[axis] * repeats) // repeats, axis)"},
    {"repeat_interleave", "x, repeats", "repeat(x, repeats)"},
    {"repeat_interleave", "x, repeats, axis", "repeat(x, repeats, axis)"},
    {"tile", "x, reps", "x[..., arange(x.shape[-1] * reps) % x.shape[-1]]"},
    {"rot90", "x", "swapaxes(x, 0, 1)[::-1]"},
    {"atleast_2d", "x", "x[None] if x.ndim == 1 else x"},
    {"hstack", "arrays", "concatenate(arrays, 0 if arrays[0].ndim == 1 else 1)"},
    {"vstack", "arrays", "stack(arrays, 0) if arrays[0].ndim == 1 else concatenate(arrays, 0)"},
    {"linspace", "start, stop, num=50", "start + (stop - start) * arange(num) / maximum(num - 1, 1)"},
    {"len", "x", "x.shape[0]"},
    // Lane by lane.
    {"logaddexp", "x, y", "where(x == y, x + log(2.0), maximum(x, y) + log1p(exp(-abs(x - y))))"},
    {"rad2deg", "x", "x * (180 / pi)"},
    {"deg2rad", "x", "x * (pi / 180)"},
    {"around", "x, decimals=0", "round(x, decimals)"},
    {"relu", "x", "maximum(x, 0)"},
    {"silu", "x", "x * sigmoid(x)"},
    {"gelu", "x", "0.5 * x * (1 + erf(x / sqrt(2.0)))"},
    {"softplus", "x", "maximum(x, 0) + log1p(exp(-abs(x)))"},
    {"leaky_relu", "x, negative_slope=0.01", "where(x > 0, x, negative_slope * x)"},
    {"log_softmax", "x, axis", "x - amax(x, axis, True) - log(sum(exp(x - amax(x, axis, True)), axis, True))"},
};

struct Made {
  TextFunction function;
  std::string_view parameters;
  std::size_t least = 0, most = 0, by_place = 0;
};
const std::list<Made>& functions() {
  static const std::list<Made> all = [] {
    std::list<Made> made;
    for (const Row& row : rows) {
      Made m{
          .function = {{row.name, parse_parameters(row.parameters), nullptr}, {}, parse(row.text, Precedence::python)},
          .parameters = row.parameters};
      m.most = m.function.signature.parameters.size();
      for (const Parameter& p : m.function.signature.parameters) {
        m.least += p.is_required;
        if (!p.is_required) m.function.fallbacks.push_back(parse(p.fallback, Precedence::python));
      }
      m.by_place = std::min(row.by_place, m.most);
      made.push_back(std::move(m));
    }
    return made;
  }();
  return all;
}

}  // namespace

bool is_text_function(std::string_view name) { return std::ranges::find(rows, name, &Row::name) != std::end(rows); }
std::vector<std::string> text_function_names() {
  std::vector<std::string> names;
  for (const Row& row : rows) names.emplace_back(row.name);
  return names;
}

const TextFunction& text_function(std::string_view name, std::size_t values, std::size_t by_place) {
  std::string usage;
  for (const Made& m : functions()) {
    if (m.function.signature.name != name) continue;
    if (m.least <= values && values <= m.most && by_place <= m.by_place) return m.function;
    usage += fmt::format("{}{}({})", usage.empty() ? "" : " or ", name, m.parameters);
  }
  throw Error(by_place < values ? fmt::format("{} does not take {} values, {} without a name", name, values, by_place)
                                : fmt::format("{} does not take {} value{}", name, values, values == 1 ? "" : "s"),
              usage);
}

}  // namespace tl::debug
