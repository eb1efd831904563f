"""Pickled numbers, texts, lists, tables and NumPy arrays, read without running anything.

A pickle is a small program whose instructions may call any function. This reader walks through
the instructions itself, knows only those that describe plain data, and rebuilds arrays from
their bytes on its own; a name that is not NumPy's way to store an array is refused.
"""

from __future__ import annotations

import math
import pickletools
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np

from poise.io.source import one_line

_ARRAY, _SCALAR, _BUFFER, _ENCODE, _NDARRAY, _DTYPE, _TABLE, _BYTES = (
    "array",
    "scalar",
    "buffer",
    "encode",
    "ndarray",
    "dtype",
    "table",
    "bytes",
)
KNOWN = {
    "numpy.core.multiarray _reconstruct": _ARRAY,
    "numpy._core.multiarray _reconstruct": _ARRAY,
    "numpy.core.multiarray scalar": _SCALAR,
    "numpy._core.multiarray scalar": _SCALAR,
    "numpy.core.numeric _frombuffer": _BUFFER,
    "numpy._core.numeric _frombuffer": _BUFFER,
    "numpy ndarray": _NDARRAY,
    "numpy dtype": _DTYPE,
    "_codecs encode": _ENCODE,
    "collections OrderedDict": _TABLE,
    "__builtin__ bytes": _BYTES,  # how old protocols say "no bytes at all"
    "builtins bytes": _BYTES,
    "__builtin__ bytearray": _BYTES,
    "builtins bytearray": _BYTES,
}
MOST_STEPS = 5_000_000  # instructions; a motion as arrays has a few hundred


class UnsafePickle(ValueError):
    """A pickle that is broken, or that holds more than data."""


class _Mark:
    pass


@dataclass(frozen=True)
class _Name:
    """A name that a pickle looks up; it is never looked up here."""

    meaning: str


@dataclass(eq=False)
class _Dtype:
    code: str
    order: str = "<"


@dataclass(eq=False)
class _Array:
    """An array on its way: filled by the instruction that brings shape, type and bytes."""

    value: np.ndarray | None = None


def plain_data(data: bytes) -> Any:
    """What a pickle describes, as lists, dicts, texts, numbers and arrays."""
    try:
        return _finished(_Machine().run(data))
    except (ValueError, TypeError, IndexError, KeyError, AttributeError, OverflowError) as error:
        if isinstance(error, UnsafePickle):
            raise
        raise UnsafePickle(f"broken ({one_line(error)})") from None
    except (RecursionError, MemoryError):
        raise UnsafePickle("nested or sized beyond reason") from None


