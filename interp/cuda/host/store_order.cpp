#include "interp/cuda/host/store_order.h"

#include <algorithm>
#include <list>
#include <map>
#include <set>
#include <vector>

#include "interp/text/model.h"

namespace tl::cuda {

namespace {

using text::Function;
using text::Model;
using text::Statement;
using text::StatementKind;
using text::TokenKind;
using text::TokenRange;
using Roots = std::set<int>;  // numbers of the functor's parameters

const Tensor* tensor_of(const Argument& a) {
  if (const auto* t = std::get_if<TensorArgument>(&a)) return &t->tensor;
  if (const auto* d = std::get_if<DescriptorArgument>(&a)) return &d->tensor;
  return nullptr;
}

struct Access {
  Roots roots;
  bool is_store = false;
  int token = -1;  // in the functor's own text; -1: elsewhere
};

// Which parameters of the functor a name may point into. Names are not told apart by scope, so that a name stands for
// more than it may point to, never for less.
class Pointers {
 public:
  Pointers(const std::list<Model>& models, const Model& own, const Function& functor, const Launch& launch)
      : models_(models) {
    for (std::size_t i = 0; i < std::min(functor.parameters.size(), launch.arguments.size()); ++i)
      if (tensor_of(launch.arguments[i])) of_[functor.parameters[i].name].insert(static_cast<int>(i));
    for (bool grew = true; grew;) {
      grew = false;
      for (const Model& model : models_) grew |= follow_declarations(model) | follow_calls(model);
    }
    for (const Model& model : models_) collect(model, &model == &own ? &functor : nullptr);
  }
  const std::vector<Access>& accesses() const { return accesses_; }

 private:
  Roots roots_of(const text::Token& name) const {
    const auto it = of_.find(std::string(name.text));
    return it == of_.end() ? Roots() : it->second;
  }
  // What a value points into: loaded and reduced values do not point.
  Roots roots_of(const Model& model, const TokenRange& value) const {
    Roots roots;
    for (int i = value.first; i <= value.last; ++i) {
      const text::Token& t = model.token(i);
      if (t.is("load") || t.is("dot") || t.is("sum") || t.is("max")) break;
      const bool is_read = model.is(i + 1, ".") && (model.is(i + 2, "load") || model.is(i + 2, "tile"));
      if (t.kind == TokenKind::name && !is_read) roots.merge(roots_of(t));
    }
    return roots;
  }
  bool add(const std::string& name, const Roots& roots) {
    if (roots.empty() || name.empty()) return false;
    Roots& known = of_[name];
    const std::size_t before = known.size();
    known.insert(roots.begin(), roots.end());
    return known.size() > before;
  }
  bool follow_declarations(const Model& model) {
    bool grew = false;
    for (const Statement& s : model.statements())
      for (const std::string& name : s.names) grew |= add(name, roots_of(model, s.value));
    return grew;
  }
  bool follow_calls(const Model& model) {
    bool grew = false;
    for (const int name : model.calls({0, static_cast<int>(model.tokens().size()) - 1})) {
      if (std::ranges::count(model.functions(), name + 1, &Function::opens)) continue;  // where it is defined
      const auto arguments = model.arguments(name);
      for (const Model& other : models_)
        for (const Function& f : other.functions())
          if (model.token(name).is(f.name) && !f.is_functor)
            for (std::size_t i = 0; i < std::min(arguments.size(), f.parameters.size()); ++i)
              grew |= add(f.parameters[i].name, roots_of(model, arguments[i]));
    }
    return grew;
  }
  // `functor`: whose text tells an order; null of other files.
  void collect(const Model& model, const Function* functor) {
    for (const int name : model.calls({0, static_cast<int>(model.tokens().size()) - 1})) {
      const text::Token& t = model.token(name);
      const bool is_load = t.is("load") || t.is("tile");
      const bool is_store = t.is("store") || t.text.starts_with("atomic_");
      if ((!is_load && !is_store) || !model.is_member(name)) continue;
      const auto arguments = model.arguments(name);
      const bool by_pointer = model.is(name - 2, "tl");  // else through a descriptor
      if (by_pointer && arguments.empty()) continue;
      const Roots roots = by_pointer ? roots_of(model, arguments[0]) : roots_of(model.token(name - 2));
      const bool is_ordered = functor && functor->body.contains(name) && !in_named_lambda(model, name);
      if (!roots.empty()) accesses_.push_back({roots, is_store, is_ordered ? name : -1});
    }
  }
  static bool in_named_lambda(const Model& model, int token) {
    for (const Function& f : model.functions())
      if (f.outer >= 0 && f.body.contains(token)) return true;
    return false;
  }

  const std::list<Model>& models_;
  std::map<std::string, Roots> of_;
  std::vector<Access> accesses_;
};

bool is_loop(const Model& model, const text::Lambda& lambda) {
  if (lambda.statement < 0) return false;
  for (const int name : model.calls(model.statements()[lambda.statement].tokens))
    if (model.is(name, "static_for") || model.is(name, "pipelined")) return true;
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
  for (const Model& model : models) {
    if (model.file() != launch.source) continue;
    for (const Function& functor : model.functions()) {
      const std::string name = launch.kernel.substr(0, launch.kernel.find('<'));
      if (!functor.is_functor || (name != functor.name && !name.ends_with("::" + functor.name))) continue;
      const Pointers pointers(models, model, functor, launch);
      for (const Access& load : pointers.accesses())
        for (const Access& store : pointers.accesses()) {
          if (load.is_store || !store.is_store) continue;
          const bool ordered = load.token >= 0 && store.token >= 0;
          if (ordered && load.token < store.token && !in_one_loop(model, load.token, store.token)) continue;
          for (const int from : load.roots)
            for (const int to : store.roots)
              if (may_be_one(launch, from, to))
                return LoadAfterStore{load.token < 0 ? 0 : model.token(load.token).line, functor.parameters[from].name,
                                      functor.parameters[to].name};
        }
    }
  }
  return std::nullopt;
}

}  // namespace tl::cuda
