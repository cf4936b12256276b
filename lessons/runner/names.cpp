#include "lessons/runner/names.h"

#include <fmt/format.h>

#include <algorithm>
#include <set>

namespace tl::lessons {

Names::Names(const Observed& observed, std::int64_t program)
    : observed_(observed),
      sources_(observed.trace()),
      view_(observed.trace(), static_cast<std::size_t>(program), sources_),
      made_by_(view_.program().values.size(), -1) {
  for (std::uint32_t s = 0; s < view_.steps(); ++s)
    for (const std::int32_t value : view_.program().results(view_.step(s)))
      if (made_by_[value] < 0) made_by_[value] = static_cast<std::int32_t>(s);
}

const debug::Variable* Names::variable(const std::string& name) const {
  const debug::Variable* found = nullptr;
  for (const debug::Variable& v : view_.variables())
    if (v.name == name && v.frame == 0 && !v.values.empty()) found = &v;
  return found;
}

// For an op within a helper: the line on which the kernel calls it.
std::optional<Site> Names::site_of(std::int32_t value) const {
  const std::int32_t step = made_by_[value];
  const debug::SourceModel* const model = view_.model_of_frame(0);
  if (step < 0 || !model) return std::nullopt;
  const debug::OpLocation location = view_.location_in(static_cast<std::uint32_t>(step), 0);
  if (location.token < 0 || location.statement < 0) return std::nullopt;
  const debug::Statement& statement = model->statements()[location.statement];
  const int token = statement.value.contains(location.token) ? statement.value.first : location.token;
  const debug::Token& begins = model->token(token);
  return Site{observed_.trace().files[view_.frames()[0].file].c_str(), begins.line, begins.column};
}

std::optional<Site> Names::made(const std::string& name, const std::optional<Site>& otherwise) const {
  const debug::Variable* const v = variable(name);
  const auto site = v ? site_of(v->values.back().second) : std::nullopt;
  return site ? site : otherwise;
}

std::optional<Site> Names::argument(const std::string& parameter, const std::optional<Site>& otherwise) const {
  for (const debug::Variable& v : view_.variables())
    if (v.name == parameter && v.frame != 0 && !v.values.empty())
      if (const auto site = site_of(v.values.front().second)) return site;
  return otherwise;
}

std::optional<Site> Names::stored(const std::string& tensor, const std::optional<Site>& otherwise) const {
  const auto& program = view_.program();
  const trace::Step* const access = access_step(tensor, true);
  std::int32_t step = access && access->operands > 1 ? made_by_[program.operands(*access)[1]] : -1;
  while (step >= 0 && program.steps[step].op == trace::Op::cast)
    step = made_by_[program.operands(program.steps[step])[0]];
  return step < 0 ? otherwise : observed_.site(program.steps[step].site);
}

std::optional<std::int64_t> Names::integer(const std::string& name) const {
  const debug::Variable* const v = variable(name);
  if (!v) return std::nullopt;
  const trace::RecordedValue& value = view_.program().values[v->values.back().second];
  if (!value.is_kept() || value.shape.product() != 1 || !is_integer(value.dtype) || value.tensor >= 0)
    return std::nullopt;
  return trace::element_as_int(value, 0);
}

std::optional<std::vector<std::int64_t>> Names::shape(const std::string& name) const {
  const debug::Variable* const v = variable(name);
  if (!v) return std::nullopt;
  const auto extents = view_.program().values[v->values.back().second].shape.span();
  return std::vector<std::int64_t>(extents.begin(), extents.end());
}

std::optional<Site> Names::loop() const {
  const debug::SourceModel* const model = view_.model_of_frame(0);
  if (!model) return std::nullopt;
  for (const debug::Statement& s : model->statements()) {
    if (s.kind != debug::StatementKind::loop || s.function != view_.frames()[0].function) continue;
    const debug::Token& begins = model->token(s.tokens.first);
    return Site{observed_.trace().files[view_.frames()[0].file].c_str(), begins.line, begins.column};
  }
  return std::nullopt;
}

bool Names::is_counter(const debug::Variable& v) const {
  const std::int32_t step = made_by_[v.values.front().second];
  return step >= 0 && view_.step(static_cast<std::uint32_t>(step)).op == trace::Op::range;
}

std::string Names::integers_text() const {
  std::string text;
  std::set<std::string> seen;
  for (const debug::Variable& v : view_.variables())
    if (const auto held =
            v.frame == 0 && !v.is_parameter && !v.values.empty() && !is_counter(v) ? integer(v.name) : std::nullopt;
        held && seen.insert(v.name).second)
      text += fmt::format("{}{} = {}", text.empty() ? "" : ", ", v.name, *held);
  return text;
}

const trace::Step* Names::access_step(const std::string& tensor, bool stored) const {
  const auto& program = view_.program();
  const auto& tensors = observed_.trace().launches[program.launch].tensors;
  for (const trace::Step& step : program.steps) {
    if (step.access < 0) continue;
    const trace::RecordedAccess& a = program.accesses[step.access];
    if (a.writes() == stored && tensors[a.tensor].name == tensor) return &step;
  }
  return nullptr;
}

std::optional<Site> Names::mask(const std::string& tensor, bool stored, const std::optional<Site>& otherwise) const {
  if (const trace::Step* const access = access_step(tensor, stored))
    for (const std::int32_t value : view_.program().operands(*access))
      if (view_.program().values[value].dtype == DType::int1)
        if (const auto site = site_of(value)) return site;
  return otherwise;
}

std::optional<Site> Names::axis(const std::string& tensor, bool stored, int axis,
                                const std::optional<Site>& otherwise) const {
  const auto& program = view_.program();
  const trace::Step* const access = access_step(tensor, stored);
  if (!access || access->operands == 0) return otherwise;
  std::vector<std::int32_t> open{program.operands(*access)[0]};
  std::set<std::int32_t> seen;
  while (!open.empty()) {
    const std::int32_t value = open.back();
    open.pop_back();
    const std::int32_t step = made_by_[value];
    if (step < 0 || !seen.insert(value).second) continue;
    const trace::Step& maker = program.steps[step];
    const trace::Extents& shape = program.values[value].shape;
    const auto from = program.operands(maker);
    if ((maker.op == trace::Op::slice || maker.op == trace::Op::expand_dims) && shape.rank == 2 &&
        shape[1 - axis] == 1 && shape[axis] > 1)
      if (const auto site = site_of(from[0])) return site;
    open.insert(open.end(), from.begin(), from.end());
  }
  return otherwise;
}

}  // namespace tl::lessons
