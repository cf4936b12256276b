// What a name means at a moment of a run: a variable, a tensor, an argument.
#include <fmt/format.h>

#include <charconv>

#include "interp/debug/session.h"

namespace tl::debug {

using trace::RecordedTensor;

TensorView Session::tensor_view(int tensor) {
  const RecordedTensor& t = launch().tensors[tensor];
  trace::Memory& m = memory();
  if (!m.is_known(tensor) && t.pages.empty())
    throw Error(fmt::format("the contents of {} were not recorded", t.name), "record with a larger budget");
  return {t.name,
          t.dtype,
          t.shape,
          t.strides,
          [&m, &t, tensor](std::int64_t element) {
            if (!m.is_known(tensor, element))
              throw Error(fmt::format("{} was not recorded: no recorded program touches its part of the tensor",
                                      trace::cell_name(t, element)),
                          "record more programs");
            return number_of(m, tensor, t.dtype, element);
          },
          [&m, tensor](std::int64_t element) { return m.is_unset(tensor, element); }};
}

std::vector<std::pair<std::string, std::string>> Session::arguments() {
  std::vector<std::pair<std::string, std::string>> result;
  const std::vector<std::string>& texts = launch().arguments;
  const Frame& kernel = view().frames()[0];
  const SourceModel* const m = sources_.model(kernel.file);
  const std::vector<Parameter>* const parameters =
      m && kernel.function >= 0 ? &m->functions()[kernel.function].parameters : nullptr;
  for (std::size_t i = 0; i < texts.size(); ++i)
    result.emplace_back(parameters && i < parameters->size() ? (*parameters)[i].name : fmt::format("argument {}", i),
                        texts[i]);
  return result;
}

namespace {

// What a launch gives an integer.
DType dtype_of_integer(std::int64_t value) {
  return value == static_cast<std::int32_t>(value) ? DType::int32 : DType::int64;
}

}  // namespace

// A tensor by its own name, or by the parameter it was passed as.
std::optional<Operand> Session::resolve_tensor(const std::string& name) {
  std::string wanted = name;
  for (const auto& [parameter, text] : arguments())
    if (parameter == name) wanted = text;
  for (std::size_t t = 0; t < launch().tensors.size(); ++t)
    if (launch().tensors[t].name == wanted) return tensor_view(static_cast<int>(t));
  return std::nullopt;
}

std::optional<Operand> Session::resolve(const std::string& name) {
  if (const Variable* const v = view().visible(name, now_.step, frame_)) {
    const std::int32_t index = view().value_at(*v, now_.step);
    if (index < 0)
      throw Error(
          fmt::format("what {} holds is not known", name),
          "blocks, scalars, pointers, constants and numbers are recorded, where a statement of its own gives them");
    const trace::RecordedValue& value = program().values[index];
    if (!value.is_kept())
      throw Error(fmt::format("the value of {} was not recorded", name),
                  "record with a larger budget, or this program alone with --break");
    return array_of(value);
  }
  if (auto tensor = resolve_tensor(name)) return tensor;
  for (const auto& [parameter, text] : arguments()) {
    if (parameter != name) continue;
    if (text == "True" || text == "true") return literal(true);
    if (text == "False" || text == "false") return literal(false);
    const char* const last = text.data() + text.size();
    std::int64_t whole = 0;
    if (std::from_chars(text.data(), last, whole).ptr == last) return whole_number(dtype_of_integer(whole), whole);
    double real = 0;
    if (std::from_chars(text.data(), last, real).ptr == last)
      return Array{DType::float32, false, {}, {{.real = static_cast<float>(real)}}};
  }
  const ProgramId id = program().id;
  if (name == "pid") {
    if (launch().grid[1] == 1 && launch().grid[2] == 1) return whole_number(DType::int32, id.x);
    return Array{DType::int32, false, {3}, {{id.x}, {id.y}, {id.z}}};
  }
  const Variable* past = nullptr;
  const Variable* next = nullptr;
  for (const Variable& v : view().variables()) {
    if (v.name != name) continue;
    if (v.end <= now_.step) past = &v;
    else if (v.begin > now_.step && !next) next = &v;
  }
  if (past)
    throw Error(fmt::format("{} has no value here; its last was gone after step {}", name, past->end - 1),
                fmt::format("`goto {}` goes back to it", past->end - 1));
  if (next && next->begin <= program().steps.size())
    throw Error(
        fmt::format("{} has no value yet: line {} gives it one", name, program().steps[next->begin - 1].site.line),
        fmt::format("`goto {}` is right after that", next->begin));
  return std::nullopt;
}

Resolve Session::resolver() {
  return [this](const std::string& name) { return resolve(name); };
}

Resolve Session::tensor_resolver() {
  return [this](const std::string& name) {
    auto tensor = resolve_tensor(name);
    return tensor ? tensor : resolve(name);
  };
}

}  // namespace tl::debug
