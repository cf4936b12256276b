#include "tests/machine/guests/guest.h"

#include <sstream>

namespace tl::test {

using namespace tl::problems;

Problem problem_of(const Guest& g) {
  Problem p{g.name, "a guest", "tests/machine/guests/guests.h", {}, {}};
  std::istringstream words(g.defaults);
  for (std::string word; words >> word;) {
    const auto equals = word.find('=');
    const bool is_dtype = word.starts_with("dtype");
    p.settings.push_back(
        {word.substr(0, equals), word.substr(equals + 1), is_dtype ? Setting::Kind::dtype : Setting::Kind::integer});
  }
  p.make = [launch = g.launch](const Settings& s, std::uint64_t) {
    Instance in;
    std::vector<Tensor> tensors;
    in.launches = {launch(s, tensors)};
    in.outputs = {tensors.back()};
    in.inputs.assign(tensors.begin(), tensors.end() - 1);
    in.tolerances = {{1e30, 1e30}};
    in.reset = [] {};
    in.reference_at = reference_by_element([](std::int64_t) { return 0.0; });
    return in;
  };
  return p;
}

Tensor zeros(std::vector<Tensor>& all, const char* name, DType dtype, std::vector<std::int64_t> shape) {
  Tensor t = make_tensor(name, dtype, std::move(shape));
  t.holds_data = true;
  all.push_back(t);
  return t;
}

Tensor indices(std::vector<Tensor>& all, std::int64_t n, std::int64_t below, bool skewed, DType dtype) {
  const Tensor t = zeros(all, "idx", dtype, {n});
  for (std::int64_t i = 0; i < n; ++i) {
    const double u = static_cast<double>(random_bits(7, static_cast<std::uint64_t>(i)) >> 11) * 0x1p-53;
    const auto index = static_cast<std::int64_t>((skewed ? u * u * u * u : u) * static_cast<double>(below));
    if (dtype == DType::int64) t.as<std::int64_t>()[i] = index;
    else t.as<std::int32_t>()[i] = static_cast<std::int32_t>(index);
  }
  return t;
}

}  // namespace tl::test
