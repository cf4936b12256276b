// What an op is called with: Triton's parameters, as the table of ops (interp/lang/op.h) writes them.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace tl {

// `axis=None` of "input, axis=None": its default is None.
struct Parameter {
  std::string_view name, fallback = {};
  bool is_required = true;
  bool is_rest = false;  // *shape: takes all that is left
};

// The parameters of an op, or of a function made of ops; none for any other name.
std::optional<std::string_view> parameters_of(std::string_view op);
std::vector<Parameter> parse_parameters(std::string_view text);

// tl.sum(input, axis=None, keep_dims=False, dtype=None)
std::string signature_of(std::string_view op);
// As C++ calls it: tl.load(x_ptr + offs, {.mask = mask, .other = 0}); "" for a name that tl lacks.
std::string call_in_cpp(std::string_view op);
// The parameters that C++ passes by name, as in {.mask = mask}, by their names there.
std::vector<std::string> options_in_cpp(std::string_view op);

}  // namespace tl
