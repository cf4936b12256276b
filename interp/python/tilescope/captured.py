"""What a kernel of Triton's is made of: its text, and the values of the names that it and its helpers read."""

import ast
import collections
import inspect
import linecache
import os
import sys
import textwrap
import types
from dataclasses import dataclass

from tilescope.arrays import cdiv, dtype_called, next_power_of_2
from tilescope.errors import CompileError, Error


@dataclass(frozen=True)
class Member:
    """A module or a function of Triton's: triton.language, triton.language.exp."""
    path: str


class Op:
    """A function of Triton's language, as the module that stands in for it has them."""

    def __init__(self, module, name):
        self.__module__, self.__name__ = module, name

    def __call__(self, *_, **__):
        raise Error(f"tl.{self.__name__} is called outside of a kernel", "call it in a function with @triton.jit")

    def __repr__(self):
        return f"{self.__module__}.{self.__name__}"


@dataclass(frozen=True)
class Dtype:
    name: str  # f32


@dataclass(frozen=True)
class Constant:
    """An argument that the text may use as a constant."""
    value: object


@dataclass(frozen=True)
class Module:
    """A module of the script's: those of its members that the kernel reads."""
    name: str
    members: dict


@dataclass(frozen=True)
class Unusable:
    """A value that kernels cannot read; an error where one does."""
    what: str  # a list


@dataclass(frozen=True)
class Named:
    """A named tuple."""
    fields: tuple
    values: tuple


class Computed:
    """A function that Triton calls with constants, while it compiles."""

    def __init__(self, python, captured):
        self.name, self._python, self._captured = python.__name__, python, captured

    def call(self, positional, named):
        return self._captured.value_of(self._python(*positional, **named))


class Function:
    """The text of a function, or of a class of tuples, in its file; its names' values as they were when it was
    captured."""

    def __init__(self, python):
        self.python, self.name = python, python.__name__
        if isinstance(python, type):
            self._of_class(python)
        else:
            self.file = python.__code__.co_filename
            self.text, self.first_line, self.indent = _text_of(python, self.file)
            self.scope = _scope_of(python)
            local_names = set(python.__code__.co_varnames + python.__code__.co_cellvars)
            self.paths = _paths_in(_tree_of(self), self.scope, local_names)
        self.names, self.number = {}, None  # filled by Captured, for functions may call each other

    def _of_class(self, python):
        methods = [function_of(m) or m for m in vars(python).values()]
        self.scope = dict(vars(sys.modules[python.__module__]))
        for method in methods:
            if isinstance(method, types.FunctionType):
                self.scope.update(_scope_of(method))
        try:
            self.file = inspect.getsourcefile(python)
            self.text, self.first_line, self.indent = _text_of(python, self.file)
        except (Error, OSError, TypeError):  # of collections.namedtuple
            self.file, self.first_line, self.indent = python.__module__, 1, 0
            self.text = f"class {self.name}:\n" + "".join(_field_text(python, f) for f in python._fields)
        self.paths = _paths_in(_tree_of(self), self.scope, set())

    @property
    def placed_text(self):
        """At its place in the file, so that lines and columns are the file's; what it is nested in is `if True:`."""
        before = "\n" * (self.first_line - 1)
        if self.indent == 0:
            return before + self.text
        return before[1:] + "if True:\n" + "".join(inspect.getsourcelines(self.python)[0])

    @property
    def source(self):
        return "".join(linecache.getlines(self.file))

    @property
    def shown_file(self):
        """As messages name it: from the working folder where it lies beneath."""
        relative = self.file if self.file.startswith("<") else os.path.relpath(self.file)
        return self.file if relative.startswith(os.pardir) else relative

    def has_changed(self):
        return any(_at(self.scope, path) is not value for path, value in self.paths.items())


class Captured:
    """A kernel and all that it calls; `functions[0]` is the kernel."""

    def __init__(self, kernel):
        self.functions = []
        self._numbers = {}
        self.number_of(kernel)

    def number_of(self, python):
        """Where in `functions` a function is; captures it where it is new."""
        if python not in self._numbers:
            self._numbers[python] = len(self.functions)
            function = Function(python)
            function.number = len(self.functions)
            self.functions.append(function)
            for path, value in function.paths.items():
                self._put(function.names, path, value)
        return self._numbers[python]

    def has_changed(self):
        """Whether a name has another value by now."""
        return any(f.has_changed() for f in self.functions)

    def value_of(self, value):
        """As a kernel takes it: a plain value, Member, Dtype, Unusable, or the function behind a jit."""
        is_constant, value = unwrapped(value) is not value, unwrapped(value)
        if value is None or isinstance(value, (bool, int, float, str)):
            return value
        if is_constant and isinstance(value, types.FunctionType):  # under @tl.constexpr
            return Computed(value, self)
        if isinstance(value, tuple):
            values = tuple(self.value_of(v) for v in value)
            return Named(value._fields, values) if hasattr(value, "_fields") else values
        if type(value).__name__ == "ConstexprFunction":
            return Computed(value.fn, self)
        if member := member_of(value):
            return member
        python = value if _is_class_of_tuples(value) else function_of(value)
        if python is not None:
            return self.functions[self.number_of(python)]
        dtype = dtype_of(value)
        return Dtype(dtype) if dtype else Unusable(said(value))

    def _put(self, names, path, value):
        for i, name in enumerate(path[:-1]):
            names = names.setdefault(name, Module(".".join(path[:i + 1]), {})).members
        names[path[-1]] = self.value_of(value)


