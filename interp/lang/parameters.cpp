#include "interp/lang/parameters.h"

#include <algorithm>

#include "interp/lang/op.h"
#include "interp/lang/text.h"

namespace tl {

std::optional<std::string_view> parameters_of(std::string_view op) {
  if (const std::optional<Op> found = op_of(op)) return info_of(*found).parameters;
  for (const CompositeInfo& composite : composite_table)
    if (composite.name == op) return composite.parameters;
  return std::nullopt;
}

std::vector<Parameter> parse_parameters(std::string_view text) {
  std::vector<Parameter> all;
  while (!text.empty()) {
    const std::size_t end = std::min(text.find(", "), text.size()), equals = text.substr(0, end).find('=');
    Parameter p{text.substr(0, std::min(equals, end))};
    if (equals < end) {
      p.fallback = text.substr(equals + 1, end - equals - 1);
      p.is_required = false;
    }
    if (p.name.starts_with('*')) {
      p.name.remove_prefix(1);
      p.is_rest = true;
      p.is_required = false;
    }
    all.push_back(p);
    text.remove_prefix(std::min(end + 2, text.size()));
  }
  return all;
}

std::string signature_of(std::string_view op) {
  return "tl." + std::string(op) + '(' + std::string(parameters_of(op).value_or("")) + ')';
}

namespace {

// What C++ writes for a parameter, if not its name.
struct Sample {
  std::string_view parameter, cpp;
};
constexpr Sample samples[] = {{"pointer", "x_ptr + offs"},
                              {"base", "x_ptr"},
                              {"input", "x"},
                              {"src", "x"},
                              {"a", "a"},
                              {"offset", "offs"},
                              {"values", "16_c"},
                              {"num_bins", "16_c"},
                              {"k", "8_c"},
                              {"axis", "0"},
                              {"dim", "0"},
                              {"start", "0"},
                              {"end", "BLOCK"},
                              {"arg1", "first"},
                              {"arg2", "end"},
                              {"step", "step"},
                              {"shape", "tl.shape(BM, BN)"},
                              {"block_shape", "tl.shape(BM, BN)"},
                              {"dims", "tl.axes(1_c, 0_c)"},
                              {"order", "tl.axes(1_c, 0_c)"},
                              {"dtype", "tl.float32"},
                              {"combine_fn", "[](auto a, auto b) { return a + b; }"},
                              {"condition", "\"=0\""},
                              {"text", "\"x = {}\""},
                              {"prefix", "\"x = \""},
                              {"args", "x"},
                              {"cond", "x > 0"},
                              {"msg", "\"x is positive\""},
                              {"lhs_format", "\"e4m3\"_c"},
                              {"rhs_format", "\"e2m1\"_c"}};
// Where the name of a parameter says less than the op does.
struct Exception {
  std::string_view op, parameter, cpp;
};
constexpr Exception exceptions[] = {{"make_block_ptr", "shape", "tl.tuple(m, n)"},
                                    {"make_block_ptr", "strides", "tl.tuple(n, 1)"},
                                    {"make_block_ptr", "offsets", "tl.tuple(0, 0)"},
                                    {"make_tensor_descriptor", "shape", "tl.tuple(m, n)"},
                                    {"make_tensor_descriptor", "strides", "tl.tuple(n, 1_c)"},
                                    {"advance", "base", "bp"},
                                    {"advance", "offsets", "tl.tuple(0, BLOCK_K)"},
                                    {"dot", "input", "a"},
                                    {"dot", "other", "b"},
                                    {"dot", "acc", "acc"},
                                    {"dot_scaled", "acc", "acc"},
                                    {"cat", "input", "a"},
                                    {"cat", "other", "b"},
                                    {"broadcast", "input", "a"},
                                    {"broadcast", "other", "b"},
                                    {"atomic_cas", "pointer", "lock_ptr"},
                                    {"where", "condition", "mask"},
                                    {"trans", "dims", ""},
                                    {"softmax", "dim", "0"},
                                    {"sort", "dim", ""},
                                    {"topk", "dim", ""},
                                    {"histogram", "mask", "mask"},
                                    {"device_assert", "mask", ""},
                                    {"static_print", "text", "\"BLOCK = {}\""},
                                    {"static_print", "values", "BLOCK"},
                                    {"print_if", "values", "x"}};
// Options that C++ names in braces; those that are shown have a value.
struct Option {
  std::string_view parameter, cpp, shown;
};
constexpr Option options[] = {{"mask", "mask", "mask"},
                              {"other", "other", "0"},
                              {"boundary_check", "boundary_check", ""},
                              {"padding_option", "padding", ""},
                              {"cache_modifier", "cache_modifier", ""},
                              {"eviction_policy", "eviction_policy", ""},
                              {"volatile", "is_volatile", ""},
                              {"sem", "sem", ""},
                              {"scope", "scope", ""},
                              {"reverse", "reverse", ""},
                              {"descending", "descending", "true"},
                              {"num_stages", "num_stages", ""}};

const Option* option_of(std::string_view op, const Parameter& p) {
  if (p.is_required || (op == "topk" && p.name == "descending") || op == "make_tensor_descriptor") return nullptr;
  const auto* const found = std::ranges::find(options, p.name, &Option::parameter);
  return found == std::end(options) ? nullptr : found;
}

// "" where it is left out.
std::string sample_of(std::string_view op, const Parameter& p) {
  for (const Exception& e : exceptions)
    if (e.op == op && e.parameter == p.name) return std::string(e.cpp);
  const auto* const found = std::ranges::find(samples, p.name, &Sample::parameter);
  if (found != std::end(samples)) {
    const bool has_value = !p.is_required && !p.is_rest && p.name == "dtype";  // of tl.sum
    return has_value ? "" : std::string(found->cpp);
  }
  return p.is_required ? std::string(p.name) : "";
}

}  // namespace

std::string call_in_cpp(std::string_view op) {
  const auto text = parameters_of(op);
  const std::optional<Op> found = op_of(op);
  if (!text || (found && !is_word(*found))) return "";
  std::string arguments, braces;
  const auto add = [](std::string& to, const std::string& what) { to += (to.empty() ? "" : ", ") + what; };
  for (const Parameter& p : parse_parameters(*text)) {
    const Option* const option = option_of(op, p);
    const bool is_positional = op == "histogram" || op == "device_assert";  // C++ takes the mask by its place
    if (option && !is_positional) {
      if (!option->shown.empty()) add(braces, '.' + std::string(option->cpp) + " = " + std::string(option->shown));
    } else if (const std::string sample = sample_of(op, p); !sample.empty()) {
      add(arguments, sample);
    }
  }
  if (!braces.empty()) add(arguments, '{' + braces + '}');
  return "tl." + std::string(op) + '(' + arguments + ')';
}

std::vector<std::string> options_in_cpp(std::string_view op) {
  std::vector<std::string> names;
  for (const Parameter& p : parse_parameters(parameters_of(op).value_or("")))
    if (const Option* const option = option_of(op, p)) names.emplace_back(option->cpp);
  return names;
}

}  // namespace tl
