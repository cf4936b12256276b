#include "interp/cuda/host/known_facts.h"

#include "interp/cuda/host/expression.h"
#include "interp/rules/index.h"

namespace tl::cuda {

namespace {

const Tensor* tensor_of(const Argument& argument) {
  if (const auto* t = std::get_if<TensorArgument>(&argument)) return &t->tensor;
  if (const auto* d = std::get_if<DescriptorArgument>(&argument)) return &d->tensor;
  return nullptr;
}

bool share_memory(const Tensor& a, const Tensor& b) {
  return a.data() && b.data() && a.data() < b.data() + b.storage_bytes() && b.data() < a.data() + a.storage_bytes();
}

}  // namespace

std::string specialization_of(const Launch& launch) {
  const LaunchOptions& o = launch.options;
  std::string key;
  for (const int n : {o.num_warps, o.num_stages, o.max_registers}) key += std::to_string(n) + " ";
  for (const Argument& a : launch.arguments) {
    key += " " + std::to_string(a.index()) + ":";
    if (const Tensor* const t = tensor_of(a)) {
      key += t->is_none ? "none" : name_of(t->dtype);
      for (std::size_t i = 0; &launch.arguments[i] != &a; ++i)
        if (const Tensor* const other = tensor_of(launch.arguments[i]); other && share_memory(*t, *other))
          key += "@" + std::to_string(i);
    }
    if (const auto* d = std::get_if<DescriptorArgument>(&a)) {
      for (const int n : d->block_shape) key += "x" + std::to_string(n);
      key += why_no_tensor_map(*d);
    } else if (const auto* i = std::get_if<IntArgument>(&a)) {
      key += name_of(i->dtype) + std::to_string(i->value == 1 ? 0 : rules::known_divisibility(i->value));
    } else if (is_constant(kind_of(a))) {
      key += text_of(a);
    }
  }
  return key;
}

std::string sizes_of(const Launch& launch) {
  const std::vector<Tensor> tensors = tensors_of(launch);
  std::string key = " of " + std::to_string(launch.grid.x) + " " + std::to_string(launch.grid.y) + " " +
                    std::to_string(launch.grid.z);
  for (const Argument& a : launch.arguments) {
    key += ",";
    if (const Tensor* const t = tensor_of(a)) {
      for (const Tensor& other : tensors)
        if (share_memory(*t, other)) key += "@" + std::to_string(t->data() - other.data());
      for (const auto* sizes : {&t->shape, &t->strides})
        for (const std::int64_t n : *sizes) key += " " + std::to_string(n);
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
