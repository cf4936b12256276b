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

bool is_of_torch(const py::handle& value) {
  static PyObject* const name = PyUnicode_InternFromString("torch");
  const py::object torch = or_none(PyImport_GetModule(name));
  const py::object tensor = torch ? attribute(torch, "Tensor") : py::object();
  return tensor && PyType_Check(tensor.ptr()) &&
         PyType_IsSubtype(Py_TYPE(value.ptr()), reinterpret_cast<PyTypeObject*>(tensor.ptr()));
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
  return v.attr("is_cuda").cast<bool>() && v.attr("get_device")().cast<int>() == 0;
}

std::optional<Tensor> of_torch(const std::string& name, const py::handle& v, ArrayRules rules) {
  const bool is_on_cpu = v.attr("is_cpu").cast<bool>(), reaches_storage = rules.reaches_storage;
  if (!is_on_cpu && !(rules.takes_gpu && is_of_first_gpu(v))) return std::nullopt;
  if (v.attr("is_sparse").cast<bool>() || v.attr("is_quantized").cast<bool>()) return std::nullopt;
  const auto dtype = dtype_of_torch(v.attr("dtype"));
  if (!dtype) return std::nullopt;
  Tensor t{.name = name, .dtype = *dtype};
  t.holds_data = is_on_cpu;
  t.shape = v.attr("shape").cast<std::vector<std::int64_t>>();
  t.strides = v.attr("stride")().cast<std::vector<std::int64_t>>();
  if (t.shape.empty() || (!reaches_storage && !v.attr("is_contiguous")().cast<bool>())) return std::nullopt;
  t.storage_elems = t.elems();
  if (!is_on_cpu) {  // nobody looks there: what it spans tells which tensors share memory
    for (std::size_t i = 0; i < t.shape.size() && t.storage_elems > 0; ++i)
      t.storage_elems = (i == 0 ? 1 : t.storage_elems) + (t.shape[i] - 1) * t.strides[i];
  } else if (reaches_storage) {
    const py::object storage = py::hasattr(v, "untyped_storage") ? v.attr("untyped_storage")() : v.attr("_storage")();
    t.storage_elems = storage.attr("nbytes")().cast<std::int64_t>() / static_cast<std::int64_t>(size_in_bytes(*dtype)) -
                      v.attr("storage_offset")().cast<std::int64_t>();
  }
  t.storage = {reinterpret_cast<std::byte*>(v.attr("data_ptr")().cast<std::uintptr_t>()), [](std::byte*) {}};
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
