#include "interp/debug/program_view.h"

#include <algorithm>
#include <map>

#include "interp/debug/scope_reader.h"
#include "interp/lang/text.h"

namespace tl::debug {

Sources::Sources(const trace::RecordedTrace& trace) {
  models_.resize(trace.files.size());
  for (std::size_t f = 0; f < trace.files.size(); ++f)
    for (const trace::SourceText& source : trace.sources)
      if (source.file == trace.files[f]) models_[f] = std::make_unique<SourceModel>(source.file, source.text);
}

ProgramView::ProgramView(const trace::RecordedTrace& trace, std::size_t program, const Sources& sources)
    : program_(trace.programs[program]),
      sources_(sources),
      kernel_(short_name(trace.launches[program_.launch].kernel)) {
  locate_ops();
  ScopeReader(*this).run();
  find_instances();
  settle_tokens();
}

void ProgramView::locate_ops() {
  std::map<std::tuple<int, int, int, trace::Op>, std::pair<int, int>> known;  // a loop repeats its locations
  locations_.resize(program_.steps.size());
  is_vague_.resize(program_.steps.size());
  for (std::uint32_t s = 0; s < steps(); ++s) {
    const trace::Step& step = program_.steps[s];
    const SourceModel* const model = model_of(s);
    if (!model) continue;
    const auto [at, is_new] = known.try_emplace({step.site.file, step.site.line, step.site.column, step.op});
    if (is_new) {
      const int token = model->token_at(step.site.line, step.site.column);
      at->second = {model->op_token(step.op, step.site.line, step.site.column), model->statement_of(token)};
    }
    locations_[s].token = at->second.first;
    locations_[s].statement = at->second.second;
    is_vague_[s] = at->second.first >= 0 && !model->is_op(step.op, at->second.first);
  }
}

// The op's own line where its token is known, else the line that the compiler named.
int ProgramView::line(std::uint32_t s) const {
  const SourceModel* const model = model_of(s);
  return model && locations_[s].token >= 0 ? model->token(locations_[s].token).line : step(s).site.line;
}

void ProgramView::settle_tokens() {
  std::map<trace::Op, std::size_t> seen;
  for (std::uint32_t s = 0; s < steps(); ++s) {
    if (starts_statement(s)) seen.clear();
    if (!is_vague_[s]) continue;
    const trace::Op op = step(s).op;
    if (const int token = model_of(s)->nth_token(op, locations_[s].statement, seen[op]++); token >= 0)
      locations_[s].token = token;
  }
}

void ProgramView::find_instances() {
  instance_.resize(program_.steps.size());
  std::uint32_t first = 0;
  for (std::uint32_t s = 1; s < steps(); ++s) {
    const OpLocation &a = locations_[s - 1], &b = locations_[s];
    const bool is_same = a.statement >= 0 ? a.statement == b.statement && a.frame == b.frame &&
                                                step(s).site.file == step(s - 1).site.file
                                          : step(s).site.line == step(s - 1).site.line;
    const bool is_again = !is_vague_[s] && step(s).site == step(first).site && step(s).op == step(first).op;
    instance_[s] = instance_[s - 1] + (is_same && !is_again ? 0 : 1);
    if (instance_[s] != instance_[s - 1]) first = s;
  }
}

int ProgramView::callee_at(std::uint32_t position, int frame) const {
  int f = frame_at(position), callee = -1;
  while (f >= 0 && f != frame) {
    callee = f;
    f = frames_[f].parent;
  }
  return f == frame ? callee : -1;
}

int ProgramView::frame_before_calls(std::uint32_t position) const {
  int f = frame_at(position);
  while (position < steps() && frames_[f].parent >= 0 && frames_[f].first == position) f = frames_[f].parent;
  return f;
}

OpLocation ProgramView::location_in(std::uint32_t position, int frame) const {
  if (position >= steps()) return {};
  if (frame == frame_at(position)) return locations_[position];
  const int callee = callee_at(position, frame);
  const SourceModel* const m = model_of_frame(frame);
  if (callee < 0 || !m) return {-1, -1, -1};
  const int call = frames_[callee].call;
  return {call, call < 0 ? -1 : m->statement_of(call), frame};
}

bool ProgramView::starts_statement(std::uint32_t position, int frame) const {
  if (position == 0) return true;
  const OpLocation here = location_in(position, frame), before = location_in(position - 1, frame);
  if (here.frame < 0) return false;
  if (before.frame < 0 || before.statement != here.statement || here.statement < 0) return true;
  return frame == frame_at(position) && frame == frame_at(position - 1) && starts_statement(position);
}

std::vector<int> ProgramView::frames_seen_from(int frame) const {
  std::vector<int> result;
  for (int f = frame; f >= 0; f = frames_[f].parent)
    for (int around = f; around >= 0; around = frames_[around].outer)
      if (std::ranges::find(result, around) == result.end()) result.push_back(around);
  return result;
}

std::int32_t ProgramView::value_at(const Variable& variable, std::uint32_t position) const {
  const auto after =
      std::ranges::upper_bound(variable.values, position, {},
                               &std::pair<std::uint32_t, std::int32_t>::first);  // they are in the order of their steps
  return after == variable.values.begin() ? -1 : std::prev(after)->second;
}

bool ProgramView::returns_value(int frame) const {
  const SourceModel* const m = model_of_frame(frame);
  const int function = frames_[frame].function;
  return m && function >= 0 && std::any_of(m->statements().begin(), m->statements().end(), [&](const Statement& s) {
           return s.kind == StatementKind::returns && s.function == function && s.lambda < 0 && !s.value.is_empty();
         });
}

std::vector<const Variable*> ProgramView::locals(std::uint32_t position, int frame) const {
  std::vector<const Variable*> result;
  // The end of a program is shown as its last op left it, before its variables were destroyed.
  const bool is_end = position == steps();
  for (const Variable& v : variables()) {
    const bool is_alive = v.begin <= position && (position < v.end || (is_end && v.end == position));
    if (v.frame != frame || !is_alive) continue;
    const auto same =
        std::find_if(result.begin(), result.end(), [&](const Variable* other) { return other->name == v.name; });
    if (same != result.end()) *same = &v;  // the inner of two
    else result.push_back(&v);
  }
  return result;
}

const Variable* ProgramView::visible(std::string_view name, std::uint32_t position, int frame) const {
  for (const int f : frames_seen_from(frame))
    for (const Variable* v : locals(position, f))
      if (v->name == name) return v;
  return nullptr;
}

std::string ProgramView::name_of(std::int32_t value, std::uint32_t position) const {
  for (const int frame : frames_seen_from(frame_at(position)))
    for (const Variable* v : locals(position, frame))
      if (value_at(*v, position) == value) return v->name;
  return "";
}

}  // namespace tl::debug
