// tilescope._core: what the Python package asks of the interpreter, the recorder, the model and the GPU.
#include <fmt/format.h>
#include <omp.h>
#include <pthread.h>
#include <pybind11/pybind11.h>
#include <pybind11/stl.h>

#include <algorithm>
#include <nlohmann/json.hpp>
#include <optional>

#include "interp/cuda/host/device.h"
#include "interp/debug/debugger.h"
#include "interp/hostcc/compiler.h"
#include "interp/lang/pid_condition.h"
#include "interp/lang/unavailable.h"
#include "interp/python/interruptible.h"
#include "interp/python/kernel.h"
#include "interp/python/python_values.h"
#include "interp/python/recorded_run.h"
#include "interp/report/fault_text.h"
#include "interp/run/execute.h"
#include "kernels/problems/build.h"

namespace py = pybind11;

namespace tl::python {

namespace {

ProgramId id_of(const std::array<std::int64_t, 3>& at) { return {at[0], at[1], at[2]}; }
std::array<std::int64_t, 3> place_of(ProgramId id) { return {id.x, id.y, id.z}; }

// As the terminal shows it, and its parts as JSON.
py::tuple fault_of(const Fault& fault) {
  return py::make_tuple(report::fault_text(fault), report::fault_json(fault).dump());
}

// An exception of tilescope/errors.py.
template <class... A>
void raise(const char* name, const A&... arguments) {
  const py::object type = py::module_::import("tilescope.errors").attr(name);
  PyErr_SetObject(type.ptr(), type(arguments...).ptr());
}

void translate(std::exception_ptr thrown) {
  try {
    std::rethrow_exception(thrown);
  } catch (const FaultError& e) {
    raise("Fault", fault_of(e.fault)[0], fault_of(e.fault)[1]);
  } catch (const CompileError& e) {
    raise("CompileError", std::string(e.what()), e.fix);
  } catch (const Unavailable& e) {
    raise("Unavailable", std::string(e.what()), e.fix);
  } catch (const Error& e) {
    raise("Error", std::string(e.what()), e.fix);
  }
}

py::object python_value(const Values& v) { return py::make_tuple(v.dtype, v.shape, py::bytes(v.bytes)); }

// A variant is a class of its own to Python only behind a name.
struct BoundArgument {
  Argument is;
};

void add_argument(LaunchRequest& request, const std::string& name, const py::handle& value) {
  request.arguments.push_back(py::isinstance<BoundArgument>(value) ? value.cast<BoundArgument&>().is
                                                                   : argument_of(name, value));
  request.names.push_back(name);
}

// An argument of add_arguments, or what argument_of takes.
void add_given(Kernel&, LaunchRequest& request, const std::string& name, const py::handle& value) {
  add_argument(request, name, value);
}

// Those, functions, and tuples of them.
triton::Given given_of(PythonKernel& kernel, LaunchRequest& request, const std::string& name, const py::handle& value) {
  if (!py::isinstance<BoundArgument>(value)) {
    if (const auto tuple = captured_tuple(value)) {
      std::vector<triton::Given> elements;
      for (std::size_t i = 0; i < tuple->first.size(); ++i)
        elements.push_back(given_of(kernel, request, fmt::format("{}[{}]", name, i), tuple->first[i]));
      return {std::move(elements), tuple->second};
    }
    if (is_callable(value)) return {value_of(kernel, value)};
  }
  add_argument(request, name, value);
  return {request.arguments.size() - 1};
}

void add_given(PythonKernel& kernel, LaunchRequest& request, const std::string& name, const py::handle& value) {
  request.given.push_back(given_of(kernel, request, name, value));
}

template <class K>
LaunchRequest request_of(K& kernel, const std::array<std::int64_t, 3>& grid, const py::list& values, int warps,
                         int stages) {
  LaunchRequest request{{grid[0], grid[1], grid[2]}, {warps, stages}, {}};
  const std::vector<std::string>& names = kernel.parameters();
  for (std::size_t i = 0; i < values.size(); ++i) add_given(kernel, request, names.at(i), values[i]);
  return request;
}

// What a kernel's parameters are called, and a letter of the kind of each (cases::Parameter).
struct Parameters {
  std::string kinds;
  std::vector<std::string> names;
};

// Arguments that are plain numbers and arrays are read here, each of the others by `other`, a function of its number.
// With them: whether any of these arrays lies on the CPU, and on the GPU.
py::tuple arguments_of(const Parameters& parameters, const py::list& values, bool reaches_storage, bool takes_gpu,
                       const py::function& other) {
  py::list all;
  bool on_cpu = false, on_gpu = false;
  for (std::size_t i = 0; i < values.size(); ++i) {
    auto plain =
        plain_argument(parameters.kinds.at(i), parameters.names.at(i), values[i], {reaches_storage, takes_gpu});
    if (const auto* t = plain ? std::get_if<TensorArgument>(&*plain) : nullptr; t && !t->tensor.is_none)
      (t->tensor.holds_data ? on_cpu : on_gpu) = true;
    all.append(plain ? py::cast(BoundArgument{std::move(*plain)}) : other(i));
  }
  return py::make_tuple(all, on_cpu, on_gpu);
}

void add_arguments(py::module_& m) {
  py::class_<BoundArgument>(m, "Argument").def("__str__", [](const BoundArgument& a) { return word_of(a.is); });
  py::class_<Parameters>(m, "Parameters").def(py::init<std::string, std::vector<std::string>>());
  m.def("arguments", arguments_of);
  m.def("tensor", [](const std::string& name, std::uintptr_t address, const std::string& dtype,
                     const std::vector<std::int64_t>& shape, const std::vector<std::int64_t>& strides, bool is_on_gpu,
                     std::optional<std::int64_t> storage) {
    return BoundArgument{TensorArgument{tensor_at(name, address, dtype, shape, strides, is_on_gpu, storage)}};
  });
  m.def("none", [](const std::string& name) { return BoundArgument{TensorArgument{none_tensor(name)}}; });
  m.def("descriptor", [](const BoundArgument& tensor, const std::vector<int>& block_shape, bool pads_with_nan) {
    return BoundArgument{DescriptorArgument{std::get<TensorArgument>(tensor.is).tensor, block_shape, pads_with_nan}};
  });
  m.def("integer", [](std::int64_t value) { return BoundArgument{problems::integer(value)}; });
  m.def("real", [](float value) { return BoundArgument{FloatArgument{value}}; });
  m.def("constant", [](std::int64_t value, bool is_bool) { return BoundArgument{ConstantArgument{value, is_bool}}; });
  m.def("real_constant", [](double value) { return BoundArgument{RealConstantArgument{value}}; });
  m.def("dtype_constant",
        [](const std::string& name) { return BoundArgument{DtypeConstantArgument{*cases::dtype_constant(name)}}; });
  m.def("text_constant", [](const std::string& value) { return BoundArgument{TextConstantArgument{value}}; });
}

using Axes = std::array<std::int64_t, 3>;

// What kernels of both languages do.
template <class K>
py::class_<K> launchable(py::module_& m, const char* name) {
  const auto named = [](K& k, const LaunchRequest& r) { return NamedLaunch{k.name(), r.names, k.launch(r)}; };
  py::class_<K> made(m, name);
  // None, and nothing has run, where a breakpoint may ask for the debugger.
  made.def("run", [](K& k, const Axes& grid, const py::list& values, int warps, int stages,
                     const std::vector<std::string>& checks, bool debugs) {
    const LaunchRequest r = request_of(k, grid, values, warps, stages);
    return without_gil([&]() -> std::optional<std::vector<std::string>> {
      const Launch launch = k.launch(r);
      if (debugs && k.arithmetic().may_break(launch)) return std::nullopt;
      return run(launch, checks, k.arithmetic());
    });
  });
  made.def("record", [named](K& k, const Axes& grid, const py::list& values, int warps, int stages,
                             const std::string& programs, std::int64_t budget_mb) {
    const LaunchRequest r = request_of(k, grid, values, warps, stages);
    return without_gil([&] { return std::make_unique<RecordedRun>(record(named(k, r), programs, budget_mb)); });
  });
  made.def("debugger",
           [named](K& k, const Axes& grid, const py::list& values, int warps, int stages, const std::string& start) {
             const LaunchRequest r = request_of(k, grid, values, warps, stages);
             return without_gil([&] {
               constexpr std::int64_t budget_mb = 512;
               return std::make_unique<debug::Debugger>(record(named(k, r), start, budget_mb),
                                                        debug::DebuggerOptions{{}, start});
             });
           });
  made.def("schedule",
           [named](K& k, const Axes& grid, const py::list& values, int warps, int stages, const std::string& gpu) {
             const LaunchRequest r = request_of(k, grid, values, warps, stages);
             const Scheduled s = without_gil([&] { return schedule(named(k, r), gpu); });
             return py::make_tuple(s.figures, s.drawing);
           });
  return made;
}

void add_kernel(py::module_& m) {
  launchable<Kernel>(m, "Kernel")
      .def(
          py::init([](const std::string& name) { return without_gil([&] { return std::make_unique<Kernel>(name); }); }))
      .def_property_readonly("name", &Kernel::name)
      .def_property_readonly("file", [](const Kernel& k) { return k.user().file().string(); })
      .def_property_readonly("is_python", [](const Kernel& k) { return k.user().is_python(); })
      .def_property_readonly("text", [](const Kernel& k) { return k.user().text(); })
      .def_property_readonly("parameters",
                             [](const Kernel& k) {
                               py::list all;
                               for (const cases::Parameter& p : k.user().functor().parameters)
                                 all.append(py::make_tuple(p.name, p.short_name(), std::string(1, p.kind),
                                                           cases::kind_name(p.kind), p.is_stored, p.has_default));
                               return all;
                             })
      .def("start",
           [](Kernel& k, const Axes& grid, const py::list& values, int warps, int stages, std::uintptr_t stream) {
             LaunchRequest r = request_of(k, grid, values, warps, stages);
             return without_gil([&] { return k.start(std::move(r), stream); });
           });
}

void add_python_kernel(py::module_& m) { launchable<PythonKernel>(m, "PythonKernel").def(py::init(&python_kernel_of)); }

void add_debugger(py::module_& m) {
  py::class_<debug::Debugger>(m, "Debugger")
      .def_property_readonly("is_done", &debug::Debugger::is_done)
      .def_property_readonly("breaks",
                             [](debug::Debugger& d) {
                               const auto& programs = d.session().trace().programs;
                               return std::ranges::any_of(programs, [](const trace::RecordedProgram& p) {
                                 return std::ranges::count(p.steps, trace::Op::breakpoint_if, &trace::Step::op) > 0;
                               });
                             })
      .def_property_readonly("faults",
                             [](debug::Debugger& d) {
                               py::list all;
                               for (const trace::RecordedProgram& p : d.session().trace().programs)
                                 for (const trace::RecordedFault& f : p.faults) all.append(fault_of(f.fault));
                               return all;
                             })
      .def("greeting", &debug::Debugger::greeting)
      .def("prompt", &debug::Debugger::prompt)
      .def("completions", &debug::Debugger::completions)
      .def("execute",
           [](debug::Debugger& d, const std::string& line) { return without_gil([&] { return d.execute(line); }); });
}

void add_recorded_run(py::module_& m) {
  using Id = std::array<std::int64_t, 3>;
  py::class_<RecordedRun>(m, "RecordedRun")
      .def_property_readonly("programs",
                             [](const RecordedRun& r) {
                               std::vector<Id> all;
                               for (const ProgramId& id : r.programs()) all.push_back(place_of(id));
                               return all;
                             })
      .def_property_readonly("faults",
                             [](const RecordedRun& r) {
                               py::list all;
                               for (const Fault& f : r.faults()) all.append(fault_of(f));
                               return all;
                             })
      .def_property_readonly("notes", &RecordedRun::notes)
      .def("steps", [](RecordedRun& r, const Id& id) { return r.steps(id_of(id)); })
      .def("line", [](RecordedRun& r, const Id& id, std::int64_t step) { return r.line(id_of(id), step); })
      .def("op", [](RecordedRun& r, const Id& id, std::int64_t step) { return r.op(id_of(id), step); })
      .def("names", [](RecordedRun& r, const Id& id, std::int64_t step) { return r.names(id_of(id), step); })
      .def("value", [](RecordedRun& r, const Id& id, std::int64_t step,
                       const std::string& text) { return python_value(r.value(id_of(id), step, text)); })
      .def("history",
           [](RecordedRun& r, const std::string& cells) {
             py::list all;
             for (const CellTouch& t : r.history(cells))
               all.append(py::make_tuple(place_of(t.program), t.step, t.line, t.lane, t.kind, t.element,
                                         t.value ? python_value(*t.value) : py::none()));
             return all;
           })
      .def("draw",
           [](RecordedRun& r, const std::string& panel, std::optional<Id> id, std::optional<std::int64_t> step) {
             return r.draw(panel, id ? std::optional(id_of(*id)) : std::nullopt, step);
           })
      .def("save", &RecordedRun::save);
}

}  // namespace

PYBIND11_MODULE(_core, m) {
  py::register_exception_translator(translate);
#ifndef KMP_VERSION_MAJOR  // LLVM's OpenMP begins anew in a child, and until then waits for ever where it is asked
  pthread_atfork(nullptr, nullptr, [] { omp_set_num_threads(1); });  // GNU's looks for the parent's threads
#endif
  m.def("link_with", [](const std::string& library) { hostcc::link_with(library); });
  m.def("gpu", [] {  // its name; "": there is none, and why
    std::string why_not;
    return cuda::available(&why_not) ? py::make_tuple(cuda::device_info().name, "") : py::make_tuple("", why_not);
  });
  m.def("require_checks", [](const std::vector<std::string>& names) { run::parse_checks(names); });
  m.def("require_condition", [](const std::string& text) { PidCondition::parse(text); });
  add_arguments(m);
  add_kernel(m);
  add_python_kernel(m);
  add_debugger(m);
  add_recorded_run(m);
}

}  // namespace tl::python
