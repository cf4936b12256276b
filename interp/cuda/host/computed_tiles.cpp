#include "interp/cuda/host/computed_tiles.h"

#include <algorithm>
#include <string_view>

#include "interp/text/model.h"

namespace tl::cuda {

namespace {

constexpr std::string_view of_tl[] = {"pointer_type", "make_tensor_descriptor"};
constexpr std::string_view of_descriptors[] = {"gather",     "scatter",    "atomic_add", "atomic_max",
                                               "atomic_min", "atomic_and", "atomic_or",  "atomic_xor"};

bool is_one(const text::Model& model, int call) {
  if (!model.is(call - 1, ".")) return false;
  const bool by_tl = model.is(call - 2, "tl");
  const auto is = [&](std::string_view name) { return model.is(call, name); };
  return by_tl ? std::ranges::any_of(of_tl, is) : std::ranges::any_of(of_descriptors, is);
}

}  // namespace

std::optional<std::string> computed_tiles(const Sources& sources, const std::string& kernel) {
  const std::string path = kernel.substr(0, kernel.find('<')), functor = path.substr(path.rfind(':') + 1);
  for (const auto& [file, source] : sources) {
    if (file.starts_with("interp/")) continue;
    const text::Model model(file, source);
    for (const text::Definition& d : text::definitions_of(model.tokens())) {
      if (d.is_struct && d.name != functor) continue;  // other kernels of the file
      for (const int call : model.calls(d.tokens))
        if (is_one(model, call))
          return file + ":" + std::to_string(model.token(call).line) + " has " + std::string(model.token(call).text) +
                 ", which goes by pointers";
    }
  }
  return std::nullopt;
}

}  // namespace tl::cuda
