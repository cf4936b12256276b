#include "interp/text/stored_parameters.h"

#include <algorithm>
#include <map>

namespace tl::text {

namespace {

class Follower {
 public:
  Follower(const Model& model, const Function& functor) : model_(model), functor_(functor) {}

  std::set<int> run(const std::set<int>& pointers) {
    find_callees();
    for (const int i : pointers) of_[functor_.parameters[static_cast<std::size_t>(i)].name].insert(i);
    for (bool grew = true; grew;) {
      grew = follow_statements();
      grew |= follow_calls();
    }
    std::set<int> stored;
    for (const int name : calls()) {
      const auto arguments = model_.arguments(name);
      if (!model_.is_member(name) ||
          !(model_.token(name).is("store") || model_.token(name).text.starts_with("atomic_")))
        continue;
      const bool by_pointer = model_.is(name - 2, "tl");  // else through a descriptor
      if (!by_pointer || !arguments.empty())
        stored.merge(by_pointer ? roots_of(arguments[0]) : roots_of(model_.token(name - 2)));
    }
    return stored;
  }

 private:
  std::set<int> roots_of(const Token& name) const {
    const auto it = of_.find(std::string(name.text));
    return it == of_.end() ? std::set<int>() : it->second;
  }
  // The parameters that a value points into: what is loaded or reduced does not point.
  std::set<int> roots_of(const TokenRange& value) const {
    std::set<int> roots;
    for (int i = value.first; i <= value.last; ++i) {
      const Token& t = model_.token(i);
      const bool is_value = t.is("load") || t.is("tile") || t.is("dot") || t.is("sum") || t.is("max");
      if (is_value && model_.is(i + 1, "(")) i = std::max(i, model_.token(i + 1).partner);
      const bool is_read = model_.is(i + 1, ".") && (model_.is(i + 2, "load") || model_.is(i + 2, "tile"));
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
      for (const int name : all_calls())
        if (is_within(name, true))
          for (const Function& f : model_.functions())
            if (!f.is_functor && model_.token(name).is(f.name)) grew |= used_.insert(&f).second;
    }
  }
  bool is_within(int token, bool is_used) const {
    return std::ranges::any_of(model_.functions(), [&](const Function& f) {
      return f.outer < 0 && used_.contains(&f) == is_used && f.body.contains(token);
    });
  }
  bool is_elsewhere(int token) const { return is_within(token, false); }

  bool follow_statements() {
    bool grew = false;
    for (const Statement& s : model_.statements()) {
      if (s.tokens.is_empty() || is_elsewhere(s.tokens.first)) continue;
      for (const std::string& name : s.names) grew |= add(name, roots_of(s.value));
      if (model_.is(s.tokens.first + 1, "=") || model_.is(s.tokens.first + 1, "+="))
        grew |= add(std::string(model_.token(s.tokens.first).text), roots_of({s.tokens.first + 2, s.tokens.last}));
    }
    return grew;
  }
  bool follow_calls() {
    bool grew = false;
    for (const int name : calls()) {
      if (std::ranges::count(model_.functions(), name + 1, &Function::opens)) continue;  // where it is defined
      const auto arguments = model_.arguments(name);
      for (const Function& f : model_.functions())
        if (model_.token(name).is(f.name) && !f.is_functor)
          for (std::size_t i = 0; i < std::min(arguments.size(), f.parameters.size()); ++i)
            grew |= add(f.parameters[i].name, roots_of(arguments[i]));
    }
    return grew;
  }
  std::vector<int> all_calls() const { return model_.calls({0, static_cast<int>(model_.tokens().size()) - 1}); }
  std::vector<int> calls() const {
    auto all = all_calls();
    std::erase_if(all, [&](int name) { return is_elsewhere(name); });
    return all;
  }

  const Model& model_;
  const Function& functor_;
  std::set<const Function*> used_;
  std::map<std::string, std::set<int>> of_;
};

}  // namespace

std::set<int> stored_parameters(const Model& model, const Function& functor, const std::set<int>& pointers) {
  return Follower(model, functor).run(pointers);
}

}  // namespace tl::text
