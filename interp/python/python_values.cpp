#include "interp/python/python_values.h"

#include <map>

#include "interp/case/words.h"
#include "interp/triton/constants.h"
#include "kernels/problems/build.h"

namespace py = pybind11;

namespace tl::python {

using triton::Value;

namespace {

// Whether it is of a class of tilescope.captured, of which there is one as long as Python runs.
bool is_a(const py::handle& value, const char* name) {
  static std::map<std::string, py::handle, std::less<>> classes;
  auto it = classes.find(std::string_view(name));
  if (it == classes.end())
    it = classes.emplace(name, py::module_::import("tilescope.captured").attr(name).cast<py::object>().release()).first;
  return py::isinstance(value, it->second);
}

bool fits(const py::handle& number) {
  int overflow = 0;
  PyLong_AsLongLongAndOverflow(number.ptr(), &overflow);
  return overflow == 0;
}

Value tuple_of(PythonKernel& kernel, const CapturedTuple& tuple) {
  cpu::Elements values({});
  for (const py::handle& v : tuple.first) values.push_back(value_of(kernel, v).data);
  values.names = tuple.second;
  return cpu::AnyValue(std::make_shared<const cpu::Elements>(std::move(values)));
}

// triton.language.exp; a module where it is the path of one.
Value member_of(PythonKernel& kernel, const std::string& path) {
  const auto language = [&](const std::string& p) {
    return kernel.program().callable({triton::Callable::Kind::language, p});
  };
  const std::size_t dot = path.rfind('.');
  if (dot == std::string::npos) return language(path);
  const Value found = kernel.program().member(*language(path.substr(0, dot)), path.substr(dot + 1));
  return found.is_known() ? found : Value(language(path));
}

Value module_of(PythonKernel& kernel, const py::handle& module) {
  std::map<std::string, Value, std::less<>> values;
  std::map<std::string, std::string, std::less<>> unusable;
  for (const auto& [name, value] : module.attr("members").cast<py::dict>()) {
    if (is_a(value, "Unusable")) unusable[name.cast<std::string>()] = value.attr("what").cast<std::string>();
    else values[name.cast<std::string>()] = value_of(kernel, value);
  }
  return kernel.module_of(module.attr("name").cast<std::string>(), std::move(values), std::move(unusable));
}

// As Python has it. Throws Error for a value that is no constant of Python's.
py::object python_of(const Value& v) {
  if (v.data.is<cpu::None>()) return py::none();
  if (const auto* c = v.data.get_if<cpu::Constant>())
    return c->is_bool ? py::object(py::bool_(c->value != 0)) : py::object(py::int_(c->value));
  if (const auto* r = v.data.get_if<cpu::RealConstant>()) return py::float_(r->value);
  if (const auto* t = v.data.get_if<cpu::TextConstant>()) return py::str(t->value);
  const py::module_ captured = py::module_::import("tilescope.captured");
  if (v.data.is<cpu::ElementType>())
    return captured.attr("tritons_dtype")(std::string(language_name_of(v.data.as<cpu::ElementType>().value)));
  if (!v.data.is<cpu::Tuple>())
    throw Error(triton::text_of(v) + " is no constant that Python knows", "pass numbers, texts and tuples of them");
  py::list all, names;
  for (const cpu::AnyValue& x : *v.data.as<cpu::Tuple>()) all.append(python_of(Value(x)));
  for (const char* name : v.data.as<cpu::Tuple>()->names) names.append(name);
  return captured.attr("tuple_of")(all, names);
}

Value computed_of(PythonKernel& kernel, const py::handle& function) {
  const auto kept = std::make_shared<const py::object>(py::reinterpret_borrow<py::object>(function));
  const auto call = [&kernel, kept](std::span<const Value> arguments, std::span<const std::string> names) {
    const py::gil_scoped_acquire gil;
    py::list positional;
    py::dict named;
    for (std::size_t i = 0; i < arguments.size(); ++i) {
      if (names[i].empty()) positional.append(python_of(arguments[i]));
      else named[names[i].c_str()] = python_of(arguments[i]);
    }
    return value_of(kernel, kept->attr("call")(positional, named));
  };
  return kernel.program().callable({.kind = triton::Callable::Kind::computed,
                                    .name = function.attr("name").cast<std::string>(),
                                    .computed = std::make_shared<const triton::ConstantFunction>(call)});
}

}  // namespace

Value value_of(PythonKernel& kernel, const py::handle& v) {
  if (v.is_none()) return cpu::AnyValue(cpu::None{});
  if (py::isinstance<py::bool_>(v)) return cpu::AnyValue(v.cast<bool>());
  if (py::isinstance<py::int_>(v)) return fits(v) ? Value(cpu::AnyValue(v.cast<long long>())) : Value();
  if (py::isinstance<py::float_>(v)) return cpu::AnyValue(v.cast<double>());
  if (py::isinstance<py::str>(v)) return cpu::AnyValue(cpu::kept_text(v.cast<std::string>()));
  if (const auto tuple = captured_tuple(v)) return tuple_of(kernel, *tuple);
  if (is_a(v, "Dtype"))
    return cpu::AnyValue(cpu::ElementType{cases::dtype_constant(v.attr("name").cast<std::string>()).value()});
  if (is_a(v, "Member")) return member_of(kernel, v.attr("path").cast<std::string>());
  if (is_a(v, "Module")) return module_of(kernel, v);
  if (is_a(v, "Computed")) return computed_of(kernel, v);
  if (is_a(v, "Function")) return kernel.function(v.attr("number").cast<std::size_t>());
  return {};
}

std::optional<CapturedTuple> captured_tuple(const py::handle& v) {
  if (py::isinstance<py::tuple>(v)) return CapturedTuple{v.cast<py::tuple>(), {}};
  if (!is_a(v, "Named")) return std::nullopt;
  CapturedTuple made{v.attr("values").cast<py::tuple>(), {}};
  for (const py::handle& name : v.attr("fields").cast<py::tuple>())
    made.second.push_back(cpu::kept_text(name.cast<std::string>()));
  return made;
}

bool is_callable(const py::handle& v) { return is_a(v, "Function") || is_a(v, "Member") || is_a(v, "Computed"); }

std::unique_ptr<PythonKernel> python_kernel_of(const py::list& functions) {
  std::vector<FunctionText> texts;
  for (const py::handle& f : functions) {
    const auto text = [&f](const char* of) { return f.attr(of).cast<std::string>(); };
    texts.push_back({text("name"), text("shown_file"), text("placed_text"), text("source")});
  }
  auto kernel = std::make_unique<PythonKernel>(std::move(texts));
  std::size_t number = 0;
  for (const py::handle& f : functions) {
    for (const auto& [name, value] : f.attr("names").cast<py::dict>()) {
      const auto word = name.cast<std::string>();
      if (!is_a(value, "Unusable")) kernel->set_name(number, word, value_of(*kernel, value));
      else if (!triton::is_host_function(word))  // a script's own print_if or set_trace is known by its name
        kernel->set_unusable(number, word, value.attr("what").cast<std::string>());
    }
    ++number;
  }
  return kernel;
}

std::optional<Argument> plain_argument(char kind, const std::string& parameter, const py::handle& v, ArrayRules rules) {
  const bool is_constant = kind == 'c', may_be_anything = kind == '?';
  if (v.is_none() && (kind == 't' || may_be_anything)) return TensorArgument{none_tensor(parameter)};
  if (py::isinstance<py::bool_>(v)) {
    if (is_constant) return ConstantArgument{v.cast<bool>(), true};
    return std::nullopt;
  }
  if (PyLong_CheckExact(v.ptr()) && fits(v)) {
    if (is_constant) return ConstantArgument{v.cast<std::int64_t>()};
    if (kind == 'i' || may_be_anything) return problems::integer(v.cast<std::int64_t>());
    return std::nullopt;
  }
  if (PyFloat_CheckExact(v.ptr())) {
    if (is_constant) return RealConstantArgument{v.cast<double>()};
    if (kind == 'f' || may_be_anything) return FloatArgument{v.cast<float>()};
    return std::nullopt;
  }
  if (kind != 't' && !may_be_anything) return std::nullopt;
  if (auto array = plain_array(parameter, v, rules)) return TensorArgument{std::move(*array)};
  return std::nullopt;
}

Argument argument_of(const std::string& parameter, const py::handle& v) {
  if (v.is_none()) return TensorArgument{none_tensor(parameter)};
  if (py::isinstance<py::bool_>(v)) return ConstantArgument{v.cast<bool>(), true};
  if (py::isinstance<py::int_>(v) && fits(v)) return problems::integer(v.cast<std::int64_t>());
  if (py::isinstance<py::float_>(v)) return FloatArgument{v.cast<float>()};
  if (is_a(v, "Dtype")) return DtypeConstantArgument{cases::dtype_constant(v.attr("name").cast<std::string>()).value()};
  if (is_a(v, "Constant")) {
    const py::object value = v.attr("value");
    if (py::isinstance<py::str>(value)) return TextConstantArgument{value.cast<std::string>()};
    if (py::isinstance<py::int_>(value) && !py::isinstance<py::bool_>(value) && fits(value))
      return ConstantArgument{value.cast<std::int64_t>()};
    if (py::isinstance<py::float_>(value)) return RealConstantArgument{value.cast<double>()};
    return argument_of(parameter, value);
  }
  if (py::isinstance<py::int_>(v))
    throw Error(parameter + " is " + py::str(v).cast<std::string>() + ", and kernels' integers end at i64",
                "pass a smaller one, or a float");
  throw Error(parameter + " is " + py::str(v).cast<std::string>() + ", which kernels do not take as an argument",
              "pass tensors, numbers, texts and dtypes, each as an argument of its own");
}

}  // namespace tl::python
