#include "interp/cuda/host/known_facts.h"

#include <charconv>
#include <iterator>

#include "interp/cuda/host/expression.h"
#include "interp/rules/index.h"

namespace tl::cuda {

namespace {

bool share_memory(const Tensor& a, const Tensor& b) {
  return a.data() && b.data() && a.data() < b.data() + b.storage_bytes() && b.data() < a.data() + a.storage_bytes();
}

// Keys are written at every launch: no text is made for each number.
void add(std::string& key, char before, std::int64_t n) {
  char digits[24];
  key += before;
  key.append(digits, std::to_chars(digits, std::end(digits), n).ptr);
}

}  // namespace

const Tensor* tensor_of(const Argument& argument) {
  if (const auto* t = std::get_if<TensorArgument>(&argument)) return &t->tensor;
  if (const auto* d = std::get_if<DescriptorArgument>(&argument)) return &d->tensor;
  return nullptr;
}

std::string specialization_of(const Launch& launch) {
  const LaunchOptions& o = launch.options;
  std::string key;
  for (const int n : {o.num_warps, o.num_stages, o.max_registers}) add(key, ' ', n);
  for (const Argument& a : launch.arguments) {
    add(key, ' ', static_cast<std::int64_t>(a.index()));
    key += ':';
    if (const Tensor* const t = tensor_of(a)) {
      key += t->is_none ? "none" : name_of(t->dtype);
      for (std::size_t i = 0; &launch.arguments[i] != &a; ++i)
        if (const Tensor* const other = tensor_of(launch.arguments[i]); other && share_memory(*t, *other))
          add(key, '@', static_cast<std::int64_t>(i));
    }
    if (const auto* d = std::get_if<DescriptorArgument>(&a)) {
      for (const int n : d->block_shape) add(key, 'x', n);
      key += why_no_tensor_map(*d);
    } else if (const auto* i = std::get_if<IntArgument>(&a)) {
      key += name_of(i->dtype);
      add(key, ' ', i->value == 1 ? 0 : rules::known_divisibility(i->value));
    } else if (is_constant(kind_of(a))) {
      key += text_of(a);
    }
  }
  return key;
}

std::string sizes_of(const Launch& launch) {
  std::string key = " of";
  for (const std::int64_t n : {launch.grid.x, launch.grid.y, launch.grid.z}) add(key, ' ', n);
  for (const Argument& a : launch.arguments) {
    key += ",";
    if (const Tensor* const t = tensor_of(a)) {
      for (const Argument& b : launch.arguments)
        if (const Tensor* const other = tensor_of(b); other && share_memory(*t, *other))
          add(key, '@', t->data() - other->data());
      for (const auto* sizes : {&t->shape, &t->strides})
        for (const std::int64_t n : *sizes) add(key, ' ', n);
    } else {
      key += text_of(a);
    }
  }
  return key;
}

const KnownFacts::Entry& KnownFacts::of(const Launch& launch, const FactsOf& facts_of) {
  const std::string specialization = specialization_of(launch);
  if (const auto it = known_.find(specialization); it != known_.end() && !it->second.of_one_launch) return *it;
  const std::string sized = specialization + sizes_of(launch);
  if (const auto it = known_.find(sized); it != known_.end()) return *it;
  rules::KernelFacts facts = facts_of(launch);
  if (facts.of_one_launch) known_[specialization] = facts;  // so that its sizes are looked at
  return *known_.insert_or_assign(facts.of_one_launch ? sized : specialization, std::move(facts)).first;
}

}  // namespace tl::cuda