class _Machine:
    """The stack and the memory of a pickle, without any of its powers."""

    def __init__(self) -> None:
        self.stack: list[Any] = []
        self.memo: dict[int, Any] = {}

    def run(self, data: bytes) -> Any:
        for step, (opcode, argument, _) in enumerate(pickletools.genops(data)):
            if step > MOST_STEPS:
                raise UnsafePickle(f"longer than {MOST_STEPS} instructions")
            name = opcode.name
            if name == "STOP":
                return self.stack.pop()
            if name in _VALUES:
                self.stack.append(argument)
            elif name in _CONSTANTS:
                self.stack.append(_CONSTANTS[name]())
            elif name in _ACTIONS:
                _ACTIONS[name](self, argument)
            elif name not in ("PROTO", "FRAME"):
                raise UnsafePickle(f"using the instruction {name}, which is more than data")
        raise UnsafePickle("broken (it has no end)")

    def since_mark(self) -> list[Any]:
        """Everything above the last mark, and the mark, taken off the stack."""
        for k in range(len(self.stack) - 1, -1, -1):
            if isinstance(self.stack[k], _Mark):
                items = self.stack[k + 1 :]
                del self.stack[k:]
                return items
        raise UnsafePickle("broken (a list without a start)")

    # -- containers ------------------------------------------------------------------

    def append(self, items: list[Any]) -> None:
        target = self.stack[-1]
        if not isinstance(target, list):
            raise UnsafePickle("broken (adding to what is no list)")
        target.extend(items)

    def set_items(self, items: list[Any]) -> None:
        target = self.stack[-1]
        if not isinstance(target, dict) or len(items) % 2:
            raise UnsafePickle("broken (adding to what is no table)")
        for key, value in zip(items[::2], items[1::2], strict=True):
            if not isinstance(key, str | int | bytes):  # others might take for ever to hash
                raise UnsafePickle(f"a table with a {type(key).__name__} for a key")
            target[key] = value

    def table(self, items: list[Any]) -> None:
        self.stack.append({})
        self.set_items(items)

    def tuple_of(self, count: int) -> None:
        items = tuple(self.stack[len(self.stack) - count :])
        if len(items) != count or any(isinstance(item, _Mark) for item in items):
            raise UnsafePickle("broken (a tuple with too few items)")
        del self.stack[len(self.stack) - count :]
        self.stack.append(items)

    def pop(self) -> None:
        self.stack.pop()

    # -- names -----------------------------------------------------------------------

    def name(self, module_and_name: str) -> None:
        if module_and_name not in KNOWN:
            dotted = module_and_name.replace(" ", ".")
            raise UnsafePickle(f"asking for {dotted}, which could run a program")
        self.stack.append(_Name(KNOWN[module_and_name]))

    def stacked_name(self) -> None:
        name, module = self.stack.pop(), self.stack.pop()
        self.name(f"{module} {name}")

    # -- arrays ----------------------------------------------------------------------

    def call(self) -> None:
        arguments, name = self.stack.pop(), self.stack.pop()
        if not isinstance(name, _Name) or not isinstance(arguments, tuple):
            raise UnsafePickle("calling what is no name")
        self.stack.append(_CALLS[name.meaning](*arguments))

    def build(self) -> None:
        state, target = self.stack.pop(), self.stack[-1]
        if isinstance(target, _Dtype):
            target.order = _byte_order(state)
        elif isinstance(target, _Array):
            _, shape, dtype, fortran, content = state
            target.value = _array(content, dtype, shape, "F" if fortran else "C")
        else:
            raise UnsafePickle(f"changing a {type(target).__name__} from inside")


def _dtype(code: Any, *_: Any) -> _Dtype:
    if not isinstance(code, str) or code[:1] not in "fiub" or not code[1:].isdigit():
        raise UnsafePickle(f"an array of type {one_line(code, 20)}, which is no plain number")
    return _Dtype(code)


def _byte_order(state: Any) -> str:
    order = state[1]
    if order not in ("<", ">", "|", "=") or any(item is not None for item in state[2:5]):
        raise UnsafePickle("an array of records")
    return order


def _array(content: Any, dtype: Any, shape: Any, order: Any) -> np.ndarray:
    if not isinstance(dtype, _Dtype) or not isinstance(content, bytes | bytearray):
        raise UnsafePickle("an array of objects")
    plain = np.dtype(dtype.order + dtype.code)
    lengths = tuple(shape) if isinstance(shape, tuple | list) else (shape,)
    if any(not isinstance(length, int) or length < 0 for length in lengths):
        raise UnsafePickle("broken (an array of impossible shape)")
    if math.prod(lengths) * plain.itemsize != len(content):
        raise UnsafePickle(f"broken (an array of shape {lengths} in {len(content)} bytes)")
    flat = np.frombuffer(bytes(content), plain) if content else np.zeros(0, plain)
    return flat.reshape(lengths, order="F" if order == "F" else "C")


def _scalar(dtype: Any, content: Any) -> Any:
    return _array(content, dtype, (), "C").item()


def _encoded(text: Any, codec: Any = "latin1") -> bytes:
    if not isinstance(text, str) or codec != "latin1":
        raise UnsafePickle("bytes in an unknown writing")
    return text.encode("latin1")


def _bytes_of(content: Any = b"", codec: Any = "latin-1") -> bytes:
    if isinstance(content, str) and codec == "latin-1":
        return content.encode("latin1")
    if not isinstance(content, bytes):
        raise UnsafePickle("bytes made of something else")
    return content


def _table_of(*arguments: Any) -> dict[Any, Any]:
    if arguments:
        raise UnsafePickle("broken (a table made of something)")
    return {}


