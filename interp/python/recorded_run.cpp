#include "interp/python/recorded_run.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstring>

#include "interp/lang/error.h"
#include "interp/run/pictures.h"
#include "interp/trace/file.h"
#include "interp/trace/memory.h"

namespace tl::python {

namespace {

template <class T>
std::string bytes_of(const debug::Array& a) {
  std::string bytes(a.data.size() * sizeof(T), '\0');
  for (std::size_t i = 0; i < a.data.size(); ++i) {
    const T element = is_float(a.dtype) ? static_cast<T>(a.data[i].real) : static_cast<T>(a.data[i].whole);
    std::memcpy(bytes.data() + i * sizeof(T), &element, sizeof(T));
  }
  return bytes;
}

// What NumPy lacks as float32, which holds it exactly.
Values values_of(const debug::Array& a) {
  switch (a.dtype) {
    case DType::int1: return {"bool", a.shape, bytes_of<bool>(a)};
    case DType::int32: return {"int32", a.shape, bytes_of<std::int32_t>(a)};
    case DType::int64: return {"int64", a.shape, bytes_of<std::int64_t>(a)};
    case DType::uint8: return {"uint8", a.shape, bytes_of<std::uint8_t>(a)};
    case DType::int8: return {"int8", a.shape, bytes_of<std::int8_t>(a)};
    case DType::int16: return {"int16", a.shape, bytes_of<std::int16_t>(a)};
    case DType::uint16: return {"uint16", a.shape, bytes_of<std::uint16_t>(a)};
    case DType::uint64: return {"uint64", a.shape, bytes_of<std::uint64_t>(a)};
    case DType::uint32: return {"uint32", a.shape, bytes_of<std::uint32_t>(a)};
    case DType::float64: return {"float64", a.shape, bytes_of<double>(a)};
    default: return {"float32", a.shape, bytes_of<float>(a)};
  }
}

}  // namespace

std::vector<ProgramId> RecordedRun::programs() const {
  std::vector<ProgramId> ids;
  for (const trace::RecordedProgram& p : session_.trace().programs) ids.push_back(p.id);
  return ids;
}

std::vector<Fault> RecordedRun::faults() const {
  std::vector<Fault> all;
  for (const trace::RecordedProgram& p : session_.trace().programs)
    for (const trace::RecordedFault& f : p.faults) all.push_back(f.fault);
  return all;
}

debug::Moment RecordedRun::moment(ProgramId id, std::int64_t step) const {
  const auto program = session_.find_program(id);
  if (!program)
    throw Error(fmt::format("program {} was not recorded", trace::text_of(id)), "run.programs lists those that were");
  const auto steps = static_cast<std::int64_t>(session_.trace().programs[*program].steps.size());
  const std::int64_t at = step < 0 ? steps + 1 + step : step;
  if (at < 0 || at > steps)
    throw Error(fmt::format("program {} has {} steps: step {} does not exist", trace::text_of(id), steps, step),
                fmt::format("0 to {}; -1 is its end", steps));
  return {*program, static_cast<std::uint32_t>(at)};
}

std::int64_t RecordedRun::steps(ProgramId program) { return moment(program, -1).step; }

int RecordedRun::line(ProgramId program, std::int64_t step) {
  const debug::Moment at = moment(program, step);
  const debug::ProgramView& view = session_.view(at.program);
  return view.steps() == 0 ? 0 : view.line(std::min(at.step, view.steps() - 1));
}

std::string RecordedRun::op(ProgramId program, std::int64_t step) {
  const debug::Moment at = moment(program, step);
  const debug::ProgramView& view = session_.view(at.program);
  return at.step < view.steps() ? trace::text_of(view.step(at.step).op) : "";
}

std::vector<std::string> RecordedRun::names(ProgramId program, std::int64_t step) {
  go(program, step);
  std::vector<std::string> names;
  for (const int frame : session_.view().frames_seen_from(session_.frame()))
    for (const debug::Variable* v : session_.view().locals(session_.now().step, frame))
      if (session_.view().value_at(*v, session_.now().step) >= 0 && std::ranges::find(names, v->name) == names.end())
        names.push_back(v->name);
  return names;
}

Values RecordedRun::value(ProgramId program, std::int64_t step, const std::string& expression) {
  go(program, step);
  return values_of(debug::evaluate(expression, session_.resolver()));
}

std::vector<CellTouch> RecordedRun::history(const std::string& text) {
  const debug::Cells cells = debug::parse_cells(text, session_.tensor_resolver());
  std::vector<std::int64_t> elements = cells.elements;
  std::ranges::sort(elements);
  const auto& tensors = session_.launch().tensors;
  const auto tensor = std::ranges::find(tensors, cells.tensor, &trace::RecordedTensor::name) - tensors.begin();
  std::vector<CellTouch> all;
  if (elements.empty()) return all;
  trace::Memory memory(session_.trace());
  const auto tell = [&](const trace::Touch& touch) {
    if (!std::ranges::binary_search(elements, touch.element)) return;
    memory.seek({touch.moment.program, touch.moment.step + 1});
    const auto at = static_cast<int>(tensor);
    std::optional<Values> value;
    if (memory.is_known(at, touch.element) && !memory.is_unset(at, touch.element)) {
      const DType dtype = tensors[tensor].dtype;
      value = values_of({dtype, false, {}, {debug::number_of(memory, at, dtype, touch.element)}});
    }
    all.push_back({session_.trace().programs[touch.moment.program].id, touch.moment.step, touch.lane, touch.element,
                   session_.view(touch.moment.program).line(touch.moment.step), trace::text_of(touch.kind), value});
  };
  trace::for_each_touch(session_.trace(), session_.program().launch, static_cast<int>(tensor), elements.front(),
                        elements.back(), tell);
  return all;
}

std::string RecordedRun::draw(const std::string& panel, std::optional<ProgramId> program,
                              std::optional<std::int64_t> step) {
  std::optional<debug::Moment> at;
  if (program || step) at = moment(program.value_or(session_.trace().programs.front().id), step.value_or(-1));
  return run::pictures().panel(session_, panel, at);
}

void RecordedRun::save(const std::string& file) const { trace::save(session_.trace(), file); }

}  // namespace tl::python
