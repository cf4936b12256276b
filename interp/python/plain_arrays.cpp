#include "interp/python/plain_arrays.h"

#include <pybind11/stl.h>

#include <map>

#include "interp/case/words.h"

namespace py = pybind11;

namespace tl::python {

namespace {

// As NumPy documents it.
struct ArrayStruct {
  enum Flags { contiguous = 1, aligned = 0x100, not_swapped = 0x200, writable = 0x400 };
  int two;
  int rank;
  char kind;  // f of a float
  int item_bytes;
  int flags;
  Py_intptr_t *shape, *strides;  // strides in bytes
  std::byte* data;
  PyObject* description;

  bool has(int wanted) const { return (flags & wanted) == wanted; }
  std::byte* end() const {
    std::ptrdiff_t bytes = item_bytes;
    for (int i = 0; i < rank; ++i) bytes *= shape[i];
    return data + bytes;
  }
};

// Empty where there is none.
py::object or_none(PyObject* found) {
  if (!found) PyErr_Clear();
  return py::reinterpret_steal<py::object>(found);
}
py::object attribute(const py::handle& value, const char* name) {
  return or_none(PyObject_GetAttrString(value.ptr(), name));
}

// `capsule` owns it.
const ArrayStruct* array_struct(const py::object& capsule) {
  if (!capsule || !PyCapsule_CheckExact(capsule.ptr())) return nullptr;
  const auto* const a = static_cast<const ArrayStruct*>(PyCapsule_GetPointer(capsule.ptr(), nullptr));
  if (!a) PyErr_Clear();
  return a && a->two == 2 ? a : nullptr;
}

std::optional<DType> dtype_of(const ArrayStruct& a) {
  switch (a.kind) {
    case 'b': return DType::int1;
    case 'f':
      if (a.item_bytes == 2) return DType::float16;
      if (a.item_bytes == 4) return DType::float32;
      if (a.item_bytes == 8) return DType::float64;
      return std::nullopt;
    case 'i':
    case 'u':
      for (const DType t : {DType::int8, DType::int16, DType::int32, DType::int64, DType::uint8, DType::uint16,
                            DType::uint32, DType::uint64})
        if (size_in_bytes(t) == a.item_bytes && is_signed(t) == (a.kind == 'i')) return t;
      return std::nullopt;
    default: return std::nullopt;
  }
}

// The end of the memory that an array views; null for memory that is not contiguous.
const std::byte* end_of_storage(py::object view) {
  while (true) {
    py::object base = attribute(view, "base");
    if (!base || Py_TYPE(base.ptr()) != Py_TYPE(view.ptr())) break;
    view = std::move(base);
  }
  const py::object capsule = attribute(view, "__array_struct__");
  const ArrayStruct* const a = array_struct(capsule);
  return a && a->has(ArrayStruct::contiguous) ? a->end() : nullptr;
}

std::optional<Tensor> of_numpy(const std::string& name, const py::handle& value, bool reaches_storage) {
  const py::object capsule = attribute(value, "__array_struct__");
  const ArrayStruct* const a = array_struct(capsule);
  constexpr int plain =
      ArrayStruct::contiguous | ArrayStruct::aligned | ArrayStruct::not_swapped | ArrayStruct::writable;
  if (!a || a->rank == 0 || !a->has(plain)) return std::nullopt;
  const auto dtype = dtype_of(*a);
  if (!dtype) return std::nullopt;
  Tensor t{.name = name, .dtype = *dtype, .shape{a->shape, a->shape + a->rank}};
  t.strides.resize(t.shape.size());
  std::int64_t step = 1;
  for (std::size_t i = t.shape.size(); i-- > 0; step *= t.shape[i]) t.strides[i] = step;
  const std::byte* const end = reaches_storage ? end_of_storage(py::reinterpret_borrow<py::object>(value)) : nullptr;
  t.storage_elems = end ? (end - a->data) / a->item_bytes : t.elems();
  t.storage = {a->data, [](std::byte*) {}};
  return t;
}

// An attribute's name, made once: a launch reads eight of each of torch's tensors, and finds them five times as fast by
// a name that Python has interned.
class Attribute {
 public:
  explicit Attribute(const char* name) : name_(PyUnicode_InternFromString(name)) {}
  PyObject* name() const { return name_; }
  py::object of(const py::handle& value) const { return made(PyObject_GetAttr(value.ptr(), name_)); }
  py::object called(const py::handle& value) const { return made(PyObject_CallMethodNoArgs(value.ptr(), name_)); }
  bool is_true(const py::handle& value) const { return of(value).ptr() == Py_True; }

