#include "interp/cuda/host/expression.h"

#include <algorithm>
#include <cmath>
#include <cstdio>

#include "interp/rules/index.h"

namespace tl::cuda {

namespace {

const char* device_type(DType dtype) {
  switch (dtype) {
    case DType::int1: return "bool";
    case DType::int32: return "int";
    case DType::int64: return "long long";
    case DType::uint8: return "unsigned char";
    case DType::int8: return "signed char";
    case DType::int16: return "short";
    case DType::uint16: return "unsigned short";
    case DType::uint64: return "unsigned long long";
    case DType::uint32: return "unsigned";
    case DType::float16: return "__half";
    case DType::bfloat16: return "__nv_bfloat16";
    case DType::float32: return "float";
    case DType::float64: return "double";
    case DType::float8e4nv: return "__nv_fp8_e4m3";
    case DType::float8e5: return "__nv_fp8_e5m2";
  }
  return "void";
}

std::string constant(const ConstantArgument& c) {
  if (c.is_bool) return c.value ? "tl::constant<true>" : "tl::constant<false>";
  const bool fits_int = c.value == static_cast<std::int32_t>(c.value);
  return "tl::constant<" + std::to_string(c.value) + (fits_int ? ">" : "LL>");
}

// Exactly, with every digit that is not 0.
std::string constant(const RealConstantArgument& c) {
  if (std::isnan(c.value)) return "tl::constant<__builtin_bit_cast(double, 0x7ff8000000000000)>";
  if (std::isinf(c.value))
    return std::string("tl::constant<") + (c.value < 0 ? "-" : "") + "__builtin_bit_cast(double, 0x7ff0000000000000)>";
  char text[64];
  std::snprintf(text, sizeof text, "tl::constant<%a>", c.value);
  return text;
}

std::string constant(const TextConstantArgument& c) {
  std::string text = "tl::constant<tl::FixedText<" + std::to_string(c.value.size() + 1) + ">{\"";
  for (const char letter : c.value) {
    if (letter == '"' || letter == '\\') text += '\\';
    text += letter;
  }
  return text + "\"}>";
}

std::string shape(const std::vector<int>& sizes) {
  std::string text = "tl::Shape<";
  for (std::size_t i = 0; i < sizes.size(); ++i) text += (i ? ", " : "") + std::to_string(sizes[i]);
  return text + ">";
}

const Tensor* tensor_of(const Argument& argument) {
  if (const auto* t = std::get_if<TensorArgument>(&argument)) return &t->tensor;
  if (const auto* d = std::get_if<DescriptorArgument>(&argument)) return &d->tensor;
  return nullptr;
}

bool is_descriptor(const Argument& argument) { return std::holds_alternative<DescriptorArgument>(argument); }

struct ArgumentType {
  bool tensor_maps;

