"""Arrays of NumPy, torch and others as a kernel's tensors: where they lie, their dtype, shape and strides."""

import ctypes
import sys
from dataclasses import dataclass

from tilescope.errors import Error

_dtypes = {
    "bool": "i1", "int8": "i8", "int16": "i16", "int32": "i32", "int64": "i64",
    "uint8": "u8", "uint16": "u16", "uint32": "u32", "uint64": "u64", "float16": "f16", "bfloat16": "bf16",
    "float32": "f32", "float64": "f64", "float8_e4m3fn": "f8e4nv", "float8_e5m2": "f8e5",
}
_sizes = {
    "i1": 1, "i8": 1, "u8": 1, "f8e4nv": 1, "f8e5": 1, "i16": 2, "u16": 2, "f16": 2, "bf16": 2,
    "i32": 4, "u32": 4, "f32": 4, "i64": 8, "u64": 8, "f64": 8,
}
_spellings = {
    **_dtypes, **{name: name for name in _sizes}, "float8e4nv": "f8e4nv", "float8e5": "f8e5", "int1": "i1",
    "fp8e4nv": "f8e4nv", "fp8e5": "f8e5", "fp16": "f16", "fp32": "f32", "fp64": "f64",  # as Triton prints them
}


def dtype_called(value):
    """As kernels call it, f16 of torch.float16, numpy.float16, "f16" or "tl.float16"; None: not a dtype."""
    return _spellings.get(getattr(value, "__name__", str(value)).split(".")[-1])


