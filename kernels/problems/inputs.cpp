// The setting `inputs`, which every problem has: other values than its own. They lie in [-1, 1], as tolerances ask, and
// sums of them are exact.
#include "interp/lang/stop_scope.h"
#include "kernels/problems/build.h"
#include "kernels/problems/registry.h"

namespace tl::problems {

Problem with_inputs(Problem problem) {
  problem.settings.push_back({"inputs",
                              "",
                              Setting::Kind::text,
                              "what the inputs hold instead: ones, zeros, or signs, 1 and -1 at random",
                              0,
                              0,
                              false,
                              {"ones", "zeros", "signs"}});
  problem.make = [make = std::move(problem.make)](const Settings& s, std::uint64_t seed) {
    Instance instance = make(s, seed);
    const std::string& how = s.text("inputs");
    for (std::size_t i = 0; i < instance.inputs.size() && !how.empty(); ++i) {
      const Tensor& t = instance.inputs[i];
      if (how != "signs") fill(t, how == "ones");
      else if (t.holds_data)
        in_chunks(t.storage_elems, [&](std::int64_t first, std::int64_t last) {
          for (std::int64_t e = first; e < last; ++e)
            set(t, e, random_bits(seed ^ random_bits(i, 0), static_cast<std::uint64_t>(e)) >> 63 ? 1 : -1);
        });
    }
    return instance;
  };
  return problem;
}

}  // namespace tl::problems
