#include "interp/text/pointer_accesses.h"

#include <algorithm>
#include <map>

namespace tl::text {

namespace {

class Follower {
 public:
  Follower(const std::vector<const Model*>& models, const Model& own, const Function& functor)
      : models_(models), own_(own), functor_(functor) {}

  std::vector<PointerAccess> run(const std::set<int>& pointers) {
    find_callees();
    for (const int i : pointers) of_[functor_.parameters[static_cast<std::size_t>(i)].name].insert(i);
    for (bool grew = true; grew;) {
      grew = false;
      for (const Model* model : models_) {
        grew |= follow_statements(*model);
        grew |= follow_calls(*model);
      }
    }
    for (const Model* model : models_) collect(*model);
    return accesses_;
  }

 private:
  std::set<int> roots_of(const Token& name) const {
    const auto it = of_.find(std::string(name.text));
    return it == of_.end() ? std::set<int>() : it->second;
  }
  // What a value points into: what is loaded or reduced does not point.
  std::set<int> roots_of(const Model& model, const TokenRange& value) const {
    std::set<int> roots;
    for (int i = value.first; i <= value.last; ++i) {
      const Token& t = model.token(i);
      const bool is_value = t.is("load") || t.is("tile") || t.is("dot") || t.is("sum") || t.is("max");
      if (is_value && model.is(i + 1, "(")) i = std::max(i, model.token(i + 1).partner);
      const bool is_read = model.is(i + 1, ".") && (model.is(i + 2, "load") || model.is(i + 2, "tile"));
      if (t.kind == TokenKind::name && !is_value && !is_read) roots.merge(roots_of(t));
    }
    return roots;
  }
  bool add(const std::string& name, const std::set<int>& roots) {
    if (roots.empty() || name.empty()) return false;
    std::set<int>& known = of_[name];
    const std::size_t before = known.size();
    known.insert(roots.begin(), roots.end());
    return known.size() > before;
  }
  // The functor and what it calls, directly or not: a name means nothing elsewhere.
  void find_callees() {
    used_ = {&functor_};
    for (bool grew = true; grew;) {
      grew = false;
      for (const Model* model : models_)
        for (const int name : model->calls({0, static_cast<int>(model->tokens().size()) - 1}))
          if (is_within(*model, name, true))
            for (const Model* other : models_)
              for (const Function& f : other->functions())
                if (!f.is_functor && model->token(name).is(f.name)) grew |= used_.insert(&f).second;
    }
  }
  bool is_within(const Model& model, int token, bool is_used) const {
    return std::ranges::any_of(model.functions(), [&](const Function& f) {
      return f.outer < 0 && used_.contains(&f) == is_used && f.body.contains(token);
    });
  }
  bool is_elsewhere(const Model& model, int token) const { return is_within(model, token, false); }

  bool follow_statements(const Model& model) {
    bool grew = false;
    for (const Statement& s : model.statements()) {
      if (s.tokens.is_empty() || is_elsewhere(model, s.tokens.first)) continue;
      for (const std::string& name : s.names) grew |= add(name, roots_of(model, s.value));
      if (model.is(s.tokens.first + 1, "=") || model.is(s.tokens.first + 1, "+="))
        grew |=
            add(std::string(model.token(s.tokens.first).text), roots_of(model, {s.tokens.first + 2, s.tokens.last}));
    }
    return grew;
  }
  bool follow_calls(const Model& model) {
    bool grew = false;
    for (const int name : calls(model)) {
      if (std::ranges::count(model.functions(), name + 1, &Function::opens)) continue;  // where it is defined
      const auto arguments = model.arguments(name);
      for (const Model* other : models_)
        for (const Function& f : other->functions())
          if (model.token(name).is(f.name) && !f.is_functor)
            for (std::size_t i = 0; i < std::min(arguments.size(), f.parameters.size()); ++i)
              grew |= add(f.parameters[i].name, roots_of(model, arguments[i]));
    }
    return grew;
  }
  void collect(const Model& model) {
    for (const int name : calls(model)) {
      const Token& t = model.token(name);
      const bool is_store = t.is("store") || t.text.starts_with("atomic_");
      if ((!is_store && !t.is("load") && !t.is("tile")) || !model.is_member(name)) continue;
      const auto arguments = model.arguments(name);
      const bool by_pointer = model.is(name - 2, "tl");  // else through a descriptor
      if (by_pointer && arguments.empty()) continue;
      const auto roots = by_pointer ? roots_of(model, arguments[0]) : roots_of(model.token(name - 2));
      const bool is_ordered = &model == &own_ && functor_.body.contains(name) && !is_in_named_lambda(model, name);
      if (!roots.empty()) accesses_.push_back({roots, is_store, is_ordered ? name : -1});
    }
  }
  std::vector<int> calls(const Model& model) const {
    auto all = model.calls({0, static_cast<int>(model.tokens().size()) - 1});
    std::erase_if(all, [&](int name) { return is_elsewhere(model, name); });
    return all;
  }
  static bool is_in_named_lambda(const Model& model, int token) {
    return std::ranges::any_of(model.functions(),
                               [&](const Function& f) { return f.outer >= 0 && f.body.contains(token); });
  }

  const std::vector<const Model*>& models_;
  const Model& own_;
  const Function& functor_;
  std::set<const Function*> used_;
  std::map<std::string, std::set<int>> of_;
  std::vector<PointerAccess> accesses_;
};

}  // namespace

std::vector<PointerAccess> pointer_accesses(const std::vector<const Model*>& models, const Model& own,
                                            const Function& functor, const std::set<int>& pointers) {
  return Follower(models, own, functor).run(pointers);
}

}  // namespace tl::text
