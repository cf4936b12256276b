#include "interp/triton/arguments.h"

namespace tl::triton {

using cpu::AnyValue;

Value constant_of(const Argument& a) {
  if (const auto* t = std::get_if<TensorArgument>(&a); t && t->tensor.is_none) return AnyValue(cpu::None{});
  if (const auto* c = std::get_if<ConstantArgument>(&a)) return AnyValue(cpu::Constant(c->value, c->is_bool));
  if (const auto* r = std::get_if<RealConstantArgument>(&a)) return AnyValue(r->value);
  if (const auto* t = std::get_if<TextConstantArgument>(&a)) return AnyValue(cpu::kept_text(t->value));
  if (const auto* d = std::get_if<DtypeConstantArgument>(&a)) return AnyValue(cpu::ElementType{d->value});
  return {};
}

Value bound(cpu::Context& tl, const Argument& a, int tensors_before) {
  if (const auto* t = std::get_if<TensorArgument>(&a)) return AnyValue(tl.bind(*t, tensors_before));
  if (const auto* d = std::get_if<DescriptorArgument>(&a))
    return AnyValue(std::make_shared<const cpu::Descriptor>(tl.bind(*d, tensors_before)));
  if (const auto* i = std::get_if<IntArgument>(&a)) return AnyValue(tl.bind(*i, tensors_before));
  if (const auto* f = std::get_if<FloatArgument>(&a)) return AnyValue(tl.bind(*f, tensors_before));
  return {};
}

}  // namespace tl::triton