def cdiv(a, b):
    """a / b, rounded up."""
    return -(-a // b)


def next_power_of_2(n):
    """The smallest power of two that is not below n."""
    return 1 << max(0, n - 1).bit_length()


@dataclass
class _View:
    array: object
    dtype: str


def view(array, dtype):
    """An array of bits as a dtype that NumPy lacks: view(numbers_of_16_bits, "bf16"), "f8e4nv" or "f8e5" of 8 bits."""
    name = dtype_called(dtype)
    if name not in _sizes:
        raise Error(f'there is no dtype "{dtype}"', "choose from " + ", ".join(_sizes))
    return _View(array, name)


@dataclass
class _Descriptor:
    base: object
    block_shape: list


def descriptor(array, block_shape):
    """A tensor in tiles, for a parameter that is a tl::descriptor; a TensorDescriptor of Triton's does as well."""
    try:
        return _Descriptor(array, list(block_shape))
    except TypeError:
        raise Error(f"the shape of a descriptor's tiles is {block_shape!r}", "a number an axis: [64, 64]") from None


class Array:
    """What a kernel needs to know of one."""
    __slots__ = ("name", "address", "dtype", "size", "shape", "strides", "device", "is_read_only", "stream", "owner",
                 "storage")

    def __init__(self, name, address, dtype, size, shape, strides, device=None, is_read_only=False, stream=None,
                 owner=None):
        self.name, self.address = name, address
        self.dtype, self.size = dtype, size  # as NumPy calls it, of array_of as kernels do; bytes of an element
        self.shape, self.strides = shape, strides  # strides in elements
        self.device = device  # a CUDA device's number; None: the CPU
        self.is_read_only = is_read_only
        self.stream = stream  # a function that tells on which the GPU's work is queued; None: the default
        self.owner = owner  # keeps the memory
        self.storage = None  # elements from `address` to the end of the memory that a view is of; None: its own

    def is_contiguous(self):
        return self.strides == _row_major(self.shape) or all(
            n == 1 or s == r for n, s, r in zip(self.shape, self.strides, _row_major(self.shape)))

    def place(self):
        return "the CPU" if self.device is None else f"cuda:{self.device}"


def is_array(value):
    if type(value) in (int, float, bool):
        return False
    torch = sys.modules.get("torch")
    if torch and isinstance(value, torch.Tensor):  # the protocols of one without data raise
        return value.shape != ()
    protocols = ("__array_interface__", "__cuda_array_interface__", "__dlpack__", "block_shape")
    is_number = getattr(value, "shape", None) == ()  # NumPy's scalars have the protocol, too
    return isinstance(value, _View) or (not is_number and any(hasattr(value, p) for p in protocols))


def array_of(name, value):
    """Reads whichever protocol `value` has. Raises Error that names the argument."""
    found = _read(name, value.array if isinstance(value, _View) else value)
    if not isinstance(value, _View):
        found.dtype = _dtype_of(found)
    elif found.size != _sizes[value.dtype]:
        raise Error(f"{name} has {found.size} bytes an element, and {value.dtype} has {_sizes[value.dtype]}",
                    f"pass a view of numbers of {_sizes[value.dtype]} bytes")
    else:
        found.dtype = value.dtype
    return found


def _dtype_of(array):
    name, said = array.name, array.dtype
    if said in _dtypes:
        return _dtypes[said]
    fix = f"pass {name}.astype(numpy.float32); there are {', '.join(_dtypes)}"
    raise Error(f"{name} has dtype {said}, which kernels lack", fix)


def _read(name, value):
    torch = sys.modules.get("torch")
    if torch and isinstance(value, torch.Tensor):  # its DLPack refuses what has a gradient
        return _of_torch(torch, name, value)
    if hasattr(value, "__cuda_array_interface__"):
        said = value.__cuda_array_interface__
        stream = said.get("stream")
        return _of_interface(name, value, said, device=_cuda_device(value), stream=stream and (lambda: stream))
    if hasattr(value, "__array_interface__"):
        return _of_interface(name, value, value.__array_interface__)
    if hasattr(value, "__dlpack__"):
        return _of_dlpack(name, value)
    if all(hasattr(value, a) for a in ("data_ptr", "dtype", "shape", "stride")):
        return _of_data_ptr(name, value)
    raise Error(f"{name} is a {type(value).__name__}, and the kernel takes a tensor there",
                "pass an array of NumPy's, or a tensor of torch's")


def _of_torch(torch, name, t):
    place = t.device
    if t.layout is not torch.strided:
        raise Error(f"{name} is a tensor of layout {t.layout}", f"pass {name}.to_dense()")
    if place.type not in ("cpu", "cuda"):
        raise Error(f"{name} is on {place}", f"pass {name}.cpu() or {name}.cuda()")
    dtype, size = str(t.dtype)[len("torch."):], t.element_size()
    array = Array(name, t.data_ptr(), dtype, size, tuple(t.shape), t.stride(), owner=t)
    storage = t.untyped_storage() if hasattr(t, "untyped_storage") else t.storage()
    array.storage = storage.nbytes() // size - t.storage_offset()
    if place.type == "cuda":
        array.device, array.stream = place.index or 0, lambda: torch.cuda.current_stream(place).cuda_stream
    return array


def _of_data_ptr(name, value):
    """What Triton takes for a tensor: a class of a library's own that tells where its elements lie."""
    dtype, device = str(value.dtype).split(".")[-1], getattr(value, "device", None)
    size = _sizes.get(_dtypes.get(dtype), 0)  # of a dtype that kernels lack: refused by its name
    number = (device.index or 0) if getattr(device, "type", "cpu") == "cuda" else None
    return Array(name, value.data_ptr(), dtype, size, tuple(value.shape), tuple(value.stride()), number, owner=value)


def _cuda_device(value):
    device = getattr(value, "device", 0)
    return device if isinstance(device, int) else getattr(device, "id", 0)


def _of_interface(name, value, said, device=None, stream=None):
    order, size = said["typestr"][0], int(said["typestr"][2:] or value.itemsize)  # |O tells no size
    if order == ">" and size > 1:
        raise Error(f"{name} is big-endian ({said['typestr']})", f'pass {name}.astype({name}.dtype.newbyteorder("="))')
    shape = tuple(said["shape"])
    strides = said.get("strides") or tuple(s * size for s in _row_major(shape))
    if any(s % size for n, s in zip(shape, strides) if n > 1):
        raise Error(f"{name} is not contiguous: its elements lie {strides} bytes apart, no multiples of {size}",
                    f"pass numpy.ascontiguousarray({name})")
    address, is_read_only = said["data"]
    dtype = str(getattr(value, "dtype", None) or _dtype_of_typestr(said["typestr"]))  # bfloat16's is told by dtype alone
    strides = tuple(s // size for s in strides)
    array = Array(name, address or 0, dtype, size, shape, strides, device, is_read_only, stream, value)
    whole = value
    while isinstance(getattr(whole, "base", None), type(value)):
        whole = whole.base
    if whole is not value and whole.__array_interface__.get("strides") is None:
        array.storage = (whole.__array_interface__["data"][0] + whole.nbytes - array.address) // size
    return array


def _dtype_of_typestr(typestr):
    """float32 of <f4."""
    kinds = {"b": "bool", "i": "int", "u": "uint", "f": "float"}
    kind, size = kinds.get(typestr[1], typestr), int(typestr[2:])
    return kind if kind == "bool" else f"{kind}{8 * size}"


class _DLTensor(ctypes.Structure):
    _fields_ = [
        ("data", ctypes.c_void_p), ("device_type", ctypes.c_int32), ("device", ctypes.c_int32),
        ("axes", ctypes.c_int32), ("code", ctypes.c_uint8), ("bits", ctypes.c_uint8), ("lanes", ctypes.c_uint16),
        ("shape", ctypes.POINTER(ctypes.c_int64)), ("strides", ctypes.POINTER(ctypes.c_int64)),
        ("byte_offset", ctypes.c_uint64),
    ]


_dlpack_codes = {0: "int", 1: "uint", 2: "float", 4: "bfloat", 5: "complex"}
_dlpack_named = {6: "bool", 10: "float8_e4m3fn", 12: "float8_e5m2"}
_dlpack_cpu, _dlpack_cuda = 1, 2


def _of_dlpack(name, value):
    kind, number = value.__dlpack_device__()
    if kind not in (_dlpack_cpu, _dlpack_cuda):
        raise Error(f"{name} is on a device of DLPack's kind {int(kind)}", "pass one on the CPU or on a CUDA device")
    on_gpu = kind == _dlpack_cuda
    capsule = value.__dlpack__(stream=1) if on_gpu else value.__dlpack__()  # 1: CUDA's default stream waits for it
    pointer_of = ctypes.pythonapi.PyCapsule_GetPointer
    pointer_of.restype, pointer_of.argtypes = ctypes.c_void_p, [ctypes.py_object, ctypes.c_char_p]
    t = ctypes.cast(pointer_of(capsule, b"dltensor"), ctypes.POINTER(_DLTensor)).contents
    shape = tuple(t.shape[:t.axes])
    strides = tuple(t.strides[:t.axes]) if t.strides else _row_major(shape)
    dtype = _dlpack_named.get(t.code) or f"{_dlpack_codes.get(t.code, 'unknown')}{t.bits}"
    return Array(name, (t.data or 0) + t.byte_offset, dtype, t.bits // 8, shape, strides, number if on_gpu else None,
                 owner=capsule)


def _row_major(shape):
    strides, step = [], 1
    for n in reversed(shape):
        strides.insert(0, step)
        step *= n
    return tuple(strides)
