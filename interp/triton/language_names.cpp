// What the names of Triton's modules are: ops, dtypes, and libdevice's functions, of which interp/triton/libdevice has
// the texts.
#include <fmt/format.h>

#include <algorithm>

#include "interp/sources/sources.h"
#include "interp/triton/constants.h"
#include "interp/triton/program.h"

namespace tl::triton {

namespace fs = std::filesystem;

namespace {

// Its files import from each other.
const fs::path libdevice_folder = "interp/triton/libdevice";

std::optional<DType> dtype_called(std::string_view name) {
  for (int i = 0; i < dtype_count; ++i)
    if (name == language_name_of(static_cast<DType>(i))) return static_cast<DType>(i);
  return std::nullopt;
}

}  // namespace

bool is_of_libdevice(const Module& m) { return m.folder == libdevice_folder; }

Module* Program::libdevice_file(std::string_view name) {
  const fs::path file = libdevice_folder / (std::string(name) + ".py");
  if (const auto known = modules_.find(file); known != modules_.end()) return known->second.get();
  const std::string_view text = sources::source(file.string());
  return text.empty() ? nullptr : &load(file, file.string(), std::string(text));
}

Value Program::of_libdevice(std::string_view name) {
  for (const char* const file : {"rounding", "conversions", "integers", "functions", "cuda"})
    if (Module* const m = libdevice_file(file); m && m->statements.contains(name) && !name.starts_with('_'))
      return global(*m, name);
  return {};
}

Value Program::member(const Callable& of, std::string_view name) {
  if (of.kind == Callable::Kind::module) return global(*const_cast<Module*>(of.module), name);
  if (of.kind != Callable::Kind::language || !of.name.starts_with("triton")) return {};
  static constexpr std::string_view modules[] = {"language",  "math", "extra",    "cuda",
                                                 "libdevice", "core", "standard", "random"};
  if (std::ranges::count(modules, name))
    return callable({Callable::Kind::language, fmt::format("{}.{}", of.name, name)});
  // Of isinstance(x, tl.tensor), and of enumerations.
  static constexpr std::string_view types[] = {"tensor", "tensor_descriptor", "dtype", "block_type", "PropagateNan"};
  if (std::ranges::count(types, name)) return callable({Callable::Kind::language, fmt::format("{}.{}", of.name, name)});
  if (of.name.ends_with("PropagateNan") && (name == "ALL" || name == "NONE"))
    return Value(cpu::AnyValue(cpu::TextConstant(name == "ALL" ? "all" : "none")));
  if (name == "CONSTEXPR_0") return Value(cpu::AnyValue(0));
  if (name == "TRITON_MAX_TENSOR_NUMEL") return Value(cpu::AnyValue(1 << 20));
  if (name == "pi32_t") return Value(cpu::AnyValue(cpu::PointerType{DType::int32}));
  if (const auto t = dtype_called(name)) return Value(cpu::AnyValue(cpu::ElementType{*t}));
  if (name == "range" || is_host_function(name)) {
    if (name != "min" && name != "max" && name != "abs") return callable({Callable::Kind::host, std::string(name)});
  }
  if (const cpu::Function* const op = cpu::function_called(name))
    return callable({Callable::Kind::op, std::string(name), op});
  const bool has_library = of.name.starts_with("triton.language.extra") || of.name.ends_with("math");
  return has_library || of.name.ends_with("libdevice") ? of_libdevice(name) : Value();
}

}  // namespace tl::triton
