#include "interp/lang/launch.h"

#include <charconv>

namespace tl {

namespace {

template <class T>
std::string shortest(T value) {
  char digits[32];
  return std::string(digits, std::to_chars(digits, digits + sizeof digits, value).ptr);
}

}  // namespace

std::vector<Tensor> tensors_of(const Launch& launch) {
  std::vector<Tensor> all;
  for (const Argument& a : launch.arguments) {
    if (const auto* t = std::get_if<TensorArgument>(&a)) all.push_back(t->tensor);
    if (const auto* d = std::get_if<DescriptorArgument>(&a)) all.push_back(d->tensor);
  }
  all.insert(all.end(), launch.reached.begin(), launch.reached.end());
  return all;
}

std::string text_of(const Argument& a) {
  if (const auto* i = std::get_if<IntArgument>(&a)) return std::to_string(i->value);
  if (const auto* f = std::get_if<FloatArgument>(&a)) return shortest(f->value);
  if (const auto* r = std::get_if<RealConstantArgument>(&a)) return shortest(r->value);
  if (const auto* t = std::get_if<TextConstantArgument>(&a)) return '"' + t->value + '"';
  if (const auto* d = std::get_if<DtypeConstantArgument>(&a)) return std::string("tl.") + language_name_of(d->value);
  if (const auto* c = std::get_if<ConstantArgument>(&a))
    return c->is_bool ? (c->value ? "true" : "false") : std::to_string(c->value);
  return "";
}

}  // namespace tl
