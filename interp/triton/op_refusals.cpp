// What Triton refuses of an op's operands, and this takes: a table, by its semantic.py and math.py.
#include <fmt/format.h>

#include <algorithm>

#include "interp/cpu/state.h"
#include "interp/lang/text.h"
#include "interp/triton/code.h"

namespace tl::triton {

using namespace cpu;

namespace {

using Operands = std::span<const AnyValue>;

const cpu::Value* block_at(Operands x, std::size_t i) {
  return i < x.size() && x[i].is<Block>() ? x[i].as<Block>().data() : nullptr;
}
bool is_given(Operands x, std::size_t i) { return i < x.size() && !x[i].is<NotGiven>() && !x[i].is<cpu::None>(); }
bool is_not_32_or_64(Operands x) {
  const cpu::Value* const v = block_at(x, 0);
  return v && v->dtype != DType::float32 && v->dtype != DType::float64;
}
bool is_not_32(Operands x) {
  const cpu::Value* const v = block_at(x, 0);
  return v && v->dtype != DType::float32;
}
bool is_not_float(Operands x) {
  const cpu::Value* const v = block_at(x, 0);
  return v && !is_float(v->dtype);
}
bool has_other_alone(Operands x) { return x[0].is<Pointer>() && is_given(x, 2) && !is_given(x, 1); }
bool is_shallow(Operands x) {
  const cpu::Value* const v = block_at(x, 0);
  return v && v->rank > 1 && v->dims[v->rank - 1] < (size_in_bytes(v->dtype) == 1 ? 32 : 16);
}

struct OpRule {
  std::string_view ops;  // separated by spaces
  bool (*refuses)(Operands);
  std::string_view fact, fix;  // {}: the op
};
constexpr OpRule rules[] = {
    {"exp exp2 log log2 cos sin sqrt rsqrt erf floor ceil sigmoid softmax", is_not_32_or_64,
     "Triton's tl.{} takes fp32 and fp64 alone", "cast: tl.{}(x.to(tl.float32))"},
    {"sqrt_rn div_rn", is_not_32, "Triton's tl.{} takes fp32 alone", "cast: x.to(tl.float32)"},
    {"clamp fdiv", is_not_float, "Triton's tl.{} takes floats alone", "cast: x.to(tl.float32)"},
    {"load", has_other_alone, "Triton refuses other without a mask", "leave other out, or pass mask="},
    {"dot", is_shallow, "a GPU's tl.dot wants k of 16 at least, of 8-bit inputs 32", "choose a larger block along k"},
};

bool holds(std::string_view names, std::string_view name) {
  const std::size_t at = names.find(name);
  if (at == names.npos) return false;
  const std::size_t end = at + name.size();
  return (at == 0 || names[at - 1] == ' ') && (end == names.size() || names[end] == ' ');
}

std::string filled(std::string_view text, std::string_view op) {
  const std::size_t at = text.find("{}");
  return at == text.npos ? std::string(text)
                         : std::string(text.substr(0, at)) + std::string(op) + std::string(text.substr(at + 2));
}

}  // namespace

void note_op(Refusals& refusals, const cpu::Function& op, std::span<const AnyValue> operands, const cpu::Place* place) {
  for (const OpRule& rule : rules)
    if (holds(rule.ops, op.name) && rule.refuses(operands))
      refusals.add(place, filled(rule.fact, op.name), filled(rule.fix, op.name));
}

}  // namespace tl::triton