def tuple_of(values, names):
    """What a function of constants is called with."""
    return collections.namedtuple("Values", names)(*values) if names else tuple(values)


def tritons_dtype(name):
    import triton.language
    return getattr(triton.language, name)


def unwrapped(value):
    """Without tl.constexpr around it."""
    return value.value if type(value).__name__ == "constexpr" else value


def is_constexpr(annotation):
    return "constexpr" in (annotation if isinstance(annotation, str) else getattr(annotation, "__name__", ""))


def function_of(value):
    """The Python function of a jit object; None of other values. A decorator around it (autotune) has it as fn, too."""
    while hasattr(value, "fn"):
        value = value.fn
        if isinstance(value, types.FunctionType):
            return value
    return None


def decorators_of(value):
    """What autotune and heuristics made around a jit function, the outermost first."""
    around = []
    while hasattr(value, "fn"):
        if hasattr(value, "configs") or isinstance(getattr(value, "values", None), dict):
            around.append(value)
        value = value.fn
    return around


def dtype_of(value):
    """f16 of torch.float16, numpy.float16, tl.float16; None: not a dtype."""
    is_dtype = isinstance(value, type) or "dtype" in type(value).__name__.lower()
    return dtype_called(value) if is_dtype else None


def member_of(value):
    """What of Triton's it is; None of other values."""
    if isinstance(value, types.ModuleType):
        return Member(value.__name__) if _is_tritons(value.__name__) else None
    if dtype_of(value):
        return None
    module = getattr(function_of(value) or value, "__module__", None)
    if value is cdiv or value is next_power_of_2:  # `from triton import cdiv`, where ours stands in
        return Member("triton." + value.__name__)
    name = getattr(value, "__name__", None) or getattr(function_of(value), "__name__", None)
    if not (isinstance(module, str) and name and _is_tritons(module)):
        return None
    if "libdevice" in module:
        return Member("triton.language.extra.libdevice." + name)
    if module.startswith("triton.language.extra.cuda"):
        return Member("triton.language.extra.cuda." + name)
    return Member(("triton.language." if module.startswith("triton.language") else "triton.") + name)


def _is_class_of_tuples(value):
    return isinstance(value, type) and (hasattr(value, "_fields") or getattr(value, "__triton_aggregate__", False))


def _field_text(python, name):
    defaults = python._field_defaults
    return f"    {name}: object" + (f" = {defaults[name]!r}\n" if name in defaults else "\n")


def _is_tritons(module):
    return module == "triton" or module.startswith("triton.")


def _text_of(python, file):
    """The text without its indentation, its first line in the file, and how deep it was indented."""
    linecache.checkcache(file)
    try:
        lines, first = inspect.getsourcelines(python)
    except (OSError, TypeError):
        raise Error(f"{python.__name__} has no text: it was made in {file}",
                    "put the kernel into a file; `python -m tilescope` keeps the text that exec() is given") from None
    text = "".join(lines)
    dedented = textwrap.dedent(text)
    return dedented, first, len(lines[0]) - len(dedented.split("\n", 1)[0]) - lines[0].endswith("\n")


def _tree_of(function):
    try:
        return ast.parse(function.text)
    except SyntaxError:
        raise CompileError(f"{function.file}:{function.first_line}: the text of {function.name} is no function",
                           "write it as `def`, with @triton.jit above it") from None


def _scope_of(python):
    """Names to values: the globals, the built-in ones aside, and what it closes over."""
    scope = python.__globals__
    if python.__closure__:
        cells = zip(python.__code__.co_freevars, python.__closure__)
        scope = {**scope, **{name: cell.cell_contents for name, cell in cells if _is_filled(cell)}}
    return scope


def _is_filled(cell):
    try:
        cell.cell_contents
    except ValueError:
        return False
    return True


def _paths_in(tree, scope, local_names):
    """What the text reads of the scope: ("BLOCK",), and of a module of the script's ("utils", "softplus")."""
    paths = {}
    definition = tree.body[0]
    decorators = {id(node) for d in definition.decorator_list for node in ast.walk(d)}
    for node in ast.walk(definition):
        path = _path(node)
        if path is None or id(node) in decorators or path[0] not in scope or path[0] in local_names:
            continue
        value = scope[path[0]]
        found = [path[0]]
        for name in path[1:]:
            if not _is_of_a_module(value) or not hasattr(value, name):
                break
            value = getattr(value, name)
            found.append(name)
        if not _is_of_a_module(value):
            paths[tuple(found)] = value
    return paths


def _is_of_a_module(value):
    return isinstance(value, types.ModuleType) and not _is_tritons(value.__name__)


def _path(node):
    """("a", "b") for a.b; None: not a name."""
    names = []
    while isinstance(node, ast.Attribute):
        names.append(node.attr)
        node = node.value
    return (node.id, *reversed(names)) if isinstance(node, ast.Name) else None


def _at(scope, path):
    value = scope.get(path[0])
    for name in path[1:]:
        value = getattr(value, name, None)
    return value


def said(value):
    """a list"""
    name = "class" if isinstance(value, type) else type(value).__name__
    return f"{'an' if name[0] in 'aeiou' else 'a'} {name}"
