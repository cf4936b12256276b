#include "interp/debug/naming.h"

#include <algorithm>

namespace tl::debug {

namespace {
constexpr std::uint32_t never = ~std::uint32_t{0};
}

Naming::Naming(const ProgramView& view) : view_(view), program_(view.program_) {
  made_at_.assign(program_.values.size(), never);
  for (std::uint32_t s = 0; s < view_.steps(); ++s)
    for (std::int32_t r : program_.results(program_.steps[s]))
      if (made_at_[static_cast<std::size_t>(r)] == never) made_at_[static_cast<std::size_t>(r)] = s;
  collect_lives();
  by_name_.resize(view_.frames_.size());
}

void Naming::collect_lives() {
  std::map<std::uint32_t, std::size_t> alive;
  for (const trace::VariableEvent& e : program_.variables) {
    const auto at = alive.find(e.object);
    if (e.value < 0) {
      if (at != alive.end()) {
        lives_[at->second].end = e.step;
        alive.erase(at);
      }
    } else if (at == alive.end()) {
      alive[e.object] = lives_.size();
      lives_.push_back({e.object, e.step, view_.steps() + 1, {{e.step, e.value}}, false});
    } else {
      lives_[at->second].values.push_back({e.step, e.value});
    }
  }
}

std::vector<Variable> Naming::run() {
  name_results(false);
  name_parameters();
  name_lambda_parameters();
  name_copies();
  name_parameters();  // of helpers that are given copies
  name_results(true);
  std::stable_sort(variables_.begin(), variables_.end(),
                   [](const Variable& a, const Variable& b) { return a.begin < b.begin; });
  add_aliases();
  return std::move(variables_);
}

void Naming::give_name(Life& life, const std::string& name, int frame, bool is_parameter) {
  life.is_named = true;
  by_name_[static_cast<std::size_t>(frame)][name].emplace(life.begin, variables_.size());
  variables_.push_back({name, frame, life.object, life.begin, life.end, is_parameter, life.values});
}

// Does a step belong to the execution of a statement: as its own op, a lambda's in it, or a callee's?
bool Naming::is_within(std::uint32_t step, const SourceModel* m, int statement_index, int frame) const {
  int f = view_.place(step).frame;
  int s = view_.place(step).statement;
  const SourceModel* model = view_.model_of(step);
  while (f != frame) {
    const Frame& callee = view_.frames_[static_cast<std::size_t>(f)];
    if (callee.parent < 0) return false;
    model = model_of_frame(callee.parent);
    s = model && callee.call >= 0 ? model->statement_of(callee.call) : -1;
    f = callee.parent;
  }
  if (model != m) return false;
  while (s >= 0 && s != statement_index) s = model->statements()[static_cast<std::size_t>(s)].parent;
  return s == statement_index;
}

Naming::Instance Naming::instance_around(std::uint32_t step, const SourceModel* m, int s, int frame) const {
  Instance result{s, frame, step, step + 1};
  const auto is_same_op = [&](std::uint32_t a, std::uint32_t b) {
    return program_.steps[a].site == program_.steps[b].site && program_.steps[a].op == program_.steps[b].op &&
           !view_.is_vague_[a] && view_.place(a).frame == view_.place(b).frame;
  };
  while (result.first > 0 && is_within(result.first - 1, m, s, frame) && !view_.starts_statement(result.first))
    --result.first;
  // Across nested statements: back to the statement's own start, or to where its first op comes again.
  while (result.first > 0 && is_within(result.first - 1, m, s, frame)) {
    if (view_.place(result.first).frame == frame && view_.place(result.first).statement == s &&
        view_.place(result.first - 1).statement == s && view_.starts_statement(result.first))
      break;
    --result.first;
  }
  while (result.end < view_.steps() && is_within(result.end, m, s, frame) && !is_same_op(result.end, result.first))
    ++result.end;
  return result;
}

bool Naming::is_made_within(std::int32_t value, std::uint32_t first, std::uint32_t end) const {
  const std::uint32_t at = made_at_[static_cast<std::size_t>(value)];
  return at != never && at >= first && at < end;
}

// `auto x = op(...)`: the object that took the statement's value and is still there when the statement is over.
void Naming::name_results(bool may_die_with_statement) {
  std::map<Instance, std::vector<Life*>> bindings;
  for (Life& life : lives_) {
    if (life.is_named || life.begin == 0 || life.begin > view_.steps()) continue;
    const std::uint32_t op = life.begin - 1;
    int frame = view_.place(op).frame;
    int s = view_.place(op).statement;
    const SourceModel* m = view_.model_of(op);
    while (m && !life.is_named) {
      const Statement* const here = statement(m, s);
      if (!here) {  // nothing here gave it a name: perhaps the statement that called
        const Frame& f = view_.frames_[static_cast<std::size_t>(frame)];
        if (f.parent < 0 || f.call < 0) break;
        m = model_of_frame(f.parent);
        s = m ? m->statement_of(f.call) : -1;
        frame = f.parent;
        if (s < 0) break;
        continue;
      }
      const bool is_returned =
          frame > 0 && life.end > view_.frames_[static_cast<std::size_t>(frame)].last + 1;  // it was returned
      if (is_returned &&
          here->names.size() == 1) {  // the caller's variable all along: while the call lasts, also this one
        const Instance instance = instance_around(op, m, s, frame);
        if (is_made_within(life.first_value(), instance.first, instance.end) &&
            taken_[instance].insert(here->names[0]).second) {
          Life here_alone = life;
          here_alone.end = view_.frames_[static_cast<std::size_t>(frame)].last + 1;
          give_name(here_alone, here->names[0], frame);
        }
      } else if (!here->names.empty() && !is_returned) {
        const Instance instance = instance_around(op, m, s, frame);
        const bool outlives = life.end > instance.end || (may_die_with_statement && life.end == instance.end);
        if (!outlives) break;
        if (is_made_within(life.first_value(), instance.first, instance.end)) {
          const bool is_last =
              !may_die_with_statement || made_at_[static_cast<std::size_t>(life.first_value())] + 1 == instance.end;
          if (here->names.size() > 1) {
            bindings[instance].push_back(&life);
            break;
          }
          if (is_last && taken_[instance].insert(here->names[0]).second) give_name(life, here->names[0], frame);
          break;
        }
      }
      s = here->parent;
    }
  }
  for (auto& [instance, lives] : bindings) name_bindings(instance, lives);
}

// `auto [a, b] = ...`: by the results' order, or by what the helper's `return tl.tuple(a, b)` named.
void Naming::name_bindings(const Instance& instance, std::vector<Life*> lives) {
  const SourceModel* const m = model_of_frame(instance.frame);
  const std::vector<std::string>& names = statement(m, instance.statement)->names;
  std::vector<std::int32_t> expected;
  const auto results = program_.results(program_.steps[instance.end - 1]);
  if (results.size() == names.size()) expected.assign(results.begin(), results.end());
  for (std::uint32_t s = instance.end; expected.empty() && s-- > instance.first;) {
    const int frame = view_.place(s).frame;
    const SourceModel* const callee = view_.model_of(s);
    if (!callee || view_.place(s).statement < 0) continue;
    const int function = statement(callee, view_.place(s).statement)->function;
    for (const Statement& r : callee->statements()) {
      if (r.kind != StatementKind::returns || r.lambda >= 0 || r.function != function) continue;
      for (int token = r.value.first; token <= r.value.last && expected.empty(); ++token) {
        const std::vector<TokenRange> pieces = callee->tokens()[static_cast<std::size_t>(token)].is("tuple")
                                                   ? callee->arguments(token)
                                                   : std::vector<TokenRange>();
        if (pieces.size() != names.size()) continue;
        for (const TokenRange& piece : pieces) expected.push_back(value_of(callee, piece, frame, instance.end));
      }
    }
  }
  for (std::size_t k = 0; k < names.size(); ++k) {
    for (Life* life : lives) {
      const bool fits =
          expected.empty() ? lives.size() == names.size() && life == lives[k] : life->first_value() == expected[k];
      if (!fits || life->is_named || !taken_[instance].insert(names[k]).second) continue;
      give_name(*life, names[k], instance.frame);
    }
  }
  // One name left, whose piece died as the helper returned: it takes the value that no other has.
  std::vector<std::size_t> left;
  for (std::size_t k = 0; k < names.size(); ++k)
    if (!taken_[instance].contains(names[k])) left.push_back(k);
  if (left.size() != 1 || expected.size() != names.size()) return;
  for (Life* life : lives) {
    if (life->is_named || std::find(expected.begin(), expected.end(), life->first_value()) != expected.end()) continue;
    if (taken_[instance].insert(names[left[0]]).second) give_name(*life, names[left[0]], instance.frame);
  }
}

// Of the variables of that name that live there, the last to begin.
std::int32_t Naming::value_of_name(std::string_view name, int frame, std::uint32_t position) const {
  for (; frame >= 0; frame = view_.frames_[static_cast<std::size_t>(frame)].outer) {
    const auto& names = by_name_[static_cast<std::size_t>(frame)];
    const auto named = names.find(name);
    if (named == names.end()) continue;
    for (auto at = named->second.upper_bound(position); at != named->second.begin();) {
      const Variable& v = variables_[(--at)->second];
      if (position <= v.end) return view_.value_at(v, position);
    }
  }
  return -1;
}

std::int32_t Naming::value_of(const SourceModel* m, const TokenRange& expression, int frame,
                              std::uint32_t before) const {
  if (expression.is_empty()) return -1;
  if (expression.first == expression.last)
    return value_of_name(m->tokens()[static_cast<std::size_t>(expression.first)].text, frame, before);
  for (std::uint32_t s = before; s-- > 0;) {
    int f = view_.place(s).frame, token = view_.place(s).token;
    while (f != frame && f >= 0) {
      token = view_.frames_[static_cast<std::size_t>(f)].call;
      f = view_.frames_[static_cast<std::size_t>(f)].parent;
    }
    if (f != frame) return -1;
    if (!expression.contains(token)) {
      if (before - s > 64) return -1;
      continue;
    }
    const auto results = program_.results(program_.steps[s]);
    return results.empty() ? -1 : results[0];
  }
  return -1;
}

// By-value parameters of helpers: copies made between the call's arguments and the callee's first op.
void Naming::name_parameters() {
  for (std::size_t index = 1; index < view_.frames_.size(); ++index) {
    const Frame& f = view_.frames_[index];
    const SourceModel* const caller = model_of_frame(f.parent);
    const SourceModel* const callee = view_.sources_.model(f.file);
    if (!caller || !callee || f.call < 0) continue;
    const std::vector<Parameter>& parameters = callee->functions()[static_cast<std::size_t>(f.function)].parameters;
    const std::vector<TokenRange> arguments = caller->arguments(f.call);
    const int call_statement = caller->statement_of(f.call);
    std::uint32_t from = f.first;
    while (from > 0 && is_within(from - 1, caller, call_statement, f.parent) && view_.place(from - 1).frame == f.parent)
      --from;
    for (std::size_t k = 0; k < parameters.size() && k < arguments.size(); ++k) {
      if (parameters[k].is_reference) continue;
      const std::int32_t expected = value_of(caller, arguments[k], f.parent, f.first);
      if (expected < 0) continue;
      auto at = std::lower_bound(lives_.begin(), lives_.end(), from,
                                 [](const Life& life, std::uint32_t step) { return life.begin < step; });
      for (; at != lives_.end() && at->begin <= f.first; ++at) {
        Life& life = *at;
        if (life.is_named || life.end <= f.first || life.first_value() != expected) continue;
        give_name(life, parameters[k].name, static_cast<int>(index), true);
        break;
      }
    }
  }
}

// Does a step stand in a lambda's body, or in one within it?
bool Naming::is_in_lambda(std::uint32_t step, const SourceModel* m, int lambda, int frame) const {
  if (view_.place_in(step, frame).frame != frame || view_.model_of_frame(frame) != m) return false;
  for (int s = view_.place_in(step, frame).statement; s >= 0; s = statement(m, s)->parent)
    if (statement(m, s)->lambda == lambda) return true;
  return false;
}

// Parameters of lambdas: what was staged, as tl.pipelined hands it on; the loop's counter; a reduction's two sides.
void Naming::name_lambda_parameters() {
  std::uint32_t done = never;
  for (std::size_t first = 0; first < lives_.size(); ++first) {
    const std::uint32_t begin = lives_[first].begin;
    if (begin >= view_.steps()) break;
    if (begin == done) continue;
    done = begin;
    std::vector<Life*> group;  // last born first: a parameter is made after what it is copied from
    for (std::size_t i = first; i < lives_.size() && lives_[i].begin == begin; ++i)
      if (!lives_[i].is_named && lives_[i].end > begin) group.insert(group.begin(), &lives_[i]);
    int frame = view_.place(begin).frame, s = view_.place(begin).statement;
    const SourceModel* m = view_.model_of(begin);
    while (m && s >= 0 && !group.empty()) {
      const Statement& here = m->statements()[static_cast<std::size_t>(s)];
      if (here.lambda >= 0 && !m->lambdas()[static_cast<std::size_t>(here.lambda)].parameters.empty()) {
        const Lambda& lambda = m->lambdas()[static_cast<std::size_t>(here.lambda)];
        const bool was_inside = begin > 0 && is_in_lambda(begin - 1, m, here.lambda, frame);
        if (was_inside) break;
        std::span<const std::int32_t> staged;
        if (begin > 0 && program_.steps[begin - 1].op == trace::Op::pipelined)
          staged = program_.operands(program_.steps[begin - 1]);
        for (std::size_t k = 0; k < lambda.parameters.size(); ++k) {
          for (std::size_t i = 0; i < group.size(); ++i) {
            if (staged.size() == lambda.parameters.size() && group[i]->first_value() != staged[k]) continue;
            give_name(*group[i], lambda.parameters[k].name, frame, true);
            group.erase(group.begin() + static_cast<std::ptrdiff_t>(i));
            break;
          }
        }
        break;
      }
      s = here.parent;
    }
  }
}

namespace {

// `x` alone, what a branch returns, one side of a choice: a name that may be all of what a declaration copies.
bool is_whole_value(const SourceModel& m, const TokenRange& value, int token) {
  const auto is_one_of = [&](int at, std::initializer_list<std::string_view> texts) {
    return std::any_of(texts.begin(), texts.end(),
                       [&](std::string_view text) { return m.tokens()[static_cast<std::size_t>(at)].is(text); });
  };
  return (token == value.first || is_one_of(token - 1, {"return", "?", ":"})) &&
         (token == value.last || is_one_of(token + 1, {";", "?", ":"}));
}

}  // namespace

// `auto y = x` has no op: look between the ops around it for a declaration that mentions who holds the value.
void Naming::name_copies() {
  for (Life& life : lives_) {
    if (life.is_named || life.end <= life.begin || view_.steps() == 0) continue;
    const std::uint32_t next = std::min(life.begin, view_.steps() - 1);
    const std::uint32_t previous = life.begin > 0 ? life.begin - 1 : 0;
    std::vector<int> frames;  // that run before or after the copy, and their callers
    for (const std::uint32_t around : {previous, next})
      for (int f = view_.place(around).frame; f >= 0; f = view_.frames_[static_cast<std::size_t>(f)].parent)
        if (std::find(frames.begin(), frames.end(), f) == frames.end()) frames.push_back(f);
    for (const int frame : frames) {
      const SourceModel* const m = model_of_frame(frame);
      if (!m || life.is_named) continue;
      const Place before = view_.place_in(previous, frame), after = view_.place_in(next, frame);
      const bool both = before.frame == frame && after.frame == frame;
      const int low = before.frame == frame ? before.token : -1;
      const int high = after.frame == frame && life.begin < view_.steps() ? after.token : 1 << 30;
      for (std::size_t s = 0; s < m->statements().size() && !life.is_named; ++s) {
        const Statement& here = m->statements()[s];
        if (here.names.size() != 1 || here.value.is_empty() ||
            here.function != view_.frames_[static_cast<std::size_t>(frame)].function)
          continue;
        const bool lies_between = !both || low < high ? here.tokens.first > low && here.tokens.last < high
                                                      : here.tokens.first > low || here.tokens.last < high;
        if (!lies_between) continue;
        for (int token = here.value.first; token <= here.value.last; ++token) {
          if (!is_whole_value(*m, here.value, token)) continue;
          if (value_of_name(m->tokens()[static_cast<std::size_t>(token)].text, frame, life.begin) != life.first_value())
            continue;
          if (taken_[{static_cast<int>(s), frame, life.begin, life.begin}].insert(here.names[0]).second)
            give_name(life, here.names[0], frame);
          break;
        }
      }
    }
  }
}

// `auto& acc` of a helper: the caller's variable under the helper's name, while the call lasts.
void Naming::add_aliases() {
  for (std::size_t index = 1; index < view_.frames_.size(); ++index) {
    const Frame& f = view_.frames_[index];
    const SourceModel* const caller = model_of_frame(f.parent);
    const SourceModel* const callee = view_.sources_.model(f.file);
    if (!caller || !callee || f.call < 0) continue;
    const std::vector<Parameter>& parameters = callee->functions()[static_cast<std::size_t>(f.function)].parameters;
    const std::vector<TokenRange> arguments = caller->arguments(f.call);
    for (std::size_t k = 0; k < parameters.size() && k < arguments.size(); ++k) {
      if (!parameters[k].is_reference) continue;
      const std::string name = caller->text_of(arguments[k]);
      for (std::size_t v = variables_.size(); v-- > 0;) {
        if (variables_[v].frame != f.parent || variables_[v].name != name || variables_[v].begin > f.first ||
            variables_[v].end <= f.first)
          continue;
        Variable alias = variables_[v];
        alias.name = parameters[k].name;
        alias.frame = static_cast<int>(index);
        alias.begin = f.first;
        alias.end = std::min(alias.end, f.last + 1);
        alias.is_parameter = true;
        variables_.push_back(std::move(alias));
        break;
      }
    }
  }
}

}  // namespace tl::debug
