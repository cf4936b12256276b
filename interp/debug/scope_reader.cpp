#include "interp/debug/scope_reader.h"

#include <algorithm>

namespace tl::debug {

using trace::VariableChange;
using trace::VariableEvent;

ScopeReader::ScopeReader(ProgramView& view) : view_(view), program_(view.program_) {}

// The kernel's scope is the first that a run tells. Where its text tells none, its name says which function it is.
Frame ScopeReader::kernel_frame() const {
  Frame kernel;
  const auto is_kernel = [&](int file, int function) {
    const Function& f = model(file)->functions()[function];
    return f.is_functor && f.name == view_.kernel_;
  };
  const auto first = std::ranges::find(program_.variables, VariableChange::scope_begins, &VariableEvent::change);
  if (first != program_.variables.end()) {
    const FunctionId told = function_that_begins(program_.scopes[first->index].body);
    if (told.function >= 0 && is_kernel(told.file, told.function)) {
      kernel.file = told.file;
      kernel.function = told.function;
    }
  }
  for (int file = 0; file < static_cast<int>(view_.sources_.size()) && kernel.function < 0; ++file)
    for (int f = 0; model(file) && f < static_cast<int>(model(file)->functions().size()) && kernel.function < 0; ++f)
      if (is_kernel(file, f)) {
        kernel.file = file;
        kernel.function = f;
      }
  return kernel;
}

void ScopeReader::run() {
  open_.push_back({add(kernel_frame()), {}});
  std::uint32_t step = 0;
  for (const VariableEvent& e : program_.variables) {
    while (step < e.step && step < view_.steps()) assign_frame(step++);
    if (e.change == VariableChange::assigned) assign(e);
    else if (e.change == VariableChange::named) name(e);
    else if (e.change == VariableChange::scope_begins) begin_scope(program_.scopes[e.index], e.step);
    else if (e.change == VariableChange::scope_ends && open_.size() > 1) {
      if (view_.failed_ == 0 && e.step == view_.steps() && fails_within(top())) view_.failed_ = top();
      end_scope(e.step);
    } else if (e.change == VariableChange::forgotten) {
      for (const std::size_t v : objects_[e.object].names)
        view_.variables_[v].end = std::min(view_.variables_[v].end, e.step);
      objects_.erase(e.object);
    }
  }
  while (step < view_.steps()) assign_frame(step++);
  // A parameter that the kernel never assigns is shown with the arguments.
  std::erase_if(view_.variables_,
                [](const Variable& v) { return v.frame == 0 && v.is_parameter && v.values.size() < 2; });
}

// ---- calls

int ScopeReader::top() const {
  for (std::size_t i = open_.size(); i-- > 0;)
    if (open_[i].frame >= 0) return open_[i].frame;
  return 0;
}

int ScopeReader::add(const Frame& frame) {
  view_.frames_.push_back(frame);
  has_steps_.push_back(false);
  return static_cast<int>(view_.frames_.size()) - 1;
}

ScopeReader::FunctionId ScopeReader::function_of(std::uint32_t step) const {
  const SourceModel* const m = view_.model_of(step);
  const int statement = view_.locations_[step].statement;
  if (!m || statement < 0) return {};
  return {view_.step(step).site.file, m->statements()[statement].function};
}

ScopeReader::FunctionId ScopeReader::function_that_begins(const trace::RecordedSite& at) const {
  const SourceModel* const m = at.line > 0 ? model(at.file) : nullptr;
  return {at.file, m ? m->function_at(at.line, at.column) : -1};
}

// For an op whose text declares no scopes: its function is known, its caller is not.
void ScopeReader::assign_frame(std::uint32_t step) {
  const FunctionId function = function_of(step);
  int f = top();
  if (function.function < 0 || function == FunctionId{frame(f).file, frame(f).function}) {
    guessed_ = -1;
  } else {
    const bool goes_on = guessed_ >= 0 && frame(guessed_).parent == f &&
                         function == FunctionId{frame(guessed_).file, frame(guessed_).function};
    if (!goes_on) guessed_ = add({f, frame(f).depth + 1, function.file, function.function, -1, step, step, -1});
    f = guessed_;
  }
  view_.locations_[step].frame = f;
  for (; f >= 0; f = frame(f).parent) {
    if (!has_steps_[f]) frame(f).first = step;
    has_steps_[f] = true;
    frame(f).last = step;
  }
}

// Is its function where the fault that ended the program stands?
bool ScopeReader::fails_within(int f) {
  const SourceModel* const m = model(frame(f).file);
  if (!m || frame(f).function < 0) return false;
  const TokenRange& body = m->functions()[frame(f).function].body;
  return std::ranges::any_of(program_.faults, [&](const trace::RecordedFault& fault) {
    const Site& site = fault.fault.site;
    return fault.step == view_.steps() && site.file && m->file() == site.file &&
           body.contains(m->token_at(site.line, site.column));
  });
}

void ScopeReader::begin_scope(const trace::RecordedScope& scope, std::uint32_t step) {
  const int function = function_that_begins(scope.body).function;
  if (function < 0) return open_.push_back({});
  guessed_ = -1;
  const std::string& callee = model(scope.body.file)->functions()[function].name;
  const bool is_kernel = frame(0).file == scope.body.file && frame(0).function == function && open_.size() == 1;
  if (is_kernel) return open_.push_back({0, {}});
  Frame f{top(), frame(top()).depth + 1, scope.body.file, function, call_token(scope.call, callee), step, step, -1};
  f.outer = outer_of(f);
  open_.push_back({add(f), {}});
}

// Compilers locate a call at its name or at a bracket of its arguments.
int ScopeReader::call_token(const trace::RecordedSite& call, const std::string& callee) const {
  const int caller = top();
  const SourceModel* const m = model(call.file);
  if (call.line <= 0 || !m || call.file != view_.frames_[caller].file) return -1;
  int token = m->token_at(call.line, call.column);
  if (token < 0) return -1;
  if (m->is(token, ")") && m->token(token).partner >= 0) token = m->token(token).partner;
  if (m->is(token, "(") && token > 0) --token;
  if (m->token(token).kind == TokenKind::name && m->is(token + 1, "(")) return token;
  const int statement = m->statement_of(token);
  if (statement < 0) return token;
  for (const int name : m->calls(m->statements()[statement].tokens))
    if (m->token(name).is(callee)) return name;
  return token;
}

// A lambda's frame: the innermost one of the function that it stands in.
int ScopeReader::outer_of(const Frame& f) const {
  const int outer = model(f.file)->functions()[f.function].outer;
  for (int around = outer < 0 ? -1 : f.parent; around >= 0; around = view_.frames_[around].parent)
    if (const Frame& a = view_.frames_[around]; a.file == f.file && a.function == outer) return around;
  return -1;
}

// ---- names

void ScopeReader::end_scope(std::uint32_t step) {
  for (const std::size_t v : open_.back().variables) {
    Variable& variable = view_.variables_[v];
    variable.end = std::min(variable.end, step);
    if (const auto object = objects_.find(variable.object); object != objects_.end())
      std::erase(object->second.names, v);
  }
  open_.pop_back();
}

void ScopeReader::assign(const VariableEvent& e) {
  Object& object = objects_[e.object];
  object.value = e.index;
  for (const std::size_t v : object.names) view_.variables_[v].values.emplace_back(e.step, e.index);
}

void ScopeReader::name(const VariableEvent& e) {
  Variable v{program_.texts[e.index], top(), e.object, e.step, view_.steps() + 1, false, {}};
  const Frame& f = frame(v.frame);
  if (const SourceModel* const m = f.function >= 0 && open_.back().frame >= 0 ? model(f.file) : nullptr) {
    const std::vector<Parameter>& parameters = m->functions()[f.function].parameters;
    v.is_parameter = std::ranges::find(parameters, v.name, &Parameter::name) != parameters.end();
  }
  open_.back().variables.push_back(view_.variables_.size());
  if (const auto object = objects_.find(e.object); object != objects_.end()) {
    if (object->second.value >= 0) v.values.emplace_back(e.step, object->second.value);
    object->second.names.push_back(view_.variables_.size());
  }
  view_.variables_.push_back(std::move(v));
}

}  // namespace tl::debug
