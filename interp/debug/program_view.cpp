#include "interp/debug/program_view.h"

#include <algorithm>
#include <map>

#include "interp/debug/naming.h"

namespace tl::debug {

Sources::Sources(const trace::RecordedTrace& trace) {
  models_.resize(trace.files.size());
  for (std::size_t f = 0; f < trace.files.size(); ++f)
    for (const trace::SourceText& source : trace.sources)
      if (source.file == trace.files[f]) models_[f] = std::make_unique<SourceModel>(source.file, source.text);
}

std::string short_name(const std::string& qualified) {
  const std::size_t at = qualified.rfind("::");
  return at == std::string::npos ? qualified : qualified.substr(at + 2);
}

ProgramView::ProgramView(const trace::RecordedTrace& trace, std::size_t program, const Sources& sources)
    : program_(trace.programs[program]),
      sources_(sources),
      kernel_(short_name(trace.launches[static_cast<std::size_t>(program_.launch)].kernel)) {
  place_steps();
  find_frames();
  find_instances();
  settle_tokens();
}

const std::vector<Variable>& ProgramView::variables() const {
  if (!variables_) variables_ = Naming(*this).run();
  return *variables_;
}

void ProgramView::place_steps() {
  std::map<std::tuple<int, int, int, trace::Op>, std::pair<int, int>> known;  // a loop asks for the same places again and again
  places_.resize(program_.steps.size());
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
    places_[s].token = at->second.first;
    places_[s].statement = at->second.second;
    is_vague_[s] = at->second.first >= 0 && !model->is_op(step.op, at->second.first);
  }
}

// Ops of one statement with one place: g++ evaluates arguments from the last to the first, so the first such op is the last in the text.
int ProgramView::line(std::uint32_t s) const {
  const SourceModel* const model = model_of(s);
  return model && places_[s].token >= 0 ? model->tokens()[static_cast<std::size_t>(places_[s].token)].line : step(s).site.line;
}

void ProgramView::settle_tokens() {
  std::map<trace::Op, std::size_t> seen;
  for (std::uint32_t s = 0; s < steps(); ++s) {
    if (starts_statement(s)) seen.clear();
    if (!is_vague_[s]) continue;
    const std::vector<int> candidates = model_of(s)->op_tokens(step(s).op, places_[s].statement);
    if (!candidates.empty()) places_[s].token = candidates[candidates.size() - 1 - seen[step(s).op]++ % candidates.size()];
  }
}

// Calls are not recorded: an op in another function tells of a call or a return, and so does a function's first op when it comes again.
void ProgramView::find_frames() {
  frames_.push_back({});
  const auto function_of = [&](std::uint32_t s) {
    const SourceModel* const m = model_of(s);
    return m && places_[s].statement >= 0 ? m->statements()[static_cast<std::size_t>(places_[s].statement)].function : -1;
  };
  for (std::uint32_t s = 0; s < steps() && frames_[0].function < 0; ++s) {
    const SourceModel* const m = model_of(s);
    for (std::size_t f = 0; m && f < m->functions().size(); ++f)
      if (m->functions()[f].is_functor && m->functions()[f].name == kernel_) frames_[0].file = step(s).site.file, frames_[0].function = static_cast<int>(f);
  }
  std::vector<int> reached = {-1};  // the last token each frame was seen at
  const auto calls_in = [&](int frame, int file, int function) {
    const Frame& f = frames_[static_cast<std::size_t>(frame)];
    const SourceModel* const caller = sources_.model(f.file);
    const SourceModel* const callee = sources_.model(file);
    if (!caller || !callee || f.function < 0) return std::vector<int>();
    return caller->calls(callee->functions()[static_cast<std::size_t>(function)].name, caller->functions()[static_cast<std::size_t>(f.function)].body);
  };
  const auto is_same_op = [&](std::uint32_t a, std::uint32_t b) { return step(a).site == step(b).site && step(a).op == step(b).op; };
  const auto is_repeated_call = [&](int frame, std::uint32_t s) {
    const Frame& f = frames_[static_cast<std::size_t>(frame)];
    if (f.parent < 0 || !is_same_op(f.first, s)) return false;
    const Statement& first = model_of(s)->statements()[static_cast<std::size_t>(places_[f.first].statement)];
    return first.loop < 0 && first.lambda < 0;
  };

  int top = 0;
  for (std::uint32_t s = 0; s < steps(); ++s) {
    const int file = step(s).site.file, function = function_of(s);
    const auto is_in = [&](int frame) {
      return frames_[static_cast<std::size_t>(frame)].file == file && frames_[static_cast<std::size_t>(frame)].function == function;
    };
    if (function >= 0 && (!is_in(top) || is_repeated_call(top, s))) {
      int target = is_in(top) ? -1 : top;  // a frame on the stack that this op belongs to?
      while (target >= 0 && !is_in(target)) target = frames_[static_cast<std::size_t>(target)].parent;
      if (target >= 0) {
        top = target;
      } else {
        int caller = is_in(top) ? frames_[static_cast<std::size_t>(top)].parent : top;
        while (frames_[static_cast<std::size_t>(caller)].parent >= 0 && calls_in(caller, file, function).empty())
          caller = frames_[static_cast<std::size_t>(caller)].parent;
        Frame f{caller, frames_[static_cast<std::size_t>(caller)].depth + 1, file, function, -1, s, s};
        const std::vector<int> calls = calls_in(caller, file, function);
        const SourceModel* const m = sources_.model(frames_[static_cast<std::size_t>(caller)].file);
        int& from = reached[static_cast<std::size_t>(caller)];
        const int here = m && from >= 0 ? m->statement_of(from) : -1;
        for (int call : calls) {  // arguments stand after the name: a call in the statement just seen comes first
          const bool is_here = here >= 0 && call < from && m->statements()[static_cast<std::size_t>(here)].tokens.contains(call);
          bool is_taken = false;
          for (const Frame& other : frames_)
            is_taken |= other.parent == caller && other.call == call && other.last + 1 >= s;
          if ((call > from || (is_here && !is_taken)) && f.call < 0) f.call = call;
        }
        if (f.call < 0 && !calls.empty()) f.call = calls.front();
        from = std::max(f.call, -1);
        top = static_cast<int>(frames_.size());
        frames_.push_back(f);
        reached.push_back(-1);
      }
    }
    places_[s].frame = top;
    // An operator may stand before the call whose result it takes: the call is done all the same.
    int& at = reached[static_cast<std::size_t>(top)];
    const SourceModel* const m = model_of(s);
    const bool is_same_statement = m && at >= 0 && m->statement_of(at) == places_[s].statement;
    at = is_same_statement ? std::max(at, places_[s].token) : places_[s].token;
    for (int f = top; f >= 0; f = frames_[static_cast<std::size_t>(f)].parent) frames_[static_cast<std::size_t>(f)].last = s;
  }
}