 private:
  static py::object made(PyObject* found) {
    if (!found) throw py::error_already_set();
    return py::reinterpret_steal<py::object>(found);
  }
  PyObject* name_;
};

// null: no script has imported it
py::object torch_module() {
  static const Attribute torch("torch");
  return or_none(PyImport_GetModule(torch.name()));
}

bool is_of_torch(const py::handle& value) {
  static const Attribute tensor("Tensor");
  const py::object torch = torch_module();
  const py::object type = torch ? or_none(PyObject_GetAttr(torch.ptr(), tensor.name())) : py::object();
  return type && PyType_Check(type.ptr()) &&
         PyType_IsSubtype(Py_TYPE(value.ptr()), reinterpret_cast<PyTypeObject*>(type.ptr()));
}

// torch.Size, or what stride() returns.
std::vector<std::int64_t> sizes_in(const py::object& tuple) {
  if (!PyTuple_Check(tuple.ptr())) return tuple.cast<std::vector<std::int64_t>>();
  std::vector<std::int64_t> sizes(static_cast<std::size_t>(PyTuple_GET_SIZE(tuple.ptr())));
  for (std::size_t i = 0; i < sizes.size(); ++i)
    sizes[i] = PyLong_AsLongLong(PyTuple_GET_ITEM(tuple.ptr(), static_cast<Py_ssize_t>(i)));
  if (PyErr_Occurred()) throw py::error_already_set();
  return sizes;
}

// Nothing where kernels lack it. torch makes each of its dtypes once.
std::optional<DType> dtype_of_torch(const py::object& dtype) {
  static std::map<PyObject*, std::optional<DType>> known;
  const auto it = known.find(dtype.ptr());
  if (it != known.end()) return it->second;
  const py::object name = py::module_::import("tilescope.arrays").attr("dtype_called")(dtype);
  return known[dtype.inc_ref().ptr()] = name.is_none() ? std::nullopt : cases::dtype_constant(name.cast<std::string>());
}

bool is_of_first_gpu(const py::handle& v) {
  static const Attribute is_cuda("is_cuda"), get_device("get_device");
  return is_cuda.is_true(v) && get_device.called(v).cast<int>() == 0;
}

// From its first element to the end of the memory that it views.
std::int64_t elements_of_storage(const py::handle& v, DType dtype) {
  const py::object storage = py::hasattr(v, "untyped_storage") ? v.attr("untyped_storage")() : v.attr("_storage")();
  return storage.attr("nbytes")().cast<std::int64_t>() / static_cast<std::int64_t>(size_in_bytes(dtype)) -
         v.attr("storage_offset")().cast<std::int64_t>();
}

std::optional<Tensor> of_torch(const std::string& name, const py::handle& v, ArrayRules rules) {
  static const Attribute is_cpu("is_cpu"), layout("layout"), strided("strided"), dtype_name("dtype"), shape("shape"),
      stride("stride"), is_contiguous("is_contiguous"), data_ptr("data_ptr");
  const bool is_on_cpu = is_cpu.is_true(v), reaches_storage = rules.reaches_storage;
  if (!is_on_cpu && !(rules.takes_gpu && is_of_first_gpu(v))) return std::nullopt;
  if (!layout.of(v).is(strided.of(torch_module()))) return std::nullopt;
  const auto dtype = dtype_of_torch(dtype_name.of(v));
  if (!dtype) return std::nullopt;
  Tensor t{.name = name, .dtype = *dtype};
  t.holds_data = is_on_cpu;
  t.shape = sizes_in(shape.of(v));
  t.strides = sizes_in(stride.called(v));
  if (t.shape.empty() || (!reaches_storage && !is_contiguous.called(v).cast<bool>())) return std::nullopt;
  t.storage_elems = t.elems();
  if (!is_on_cpu) {  // nobody looks there: what it spans tells which tensors share memory
    for (std::size_t i = 0; i < t.shape.size() && t.storage_elems > 0; ++i)
      t.storage_elems = (i == 0 ? 1 : t.storage_elems) + (t.shape[i] - 1) * t.strides[i];
  } else if (reaches_storage) {
    t.storage_elems = elements_of_storage(v, *dtype);
  }
  t.storage = {reinterpret_cast<std::byte*>(data_ptr.called(v).cast<std::uintptr_t>()), [](std::byte*) {}};
  return t;
}

}  // namespace

std::optional<Tensor> plain_array(const std::string& name, const py::handle& value, ArrayRules rules) {
  try {
    return is_of_torch(value) ? of_torch(name, value, rules) : of_numpy(name, value, rules.reaches_storage);
  } catch (const py::error_already_set&) {  // a tensor that has no strides, or no memory
    return std::nullopt;
  }
}

}  // namespace tl::python
