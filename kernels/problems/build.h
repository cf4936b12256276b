// What the problems' files share: launches, arguments, references over rows, starting states.
#pragma once

#include <algorithm>
#include <functional>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "interp/cpu/launch.h"
#include "interp/lang/error.h"
#include "kernels/problems/problem.h"
#include "kernels/problems/random.h"
#include "kernels/problems/tolerance.h"

namespace tl::problems {

inline std::int64_t cdiv(std::int64_t a, std::int64_t b) { return (a + b - 1) / b; }
std::int64_t next_power_of_2(std::int64_t n);

// ---- arguments, in the functor's order
// An int parameter: i32 where it fits, else i64, as Triton types them.
IntArgument integer(std::int64_t value);
inline ConstantArgument constant(std::int64_t value) { return ConstantArgument{value}; }
inline ConstantArgument flag(bool value) { return ConstantArgument{value, true}; }
inline RealConstantArgument real_constant(double value) { return {value}; }
inline TextConstantArgument text_constant(const std::string& value) { return {value}; }

// ---- tensors
// Throws Error unless `elems` can be indexed by i32 offsets, as the kernels do.
void check_indexable(const std::string& what, std::int64_t elems);
Tensor uniform_tensor(std::string name, DType dtype, std::vector<std::int64_t> shape, std::uint64_t seed,
                      std::uint64_t stream);
void fill(const Tensor& t, double value);

// A tensor's values as floats, which hold every narrower float exactly. Made at the first use; f32 itself is not
// copied.
class Widened {
 public:
  explicit Widened(Tensor t);
  const float* data() const;

 private:
  struct State;
  std::shared_ptr<State> state_;
};

// The setting `warps` of kernels that choose by their sizes where it is 0.
Setting warps_setting();
inline int warps_or(const Settings& s, std::int64_t chosen) {
  const std::int64_t wanted = s.integer("warps");
  return static_cast<int>(wanted ? wanted : chosen);
}

// The setting `programs` of persistent kernels, which choose where it is 0; there are never more than blocks of work.
Setting programs_setting();
inline std::int64_t programs_or(const Settings& s, std::int64_t chosen, std::int64_t most) {
  const std::int64_t wanted = s.integer("programs");
  return std::min(wanted ? wanted : chosen, most);
}
// The setting `out` of kernels that cast where they store: the output's dtype.
Setting out_setting(const std::string& help);
DType out_or(const Settings& s, DType chosen);
Setting stages_setting();
inline int stages_or(const Settings& s, std::int64_t chosen) {
  return static_cast<int>(s.text("stages").empty() ? chosen : s.integer("stages"));
}

// ---- peers
// What Eigen does, where the program was built with it.
CpuPeer eigen_peer(std::string name, std::function<void(int threads)> run);

// ---- tuning
// `words`: config_words.h, of names of settings and numbers.
Tuning tuned_by(const std::string& words);
inline Problem tuned(Problem problem, Tuning tuning) {
  problem.tuning = std::move(tuning);
  return problem;
}
// For kernels on n elements, a block of them a program.
inline constexpr const char* pointwise_blocks = "pointwise(block=n); block=2048,4096 warps=4,8,16";

// ---- references
using ReferenceAt = decltype(Instance::reference_at);
using Rows = std::vector<std::vector<double>>;  // one an output
// An elementwise reference of a single output.
ReferenceAt reference_by_element(std::function<double(std::int64_t offset)> element);
// Outputs that a row of the problem yields together: row(i) gives for each output the values of row i; `widths` how
// many those are. A row is computed once as long as the offsets come sorted; rows are shared out to all threads.
ReferenceAt reference_by_row(std::vector<std::int64_t> widths, std::function<Rows(std::int64_t row)> row);

// Resets outputs to poison, derives `reference` from `reference_at`.
Instance complete(Instance instance);

}  // namespace tl::problems
