// What the problems' files share.
#include "kernels/problems/build.h"

#include <algorithm>
#include <limits>
#include <mutex>
#include <numeric>

#include "interp/lang/stop_scope.h"
#include "kernels/peers/peers.h"
#include "kernels/problems/config_words.h"
#include "kernels/problems/shared_inputs.h"

namespace tl::problems {

std::int64_t next_power_of_2(std::int64_t n) {
  std::int64_t p = 1;
  while (p < n) p *= 2;
  return p;
}

IntArgument integer(std::int64_t value) {
  const bool fits =
      value >= std::numeric_limits<std::int32_t>::min() && value <= std::numeric_limits<std::int32_t>::max();
  return IntArgument{value, fits ? DType::int32 : DType::int64};
}

void check_indexable(const std::string& what, std::int64_t elems) {
  if (elems > std::numeric_limits<std::int32_t>::max())
    throw Error(
        what + " would hold " + std::to_string(elems) + " elements, more than the kernel's 32-bit offsets reach",
        "choose sizes whose product stays below 2^31");
}

Tensor uniform_tensor(std::string name, DType dtype, std::vector<std::int64_t> shape, std::uint64_t seed,
                      std::uint64_t stream) {
  check_indexable(name, std::accumulate(shape.begin(), shape.end(), std::int64_t{1}, std::multiplies<>{}));
  std::string values = name_of(dtype);
  for (const auto n : {seed, stream}) values.append(" ").append(std::to_string(n));
  for (const std::int64_t n : shape) values.append(" ").append(std::to_string(n));
  return shared_input(name, values, [&] {
    Tensor t = make_tensor(name, dtype, shape);
    fill_uniform(t, seed, stream);
    return t;
  });
}

void fill(const Tensor& t, double value) {
  if (!t.holds_data) return;
  in_chunks(t.storage_elems, [&](std::int64_t first, std::int64_t last) {
    for (std::int64_t i = first; i < last; ++i) set(t, i, value);
  });
}

struct Widened::State {
  Tensor tensor;
  std::once_flag once;
  std::vector<float> values;
};

Widened::Widened(Tensor t) : state_(std::make_shared<State>()) { state_->tensor = std::move(t); }

const float* Widened::data() const {
  const Tensor& t = state_->tensor;
  if (t.dtype == DType::float32) return t.as<float>();
  std::call_once(state_->once, [&] {
    const std::int64_t n = t.storage_elems;
    state_->values.resize(static_cast<std::size_t>(n));
    float* to = state_->values.data();
#pragma omp parallel for schedule(static)
    for (std::int64_t i = 0; i < n; ++i) to[i] = static_cast<float>(get(t, i));
  });
  return state_->values.data();
}

CpuPeer eigen_peer(std::string name, std::function<void(int)> run) {
  if (peers::has_eigen) return {std::move(name), std::move(run)};
  return {.missing = "no peer: tilescope was built without Eigen; install libeigen3-dev and build again"};
}

ReferenceAt reference_by_element(std::function<double(std::int64_t)> element) {
  return [element](std::size_t, std::span<const std::int64_t> offsets) {
    std::vector<double> expected(offsets.size());
    const std::int64_t count = std::ssize(expected);
#pragma omp parallel for schedule(dynamic, 64)
    for (std::int64_t i = 0; i < count; ++i)
      expected[static_cast<std::size_t>(i)] = element(offsets[static_cast<std::size_t>(i)]);
    return expected;
  };
}

ReferenceAt reference_by_row(std::vector<std::int64_t> widths, std::function<Rows(std::int64_t)> row) {
  return [widths, row](std::size_t output, std::span<const std::int64_t> offsets) {
    const std::int64_t width = widths[output];
    std::vector<double> expected(offsets.size());
    std::vector<std::size_t> firsts;  // where a new row begins among the offsets
    for (std::size_t i = 0; i < offsets.size(); ++i)
      if (i == 0 || offsets[i] / width != offsets[i - 1] / width) firsts.push_back(i);
    const std::int64_t count = std::ssize(firsts);
#pragma omp parallel for schedule(dynamic)
    for (std::int64_t r = 0; r < count; ++r) {
      const std::size_t first = firsts[static_cast<std::size_t>(r)];
      const std::size_t last = r + 1 < count ? firsts[static_cast<std::size_t>(r) + 1] : offsets.size();
      const std::vector<double> values = row(offsets[first] / width)[output];
      for (std::size_t i = first; i < last; ++i) expected[i] = values[static_cast<std::size_t>(offsets[i] % width)];
    }
    return expected;
  };
}

Setting warps_setting() {
  return {"warps", "0", Setting::Kind::integer, "warps a program (GPU); a power of two, 0: chosen by the sizes", 0,
          32,      true};
}

Setting programs_setting() {
  return {"programs", "0",    Setting::Kind::integer, "that share the work; 0: as many as the chip holds at once",
          0,          1 << 20};
}

Setting out_setting(const std::string& help) {
  return {"out", "", Setting::Kind::text, help, 0, 0, false, {"f16", "bf16", "f32", "f8e4nv", "f8e5"}};
}

DType out_or(const Settings& s, DType chosen) { return s.text("out").empty() ? chosen : s.dtype("out"); }

Setting stages_setting() {
  return {"stages", "", Setting::Kind::integer, "turns of a loop whose loads are in flight (GPU)", 1, 8};
}

Tuning tuned_by(const std::string& words) {
  return {.configs = [words](const Settings& s) {
    return configs_in(words, [&](const std::string& name) {
      const auto is_digit = [](char c) { return c >= '0' && c <= '9'; };
      return std::ranges::all_of(name, is_digit) ? std::stoll(name) : s.integer(name);
    });
  }};
}

Instance complete(Instance instance) {
  if (!instance.reset)
    instance.reset = [outputs = instance.outputs] {
      for (const Tensor& t : outputs) poison(t);
    };
  instance.reset();
  if (!instance.reference_at) return instance;
  instance.reference = [outputs = instance.outputs, at = instance.reference_at] {
    std::vector<Tensor> all;
    for (std::size_t o = 0; o < outputs.size(); ++o) {
      std::vector<std::int64_t> offsets(static_cast<std::size_t>(outputs[o].elems()));
      std::iota(offsets.begin(), offsets.end(), std::int64_t{0});
      const std::vector<double> expected = at(o, offsets);
      all.push_back(make_tensor(outputs[o].name, DType::float64, outputs[o].shape));
      std::ranges::copy(expected, all.back().as<double>());
    }
    return all;
  };
  return instance;
}

}  // namespace tl::problems