  std::string operator()(const TensorArgument& a) const {
    if (a.tensor.is_none) return "tl::NonePtr";
    return std::string("tl::Ptr<") + device_type(a.tensor.dtype) + ", 16>";
  }
  std::string operator()(const IntArgument& a) const {
    return std::string("tl::Int<") + device_type(a.dtype) + ", " +
           (a.value == 1 ? "tl::is_one" : std::to_string(rules::known_divisibility(a.value))) + ">";
  }
  std::string operator()(const FloatArgument&) const { return "tl::Float"; }
  std::string operator()(const ConstantArgument& a) const { return constant(a); }
  std::string operator()(const RealConstantArgument& a) const { return constant(a); }
  std::string operator()(const TextConstantArgument& a) const { return constant(a); }
  std::string operator()(const DtypeConstantArgument& a) const {
    return std::string("tl::Dtype<tl::DType::") + language_name_of(a.value) + ">";
  }
  std::string operator()(const DescriptorArgument& a) const {
    return std::string("tl::Descriptor<") + device_type(a.tensor.dtype) + ", " + shape(a.block_shape) +
           (tensor_maps ? ", tl::Tma>" : ", tl::Pointers>");
  }
};

}  // namespace

std::string why_no_tensor_map(const DescriptorArgument& argument) {
  const Tensor& t = argument.tensor;
  const int size = size_in_bytes(t.dtype);
  if (t.shape.size() != 2) return "it has " + std::to_string(t.shape.size()) + " axes; 2 are possible";
  if (t.strides.back() != 1)
    return "its last stride is " + std::to_string(t.strides.back()) + " elements; 1 is possible";
  for (std::size_t i = 0; i + 1 < t.shape.size(); ++i)
    if (t.strides[i] * size % 16 != 0 || t.strides[i] <= 0)
      return "its stride of " + std::to_string(t.strides[i] * size) + " bytes is not a multiple of 16; pad its rows";
  if (argument.block_shape.back() * size < 16)
    return "the block's last axis has " + std::to_string(argument.block_shape.back() * size) +
           " bytes; 16 at least are possible";
  if (argument.block_shape.front() > 256)
    return "the block has " + std::to_string(argument.block_shape.front()) + " rows; 256 at most are possible";
  if (*std::max_element(t.shape.begin(), t.shape.end()) > std::int64_t{1} << 32) return "an axis is longer than 2^32";
  if (std::count(t.shape.begin(), t.shape.end(), 0)) return "it is empty";
  return "";
}

bool tensor_maps_fit(const Launch& launch, std::vector<std::string>* notes) {
  bool fit = true;
  for (const auto& argument : launch.arguments) {
    const auto* d = std::get_if<DescriptorArgument>(&argument);
    const auto reason = d ? why_no_tensor_map(*d) : "";
    if (reason.empty()) continue;
    fit = false;
    if (notes) notes->push_back("tensor \"" + d->tensor.name + "\" goes by pointers, TMA cannot take it: " + reason);
  }
  return fit;
}

rules::Config config_of(const Launch& launch, const rules::KernelFacts& facts, bool is_hopper,
                        std::vector<std::string>* notes) {
  int narrowest = 0;
  for (const auto& argument : launch.arguments)
    if (const auto* tensor = tensor_of(argument); tensor && !tensor->is_none) {
      const int size = size_in_bytes(tensor->dtype);
      narrowest = narrowest == 0 ? size : std::min(narrowest, size);
    }
  rules::Config config{.num_warps = launch.options.num_warps,
                       .num_stages = launch.options.num_stages,
                       .vector = rules::vector_of(narrowest),
                       .matrix = rules::matrix_of(facts.dots, is_hopper, launch.options.num_warps)};
  config.tensor_maps =
      is_hopper && std::ranges::any_of(launch.arguments, is_descriptor) && tensor_maps_fit(launch, notes);
  config.copies_ahead = facts.dots != rules::Dots::none && !config.tensor_maps && config.num_warps % 4 == 0;
  config.lookups = facts.looks_up && config.copies_ahead;
  return facts.one_role ? in_one_role(config) : config;
}

rules::Config in_one_role(rules::Config config) {
  config.tensor_maps = config.copies_ahead = config.lookups = false;
  config.matrix = rules::in_one_role(config.matrix);
  return config;
}

bool would_have_roles(const Launch& launch, const rules::KernelFacts& facts, bool is_hopper) {
  rules::KernelFacts without_obstacle = facts;
  without_obstacle.one_role = {};
  return has_roles(config_of(launch, without_obstacle, is_hopper));
}

std::string build_text(const rules::Build& build) {
  std::string members, tiles;
  const auto add = [&](const char* name, const std::string& value) {
    members += std::string(members.empty() ? "." : ", .") + name + " = " + value;
  };
  const auto add_bool = [&](const char* name, bool value) { add(name, value ? "true" : "false"); };
  for (const auto& [rows, columns] : build.turned_tiles)
    if (rows > 0) tiles += "{" + std::to_string(rows) + ", " + std::to_string(columns) + "}, ";
  add_bool("generic", build.generic);
  add_bool("formulas", build.formulas);
  add_bool("affine_only", build.affine_only);
  add_bool("lookups", build.lookups);
  add_bool("one_role", build.one_role);
  add("working_threads", std::to_string(build.working_threads));
  add_bool("takes_turns", build.takes_turns);
  add("programs_per_sm", std::to_string(build.programs_per_sm));
  add_bool("prints", build.prints);
  add_bool("timeline", build.timeline);
  add("max_registers", std::to_string(build.max_registers));
  add("single_slot_levels", std::to_string(build.single_slot_levels));
  add_bool("asks_for_turned_tiles", build.asks_for_turned_tiles);
  add("turned_tiles", "{" + tiles + "}");
  return "#pragma once\n#include \"interp/rules/build.h\"\nnamespace tl::cuda {\ninline constexpr rules::Build build = "
         "{" +
         members + "};\n}\n";
}

std::string entry_expression(const Launch& launch, const rules::Config& config) {
  std::string text = "tl::cuda::entry<::" + launch.kernel + ", tl::cuda::Config<" + std::to_string(config.num_warps) +
                     ", " + std::to_string(config.num_stages) + ", " + std::to_string(config.vector) +
                     (config.matrix == rules::Matrix::none           ? ", false>"
                      : config.matrix == rules::Matrix::multiply_add ? ", true, true>"
                                                                     : ", true>");
  for (const auto& argument : launch.arguments) text += ", " + std::visit(ArgumentType{config.tensor_maps}, argument);
  return text + ">";
}

}  // namespace tl::cuda
