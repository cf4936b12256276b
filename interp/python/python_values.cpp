#include "interp/python/python_values.h"

#include <map>

#include "interp/case/words.h"
#include "kernels/problems/build.h"

namespace py = pybind11;

namespace tl::python {

using triton::Value;

namespace {

bool is_a(const py::handle& value, const char* name) {
  return py::isinstance(value, py::module_::import("tilescope.captured").attr(name));
}

bool fits(const py::handle& number) {
  int overflow = 0;
  PyLong_AsLongLongAndOverflow(number.ptr(), &overflow);
  return overflow == 0;
}

// Of the names that one kernel and its helpers read.
class Names {
 public:
  Names(PythonKernel& kernel, std::map<const PyObject*, std::size_t> functions)
      : kernel_(kernel), functions_(std::move(functions)) {}

  // Unknown for what kernels cannot read.
  Value value_of(const py::handle& v) {
    if (v.is_none()) return cpu::AnyValue(cpu::None{});
    if (py::isinstance<py::bool_>(v)) return cpu::AnyValue(v.cast<bool>());
    if (py::isinstance<py::int_>(v)) return fits(v) ? Value(cpu::AnyValue(v.cast<long long>())) : Value();
    if (py::isinstance<py::float_>(v)) return cpu::AnyValue(v.cast<double>());
    if (py::isinstance<py::str>(v)) return cpu::AnyValue(cpu::kept_text(v.cast<std::string>()));
    if (py::isinstance<py::tuple>(v)) return tuple_of(v.cast<py::tuple>());
    if (is_a(v, "Dtype"))
      return cpu::AnyValue(cpu::ElementType{cases::dtype_constant(v.attr("name").cast<std::string>()).value()});
    if (is_a(v, "Member")) return member_of(v.attr("path").cast<std::string>());
    if (is_a(v, "Module")) return module_of(v.attr("members").cast<py::dict>());
    if (const auto known = functions_.find(v.ptr()); known != functions_.end()) return kernel_.function(known->second);
    return {};
  }

 private:
  Value tuple_of(const py::tuple& all) {
    std::vector<cpu::AnyValue> values;
    for (const py::handle& v : all) values.push_back(value_of(v).data);
    return cpu::AnyValue(std::move(values));
  }

  // triton.language.exp; a module where it is the path of one.
  Value member_of(const std::string& path) {
    const auto language = [&](const std::string& p) {
      return kernel_.program().callable({triton::Callable::Kind::language, p});
    };
    const std::size_t dot = path.rfind('.');
    if (dot == std::string::npos) return language(path);
    const Value found = kernel_.program().member(*language(path.substr(0, dot)), path.substr(dot + 1));
    return found.is_known() ? found : Value(language(path));
  }

  Value module_of(const py::dict& members) {
    std::vector<std::pair<std::string, Value>> all;
    for (const auto& [name, value] : members) all.emplace_back(name.cast<std::string>(), value_of(value));
    return kernel_.module_of(std::move(all));
  }

  PythonKernel& kernel_;
  std::map<const PyObject*, std::size_t> functions_;
};

}  // namespace

std::unique_ptr<PythonKernel> python_kernel_of(const py::list& functions) {
  std::vector<FunctionText> texts;
  std::map<const PyObject*, std::size_t> numbers;
  for (const py::handle& f : functions) {
    numbers[f.ptr()] = texts.size();
    const auto text = [&f](const char* of) { return f.attr(of).cast<std::string>(); };
    texts.push_back({text("name"), text("shown_file"), text("placed_text"), text("source")});
  }
  auto kernel = std::make_unique<PythonKernel>(std::move(texts));
  Names names(*kernel, std::move(numbers));
  std::size_t number = 0;
  for (const py::handle& f : functions) {
    for (const auto& [name, value] : f.attr("names").cast<py::dict>())
      kernel->set_name(number, name.cast<std::string>(), names.value_of(value));
    ++number;
  }
  return kernel;
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
  throw Error(parameter + " is " + py::str(v).cast<std::string>() + ", which kernels do not take as an argument",
              "pass tensors, numbers, texts and dtypes, each as an argument of its own");
}

}  // namespace tl::python
