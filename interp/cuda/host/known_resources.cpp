#include "interp/cuda/host/known_resources.h"

#include <sstream>

#include "interp/cuda/host/expression.h"
#include "interp/cuda/host/nvrtc_api.h"
#include "interp/cuda/host/sources.h"
#include "interp/lang/cache.h"
#include "interp/lang/error.h"

namespace tl::cuda {

namespace {

// Whether the kernel calls dot follows from its sources, which are part of the recipe: as if it did, since ints of
// finer divisibility are then compiled apart.
std::string recipe_of(const Launch& launch, const Target& target) {
  const bool is_hopper = target.arch == "sm_90a" && !target.generic;
  std::ostringstream recipe;
  recipe << "resources 5\n"
         << nvrtc_fingerprint() << target.arch << target.generic << target.fused_multiply_add << target.timeline << '\n'
         << entry_expression(launch, config_of(launch, {.one_role = {}}, is_hopper)) << '\n';
  if (launch.options.max_registers > 0) recipe << launch.options.max_registers << " registers\n";
  for (const auto& [name, text] : source_of(launch, {"interp/cuda/device/entry.h"}).texts)
    recipe << name << ' ' << fingerprint(text) << '\n';
  return std::move(recipe).str();
}

std::string text_of(const Resources& r) {
  std::ostringstream text;
  for (const int n :
       {r.registers, r.stack_bytes, r.spill_store_bytes, r.spill_load_bytes, r.static_shared_bytes,
        r.dynamic_shared_bytes, r.threads, r.num_stages, int{r.is_plain}, int{r.is_affine_only}, int{r.has_roles}})
    text << n << ' ';
  return std::move(text).str();
}

std::optional<Resources> resources_from(const std::string& text) {
  Resources r;
  int is_plain = 0, is_affine_only = 0, has_roles = 0;
  std::istringstream in(text);
  for (int* n : {&r.registers, &r.stack_bytes, &r.spill_store_bytes, &r.spill_load_bytes, &r.static_shared_bytes,
                 &r.dynamic_shared_bytes, &r.threads, &r.num_stages, &is_plain, &is_affine_only, &has_roles})
    in >> *n;
  r.is_plain = is_plain != 0;
  r.is_affine_only = is_affine_only != 0;
  r.has_roles = has_roles != 0;
  return in ? std::optional(r) : std::nullopt;
}

}  // namespace

std::optional<Resources> known_resources(const Launch& launch, const Target& target) {
  try {
    const auto fields = read_cache(recipe_of(launch, target), 1);
    return fields ? resources_from(fields->front()) : std::nullopt;
  } catch (const CompileError&) {  // C++ cannot say it
    return std::nullopt;
  }
}

void keep_resources(const Launch& launch, const Target& target, const Resources& resources) {
  if (!known_resources(launch, target)) write_cache(recipe_of(launch, target), {text_of(resources)});
}

}  // namespace tl::cuda