void ProgramView::find_instances() {
  instance_.resize(program_.steps.size());
  std::uint32_t first = 0;
  for (std::uint32_t s = 1; s < steps(); ++s) {
    const Place &a = places_[s - 1], &b = places_[s];
    const bool is_same = a.statement >= 0 ? a.statement == b.statement && a.frame == b.frame && step(s).site.file == step(s - 1).site.file
                                          : step(s).site.line == step(s - 1).site.line;
    const bool is_again = !is_vague_[s] && step(s).site == step(first).site && step(s).op == step(first).op;
    instance_[s] = instance_[s - 1] + (is_same && !is_again ? 0 : 1);
    if (instance_[s] != instance_[s - 1]) first = s;
  }
}

int ProgramView::callee_at(std::uint32_t position, int frame) const {
  int f = frame_at(position), callee = -1;
  while (f >= 0 && f != frame) callee = f, f = frames_[static_cast<std::size_t>(f)].parent;
  return f == frame ? callee : -1;
}

int ProgramView::frame_before_calls(std::uint32_t position) const {
  int f = frame_at(position);
  while (position < steps() && frames_[static_cast<std::size_t>(f)].parent >= 0 && frames_[static_cast<std::size_t>(f)].first == position)
    f = frames_[static_cast<std::size_t>(f)].parent;
  return f;
}

Place ProgramView::place_in(std::uint32_t position, int frame) const {
  if (position >= steps()) return {};
  if (frame == frame_at(position)) return places_[position];
  const int callee = callee_at(position, frame);
  const SourceModel* const m = model_of_frame(frame);
  if (callee < 0 || !m) return {-1, -1, -1};
  const int call = frames_[static_cast<std::size_t>(callee)].call;
  return {call, call < 0 ? -1 : m->statement_of(call), frame};
}

bool ProgramView::starts_statement(std::uint32_t position, int frame) const {
  if (position == 0) return true;
  const Place here = place_in(position, frame), before = place_in(position - 1, frame);
  if (here.frame < 0) return false;
  if (before.frame < 0 || before.statement != here.statement || here.statement < 0) return true;
  return frame == frame_at(position) && frame == frame_at(position - 1) && starts_statement(position);
}

std::int32_t ProgramView::value_at(const Variable& variable, std::uint32_t position) const {
  const auto after = std::ranges::upper_bound(variable.values, position, {}, &std::pair<std::uint32_t, std::int32_t>::first);  // they are in the order of their steps
  return after == variable.values.begin() ? -1 : std::prev(after)->second;
}

bool ProgramView::returns_value(int frame) const {
  const SourceModel* const m = model_of_frame(frame);
  const int function = frames_[static_cast<std::size_t>(frame)].function;
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
    const auto same = std::find_if(result.begin(), result.end(), [&](const Variable* other) { return other->name == v.name; });
    if (same != result.end()) *same = &v;  // the inner of two
    else result.push_back(&v);
  }
  return result;
}

std::string ProgramView::stage_of(std::int32_t value, std::uint32_t position) const {
  if (program_.values[static_cast<std::size_t>(value)].shape.rank == 0) return "";  // scalars take no stage
  for (std::uint32_t s = std::min(position, steps()); s-- > 0;) {
    if (step(s).op != trace::Op::stage || step(s).text < 0) continue;
    const auto tiles = program_.operands(step(s));
    if (std::find(tiles.begin(), tiles.end(), value) == tiles.end()) continue;
    const std::string& text = program_.texts[static_cast<std::size_t>(step(s).text)];
    return text.substr(0, text.find(':'));
  }
  return "";
}

std::string ProgramView::name_of(std::int32_t value, std::uint32_t position) const {
  for (int frame = frame_at(position); frame >= 0; frame = frames_[static_cast<std::size_t>(frame)].parent)
    for (const Variable* v : locals(position, frame))
      if (value_at(*v, position) == value) return v->name;
  return "";
}

}  // namespace tl::debug
