#include "interp/cuda/host/store_order.h"

#include <algorithm>
#include <list>
#include <set>
#include <vector>

#include "interp/text/pointer_accesses.h"

namespace tl::cuda {

namespace {

using text::Function;
using text::Model;
using text::PointerAccess;
using text::Statement;
using text::StatementKind;

const Tensor* tensor_of(const Argument& a) {
  if (const auto* t = std::get_if<TensorArgument>(&a)) return &t->tensor;
  if (const auto* d = std::get_if<DescriptorArgument>(&a)) return &d->tensor;
  return nullptr;
}

bool is_loop(const Model& model, const text::Lambda& lambda) {
  if (lambda.statement < 0) return false;
  for (const int name : model.calls(model.statements()[lambda.statement].tokens))
    if (model.is(name, "static_for")) return true;
  return false;
}
bool in_one_loop(const Model& model, int a, int b) {
  for (const Statement& s : model.statements())
    if (s.kind == StatementKind::loop && s.body.contains(a) && s.body.contains(b)) return true;
  for (const text::Lambda& l : model.lambdas())
    if (l.body.contains(a) && l.body.contains(b) && is_loop(model, l)) return true;
  return false;
}

bool may_be_one(const Launch& launch, int a, int b) {
  if (a == b) return true;
  const Tensor *x = tensor_of(launch.arguments[a]), *y = tensor_of(launch.arguments[b]);
  return x->storage && x->storage == y->storage;
}

}  // namespace

std::optional<LoadAfterStore> load_after_store(const Sources& sources, const Launch& launch) {
  std::list<Model> models;
  for (const auto& [path, text] : sources)
    if (!path.starts_with("interp/")) models.emplace_back(path, text);
  std::vector<const Model*> all;
  for (const Model& model : models) all.push_back(&model);
  for (const Model& model : models) {
    if (model.file() != launch.source) continue;
    for (const Function& functor : model.functions()) {
      const std::string name = launch.kernel.substr(0, launch.kernel.find('<'));
      if (!functor.is_functor || (name != functor.name && !name.ends_with("::" + functor.name))) continue;
      std::set<int> pointers;
      for (std::size_t i = 0; i < std::min(functor.parameters.size(), launch.arguments.size()); ++i)
        if (tensor_of(launch.arguments[i])) pointers.insert(static_cast<int>(i));
      const auto accesses = text::pointer_accesses(all, model, functor, pointers);
      for (const PointerAccess& load : accesses)
        for (const PointerAccess& store : accesses) {
          if (load.is_store || !store.is_store) continue;
          const bool ordered = load.token >= 0 && store.token >= 0;
          if (ordered && load.token < store.token && !in_one_loop(model, load.token, store.token)) continue;
          for (const int from : load.parameters)
            for (const int to : store.parameters)
              if (may_be_one(launch, from, to))
                return LoadAfterStore{load.token < 0 ? 0 : model.token(load.token).line, functor.parameters[from].name,
                                      functor.parameters[to].name};
        }
    }
  }
  return std::nullopt;
}

}  // namespace tl::cuda
