"""triton.language as scripts see it: names that kernels read, dtypes, constexpr. The interpreter does the work."""

import importlib
import operator

from tilescope.captured import Op


class constexpr:
    """A number, a text or a dtype that kernels may use as a constant."""

    def __init__(self, value):
        self.value = value.value if isinstance(value, constexpr) else value

    def __class_getitem__(cls, _):  # tl.constexpr[int]
        return cls

    def __repr__(self):
        return f"constexpr[{self.value}]"

    def __bool__(self):
        return bool(self.value)

    def __index__(self):
        return operator.index(self.value)

    def __int__(self):
        return int(self.value)

    def __float__(self):
        return float(self.value)

    def __hash__(self):
        return hash(self.value)


def _of_two(work):
    return lambda a, b: constexpr(work(*(x.value if isinstance(x, constexpr) else x for x in (a, b))))


for _name in ("add", "sub", "mul", "truediv", "floordiv", "mod", "pow", "and", "or", "xor", "lshift", "rshift"):
    _work = getattr(operator, f"__{_name}__")
    setattr(constexpr, f"__{_name}__", _of_two(_work))
    setattr(constexpr, f"__r{_name}__", _of_two(lambda a, b, work=_work: work(b, a)))
for _name in ("eq", "ne", "lt", "le", "gt", "ge"):
    setattr(constexpr, f"__{_name}__", _of_two(getattr(operator, _name)))
for _name in ("neg", "pos", "invert"):
    setattr(constexpr, f"__{_name}__", lambda a, work=getattr(operator, _name): constexpr(work(a.value)))


class ConstexprFunction:
    """A function of Python's that kernels may call with constants."""

    def __init__(self, fn):
        self.fn = fn

    def __call__(self, *args, **kwargs):
        return self.fn(*map(_plain, args), **{name: _plain(value) for name, value in kwargs.items()})


def _plain(value):
    return value.value if isinstance(value, constexpr) else value


constexpr_function = ConstexprFunction


class dtype:
    def __init__(self, name, bits, kind):
        self.name, self.primitive_bitwidth, self.itemsize, self.kind = name, bits, max(1, bits // 8), kind

    def is_floating(self):
        return self.kind == "float"

    def is_fp8(self):
        return self.is_floating() and self.primitive_bitwidth == 8

    def is_int(self):
        return self.kind != "float"

    def is_int_signed(self):
        return self.kind == "int" and self.primitive_bitwidth > 1

    def is_int_unsigned(self):
        return self.kind == "uint"

    def is_bool(self):
        return self.primitive_bitwidth == 1

    @property
    def scalar(self):
        return self

    def __repr__(self):
        return self.name

    def __eq__(self, other):
        return isinstance(other, dtype) and self.name == other.name

    def __hash__(self):
        return hash(self.name)


int1 = dtype("int1", 1, "int")
int8, int16, int32, int64 = (dtype(f"int{bits}", bits, "int") for bits in (8, 16, 32, 64))
uint8, uint16, uint32, uint64 = (dtype(f"uint{bits}", bits, "uint") for bits in (8, 16, 32, 64))
float16, float32, float64 = (dtype(f"fp{bits}", bits, "float") for bits in (16, 32, 64))
bfloat16 = dtype("bf16", 16, "float")
float8e4nv, float8e5 = dtype("fp8e4nv", 8, "float"), dtype("fp8e5", 8, "float")
for _name in [d.name for d in list(globals().values()) if isinstance(d, dtype)]:
    setattr(dtype, f"is_{_name}", lambda self, name=_name: self.name == name)  # is_bf16()


class tensor:
    """What annotations name."""


class tensor_descriptor:
    """What annotations name."""


class pointer_type:
    """What annotations name."""

    def __init__(self, element_ty, address_space=1):
        self.element_ty = element_ty


def __getattr__(name):
    """tl.exp and its like; a name that the interpreter does not know is an error where a kernel uses it."""
    if name.startswith("__"):
        raise AttributeError(name)
    if name in ("core", "extra", "math", "standard"):
        return importlib.import_module("triton.language." + name)
    return globals().setdefault(name, Op("triton.language", name))
