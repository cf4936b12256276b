#include "interp/debug/frames.h"

#include <algorithm>

namespace tl::debug {

void FrameFinder::run() {
  add_kernel();
  for (std::uint32_t s = 0; s < view_.steps(); ++s) {
    const Callee callee = callee_of(s);
    if (callee.function >= 0) {
      int on_stack = top_;
      while (on_stack >= 0 && !is_in(on_stack, callee)) on_stack = at(on_stack).parent;
      while (on_stack >= 0 && outer_turn(on_stack, s) >= 0) on_stack = outer_turn(on_stack, s);
      if (on_stack < 0) call(top_, callee, s);
      else if (!is_called_again(on_stack, s)) top_ = on_stack;
      else call(calls(on_stack, callee, Which::to_come) ? on_stack : at(on_stack).parent, callee, s);
    }
    Place& place = view_.places_[s];
    place.frame = top_;
    reach(top_, place.token, s);
    for (int f = top_; f >= 0; f = at(f).parent) frames_[static_cast<std::size_t>(f)].last = s;
  }
}

// An operator may stand before the call whose result it takes: the call is done all the same.
void FrameFinder::reach(int frame, int token, std::uint32_t step) {
  Reached& last = reached_[static_cast<std::size_t>(frame)];
  const SourceModel* const m = model(at(frame).file);
  if (m && last.token >= 0 && token >= 0 && m->statement_of(last.token) == m->statement_of(token))
    last.token = std::max(last.token, token);
  else last = {token, step};
}

void FrameFinder::add_kernel() {
  Frame kernel;
  for (std::uint32_t s = 0; s < view_.steps() && kernel.function < 0; ++s) {
    const SourceModel* const m = view_.model_of(s);
    for (std::size_t f = 0; m && f < m->functions().size(); ++f)
      if (m->functions()[f].is_functor && m->functions()[f].name == view_.kernel_)
        kernel.file = view_.step(s).site.file, kernel.function = static_cast<int>(f);
  }
  add(kernel);
}

void FrameFinder::add(const Frame& frame) {
  frames_.push_back(frame);
  reached_.push_back({});
}

FrameFinder::Callee FrameFinder::callee_of(std::uint32_t s) const {
  const SourceModel* const m = view_.model_of(s);
  const int statement = view_.places_[s].statement;
  return {view_.step(s).site.file,
          m && statement >= 0 ? m->statements()[static_cast<std::size_t>(statement)].function : -1};
}

// Its first op comes again, which no loop explains.
bool FrameFinder::is_called_again(int frame, std::uint32_t s) const {
  const Frame& f = at(frame);
  if (f.parent < 0 || !is_same_op(f.first, s)) return false;
  const Statement& first = view_.model_of(s)->statements()[static_cast<std::size_t>(view_.places_[f.first].statement)];
  return first.loop < 0 && first.lambda < 0;
}

// A function that calls itself, and an op that its innermost turn has done: the turn that it belongs to. -1: none.
int FrameFinder::outer_turn(int frame, std::uint32_t s) const {
  const Place& place = view_.places_[s];
  const SourceModel* const m = view_.model_of(s);
  const int last = reached(frame);
  const bool is_behind =
      place.token == last ? !view_.is_vague_[s] : place.token < last && m->statement_of(last) != place.statement;
  if (!is_behind || is_same_op(at(frame).first, s) ||
      m->statements()[static_cast<std::size_t>(place.statement)].loop >= 0)
    return -1;
  int f = at(frame).parent;
  while (f >= 0 && !is_in(f, {at(frame).file, at(frame).function})) f = at(f).parent;
  return f;
}

// ---- names
// -----------------------------------------------------------------------------------------------------------------

FrameFinder::Callee FrameFinder::meaning(int frame, std::string_view name) const {
  const SourceModel* const m = model(at(frame).file);
  if (!m) return {};
  const std::vector<Function>& functions = m->functions();
  for (int holder = frame; holder >= 0; holder = at(holder).outer) {
    const int around = at(holder).function;
    if (around < 0) break;
    const std::vector<Parameter>& parameters = functions[static_cast<std::size_t>(around)].parameters;
    for (std::size_t k = 0; k < parameters.size(); ++k)
      if (parameters[k].name == name) return given(holder, k);
    for (std::size_t f = 0; f < functions.size(); ++f)
      if (functions[f].outer == around && functions[f].name == name) return {at(frame).file, static_cast<int>(f)};
  }
  for (std::size_t file = 0; file < view_.sources_.size(); ++file) {
    const SourceModel* const other = model(static_cast<int>(file));
    for (std::size_t f = 0; other && f < other->functions().size(); ++f)
      if (other->functions()[f].outer < 0 && !other->functions()[f].is_functor && other->functions()[f].name == name)
        return {static_cast<int>(file), static_cast<int>(f)};
  }
  return {};
}

// The lambda that a frame's parameter is: one that the caller knows by name, or one written as the argument.
FrameFinder::Callee FrameFinder::given(int frame, std::size_t parameter) const {
  const Frame& f = at(frame);
  const SourceModel* const caller = f.parent >= 0 ? model(at(f.parent).file) : nullptr;
  if (!caller || f.call < 0) return {};
  const std::vector<TokenRange> arguments = caller->arguments(f.call);
  if (parameter >= arguments.size()) return {};
  const TokenRange& argument = arguments[parameter];
  if (argument.first == argument.last)
    return meaning(f.parent, caller->tokens()[static_cast<std::size_t>(argument.first)].text);
  for (std::size_t l = 0; l < caller->functions().size(); ++l)
    if (caller->functions()[l].outer == at(f.parent).function && argument.contains(caller->functions()[l].body))
      return {at(f.parent).file, static_cast<int>(l)};
  return {};
}

// ---- calls
// -----------------------------------------------------------------------------------------------------------------

std::vector<int> FrameFinder::calls_of(int frame, Which which) {
  const Frame& f = at(frame);
  const SourceModel* const m = model(f.file);
  if (!m || f.function < 0) return {};
  const auto [known, is_new] = calls_.try_emplace({f.file, f.function});
  if (is_new) known->second = m->calls_of(f.function);
  const int from = reached(frame), here = from >= 0 ? m->statement_of(from) : -1;
  std::vector<int> ahead, again, behind;
  for (const int call : known->second) {
    // Arguments stand after the name: a call in the statement just seen may be to come.
    const bool is_here =
        here >= 0 && call < from && m->statements()[static_cast<std::size_t>(here)].tokens.contains(call);
    const bool is_taken = is_here && std::any_of(frames_.begin(), frames_.end(), [&](const Frame& other) {
                            return other.parent == frame && other.call == call &&
                                   other.first >= reached_[static_cast<std::size_t>(frame)].since;
                          });
    bool is_in_loop = false;
    for (int s = m->statement_of(call); s >= 0 && !is_in_loop; s = m->statements()[static_cast<std::size_t>(s)].parent)
      is_in_loop = m->statements()[static_cast<std::size_t>(s)].loop >= 0 ||
                   m->statements()[static_cast<std::size_t>(s)].lambda >= 0;
    (call > from || (is_here && !is_taken) ? ahead : is_in_loop ? again : behind).push_back(call);
  }
  ahead.insert(ahead.end(), again.begin(), again.end());
  if (which == Which::all) ahead.insert(ahead.end(), behind.begin(), behind.end());
  return ahead;
}

bool FrameFinder::calls(int frame, const Callee& callee, Which which) {
  const std::vector<int> all = calls_of(frame, which);
  return std::any_of(all.begin(), all.end(), [&](int call) {
    return meaning(frame, model(at(frame).file)->tokens()[static_cast<std::size_t>(call)].text) == callee;
  });
}

bool FrameFinder::is_first_statement(int frame, int token) const {
  const SourceModel* const m = model(at(frame).file);
  int s = m->statement_of(token);
  while (s >= 0 && m->statements()[static_cast<std::size_t>(s)].parent >= 0)
    s = m->statements()[static_cast<std::size_t>(s)].parent;
  return s >= 0 && m->statements()[static_cast<std::size_t>(s)].tokens.first ==
                       m->functions()[static_cast<std::size_t>(at(frame).function)].body.first;
}

bool FrameFinder::enter(int caller, const Callee& callee, std::uint32_t step, Which which, int most_between) {
  const SourceModel* const m = model(at(caller).file);
  if (!m) return false;
  for (const int call : calls_of(caller, which)) {
    const Callee next = meaning(caller, m->tokens()[static_cast<std::size_t>(call)].text);
    if (next.function < 0 || (next != callee && most_between == 0)) continue;
    int outer = model(next.file)->functions()[static_cast<std::size_t>(next.function)].outer < 0 ? -1 : caller;
    while (outer >= 0 &&
           at(outer).function != model(next.file)->functions()[static_cast<std::size_t>(next.function)].outer)
      outer = at(outer).parent;
    const int added = static_cast<int>(frames_.size());
    add({caller, at(caller).depth + 1, next.file, next.function, call, step, step, outer});
    bool leads = next == callee;
    if (!leads) {
      const std::vector<int> inner = calls_of(added, Which::to_come);
      leads = !inner.empty() && is_first_statement(added, inner.front()) &&
              enter(added, callee, step, Which::to_come, most_between - 1);
    } else {
      top_ = added;
    }
    if (leads) {
      reach(caller, call, step);
      return true;
    }
    frames_.resize(static_cast<std::size_t>(added));
    reached_.resize(static_cast<std::size_t>(added));
  }
  return false;
}

// Of several who could have called: the one that goes on afterwards.
int FrameFinder::choose(const std::vector<int>& callers, std::uint32_t step, const Callee& callee) {
  std::uint32_t after = step;
  while (after < view_.steps() && callee_of(after) == callee) ++after;
  if (after == view_.steps() || callee_of(after).function < 0) return callers.front();
  const int token = view_.places_[after].token, statement = view_.places_[after].statement;
  for (const int caller : callers) {
    if (!is_in(caller, callee_of(after)) || is_called_again(caller, after)) continue;
    if (caller == callers.front()) return caller;
    const SourceModel* const m = model(at(caller).file);
    for (const int call : calls_of(caller, Which::to_come)) {
      const bool is_done_by_then =
          call < token || m->statements()[static_cast<std::size_t>(statement)].tokens.contains(call);
      if (is_done_by_then && meaning(caller, m->tokens()[static_cast<std::size_t>(call)].text) == callee) return caller;
    }
  }
  return callers.front();
}

void FrameFinder::call(int from, const Callee& callee, std::uint32_t step) {
  std::vector<int> callers;
  for (int f = from; f >= 0; f = at(f).parent)
    if (calls(f, callee, Which::to_come)) callers.push_back(f);
  if (!callers.empty() &&
      enter(callers.size() == 1 ? callers.front() : choose(callers, step, callee), callee, step, Which::to_come, 2))
    return;
  for (const Which which : {Which::to_come, Which::all})
    for (int f = from; f >= 0; f = at(f).parent)
      if (enter(f, callee, step, which, 2)) return;
  top_ = static_cast<int>(frames_.size());  // the text does not tell
  add({0, 1, callee.file, callee.function, -1, step, step, -1});
}

}  // namespace tl::debug
