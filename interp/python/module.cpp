// tilescope._core: what the Python package asks of the interpreter, the recorder, the model and the GPU.
#include <fmt/format.h>
#include <omp.h>
#include <pthread.h>
#include <pybind11/pybind11.h>
#include <pybind11/stl.h>

#include <nlohmann/json.hpp>

#include "interp/cuda/host/device.h"
#include "interp/hostcc/compiler.h"
#include "interp/lang/unavailable.h"
#include "interp/python/interruptible.h"
#include "interp/python/kernel.h"
#include "interp/python/python_values.h"
#include "interp/python/recorded_run.h"
#include "interp/report/fault_text.h"
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
using Bound = std::vector<BoundArgument>;

LaunchRequest request_of(const std::array<std::int64_t, 3>& grid, const Bound& bound, int warps, int stages) {
  LaunchRequest request{{grid[0], grid[1], grid[2]}, {warps, stages}, {}};
  for (const BoundArgument& a : bound) request.arguments.push_back(a.is);
  return request;
}

void add_arguments(py::module_& m) {
  py::class_<BoundArgument>(m, "Argument");
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

void add_kernel(py::module_& m) {
  py::class_<Kernel>(m, "Kernel")
      .def(
          py::init([](const std::string& name) { return without_gil([&] { return std::make_unique<Kernel>(name); }); }))
      .def_property_readonly("name", [](const Kernel& k) { return k.user().functor().name; })
      .def_property_readonly("file", [](const Kernel& k) { return k.user().file().string(); })
      .def_property_readonly("text", [](const Kernel& k) { return k.user().text(); })
      .def_property_readonly("parameters",
                             [](const Kernel& k) {
                               py::list all;
                               for (const cases::Parameter& p : k.user().functor().parameters)
                                 all.append(py::make_tuple(p.name, p.short_name(), std::string(1, p.kind),
                                                           cases::kind_name(p.kind), p.is_stored));
                               return all;
                             })
      .def("run",
           [](Kernel& k, const std::array<std::int64_t, 3>& grid, const Bound& arguments, int warps, int stages,
              const std::vector<std::string>& checks) {
             without_gil([&] { run(k.launch(request_of(grid, arguments, warps, stages)).launch, checks); });
           })
      .def("start",
           [](Kernel& k, const std::array<std::int64_t, 3>& grid, const Bound& arguments, int warps, int stages,
              std::uintptr_t stream) {
             return without_gil([&] { return k.start(request_of(grid, arguments, warps, stages), stream); });
           })
      .def("record",
           [](Kernel& k, const std::array<std::int64_t, 3>& grid, const Bound& arguments, int warps, int stages,
              const std::string& programs, std::int64_t budget_mb) {
             return without_gil([&] {
               return std::make_unique<RecordedRun>(
                   record(k.launch(request_of(grid, arguments, warps, stages)), programs, budget_mb));
             });
           })
      .def("schedule", [](Kernel& k, const std::array<std::int64_t, 3>& grid, const Bound& arguments, int warps,
                          int stages, const std::string& gpu) {
        const Scheduled s =
            without_gil([&] { return schedule(k.launch(request_of(grid, arguments, warps, stages)), gpu); });
        return py::make_tuple(s.figures, s.drawing);
      });
}

// Of arguments of add_arguments, what argument_of takes, functions, and tuples of them.
triton::Given given_of(PythonKernel& kernel, LaunchRequest& request, const std::string& name, const py::handle& value) {
  if (const auto tuple = captured_tuple(value)) {
    std::vector<triton::Given> elements;
    for (std::size_t i = 0; i < tuple->first.size(); ++i)
      elements.push_back(given_of(kernel, request, fmt::format("{}[{}]", name, i), tuple->first[i]));
    return {std::move(elements), tuple->second};
  }
  const bool is_bound = py::isinstance<BoundArgument>(value);
  if (!is_bound && is_callable(value)) return {value_of(kernel, value)};
  request.arguments.push_back(is_bound ? value.cast<BoundArgument>().is : argument_of(name, value));
  request.names.push_back(name);
  return {request.arguments.size() - 1};
}

LaunchRequest python_request_of(PythonKernel& kernel, const std::array<std::int64_t, 3>& grid, const py::list& values,
                                int warps, int stages) {
  LaunchRequest request{{grid[0], grid[1], grid[2]}, {warps, stages}, {}};
  const std::vector<std::string> names = kernel.parameters();
  for (std::size_t i = 0; i < values.size(); ++i)
    request.given.push_back(given_of(kernel, request, names.at(i), values[i]));
  return request;
}

void add_python_kernel(py::module_& m) {
  using Axes = std::array<std::int64_t, 3>;
  py::class_<PythonKernel>(m, "PythonKernel")
      .def(py::init(&python_kernel_of))
      .def("run",
           [](PythonKernel& k, const Axes& grid, const py::list& values, int warps, int stages,
              const std::vector<std::string>& checks) {
             const LaunchRequest r = python_request_of(k, grid, values, warps, stages);
             without_gil([&] { run(k.launch(r).launch, checks); });
           })
      .def(
          "record",
          [](PythonKernel& k, const Axes& grid, const py::list& values, int warps, int stages,
             const std::string& programs, std::int64_t budget_mb) {
            const LaunchRequest r = python_request_of(k, grid, values, warps, stages);
            return without_gil([&] { return std::make_unique<RecordedRun>(record(k.launch(r), programs, budget_mb)); });
          })
      .def("schedule", [](PythonKernel& k, const Axes& grid, const py::list& values, int warps, int stages,
                          const std::string& gpu) {
        const LaunchRequest r = python_request_of(k, grid, values, warps, stages);
        const Scheduled s = without_gil([&] { return schedule(k.launch(r), gpu); });
        return py::make_tuple(s.figures, s.drawing);
      });
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
  add_arguments(m);
  add_kernel(m);
  add_python_kernel(m);
  add_recorded_run(m);
}

}  // namespace tl::python