def _refused(*_: Any) -> Any:
    raise UnsafePickle("calling a type that only names one")


_CALLS: dict[str, Callable[..., Any]] = {
    _ARRAY: lambda *_: _Array(),
    _SCALAR: _scalar,
    _BUFFER: _array,
    _ENCODE: _encoded,
    _DTYPE: _dtype,
    _TABLE: _table_of,
    _BYTES: _bytes_of,
    _NDARRAY: _refused,
}
_VALUES = frozenset(
    [
        "INT",
        "BININT",
        "BININT1",
        "BININT2",
        "LONG",
        "LONG1",
        "LONG4",
        "FLOAT",
        "BINFLOAT",
        "STRING",
        "BINSTRING",
        "SHORT_BINSTRING",
        "UNICODE",
        "BINUNICODE",
        "SHORT_BINUNICODE",
        "BINUNICODE8",
        "BINBYTES",
        "SHORT_BINBYTES",
        "BINBYTES8",
        "BYTEARRAY8",
    ]
)
_CONSTANTS: dict[str, Callable[[], Any]] = {
    "NONE": lambda: None,
    "NEWTRUE": lambda: True,
    "NEWFALSE": lambda: False,
    "EMPTY_LIST": list,
    "EMPTY_DICT": dict,
    "EMPTY_TUPLE": tuple,
    "MARK": _Mark,
}
_ACTIONS: dict[str, Callable[[_Machine, Any], None]] = {
    "APPEND": lambda m, _: m.append([m.stack.pop()]),
    "APPENDS": lambda m, _: m.append(m.since_mark()),
    "LIST": lambda m, _: m.stack.append(m.since_mark()),
    "TUPLE": lambda m, _: m.stack.append(tuple(m.since_mark())),
    "TUPLE1": lambda m, _: m.tuple_of(1),
    "TUPLE2": lambda m, _: m.tuple_of(2),
    "TUPLE3": lambda m, _: m.tuple_of(3),
    "DICT": lambda m, _: m.table(m.since_mark()),
    "SETITEM": lambda m, _: m.set_items([m.stack.pop(-2), m.stack.pop()]),
    "SETITEMS": lambda m, _: m.set_items(m.since_mark()),
    "POP": lambda m, _: m.pop(),
    "PUT": lambda m, k: m.memo.__setitem__(int(k), m.stack[-1]),
    "BINPUT": lambda m, k: m.memo.__setitem__(int(k), m.stack[-1]),
    "LONG_BINPUT": lambda m, k: m.memo.__setitem__(int(k), m.stack[-1]),
    "MEMOIZE": lambda m, _: m.memo.__setitem__(len(m.memo), m.stack[-1]),
    "GET": lambda m, k: m.stack.append(m.memo[int(k)]),
    "BINGET": lambda m, k: m.stack.append(m.memo[int(k)]),
    "LONG_BINGET": lambda m, k: m.stack.append(m.memo[int(k)]),
    "GLOBAL": lambda m, name: m.name(name),
    "STACK_GLOBAL": lambda m, _: m.stacked_name(),
    "REDUCE": lambda m, _: m.call(),
    "BUILD": lambda m, _: m.build(),
}


def _finished(value: Any) -> Any:
    """The data with arrays in place, as deep as motions are nested; each thing visited once."""
    return _unwrapped(value, 0, {})


def _unwrapped(value: Any, depth: int, seen: dict[int, Any]) -> Any:
    if isinstance(value, _Array):
        if value.value is None:
            raise UnsafePickle("broken (an array without content)")
        return value.value
    if isinstance(value, _Name | _Dtype | _Mark):
        raise UnsafePickle("a name where data should be")
    if depth < 4 and isinstance(value, dict | list):
        if id(value) not in seen:
            seen[id(value)] = value  # whoever meets itself on the way down finds this
            if isinstance(value, dict):
                plain: Any = {k: _unwrapped(v, depth + 1, seen) for k, v in value.items()}
            else:
                plain = [_unwrapped(item, depth + 1, seen) for item in value]
            seen[id(value)] = plain
        return seen[id(value)]
    return value
