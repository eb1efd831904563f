"""Pickles are read as data: numbers come back, and nothing in them is ever run."""

from __future__ import annotations

import collections
import contextlib
import os
import pickle
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from hypothesis.extra import numpy as arrays

from poise.io.plain_pickle import UnsafePickle, plain_data

PLAIN = st.recursive(
    st.none()
    | st.booleans()
    | st.integers(-(2**70), 2**70)
    | st.floats()
    | st.text()
    | st.binary(),
    lambda inner: (
        st.lists(inner, max_size=4)
        | st.dictionaries(st.text(), inner, max_size=4)
        | st.tuples(inner)
    ),
    max_leaves=12,
)
NUMBERS = arrays.arrays(
    st.sampled_from(["f8", "f4", ">f8", "i8", "u1", "?", "<i2"]),
    arrays.array_shapes(min_dims=0, max_dims=3, min_side=0, max_side=4),
)


def same(a: Any, b: Any) -> bool:
    return repr(a) == repr(b)


@settings(max_examples=80, deadline=None)
@given(value=PLAIN, protocol=st.integers(0, 5))
def test_plain_data_is_what_pickle_itself_would_give(value: Any, protocol: int) -> None:
    assert same(plain_data(pickle.dumps(value, protocol)), value)


@settings(max_examples=80, deadline=None)
@given(array=NUMBERS, protocol=st.integers(0, 5), fortran=st.booleans())
def test_arrays_come_back_bit_for_bit(array: np.ndarray, protocol: int, fortran: bool) -> None:
    stored = np.asfortranarray(array) if fortran else array
    back = plain_data(pickle.dumps({"a": stored}, protocol))["a"]
    assert back.dtype == stored.dtype and back.shape == stored.shape
    assert back.tobytes() == stored.tobytes()


def test_numpys_scalars_and_ordered_dicts_are_data_too() -> None:
    table = collections.OrderedDict(fps=np.float64(29.97), n=np.int32(4))
    assert plain_data(pickle.dumps(table, 4)) == {"fps": 29.97, "n": 4}


class Runs:
    """Unpickling this calls a function."""

    def __init__(self, function: Any, *arguments: Any) -> None:
        self.call = (function, arguments)

    def __reduce__(self) -> Any:
        return self.call


class Plain:
    def __init__(self) -> None:
        self.x = 1


FLAG = "POISE_WAS_HERE"


def bombs() -> dict[str, bytes]:
    """Pickles that would run something, by name."""
    run = f"touch {FLAG}"
    made = {f"os.system, protocol {p}": pickle.dumps(Runs(os.system, run), p) for p in range(6)}
    made |= {
        "eval": pickle.dumps(Runs(eval, f"open('{FLAG}', 'w')")),
        "exec": pickle.dumps(Runs(exec, f"open('{FLAG}', 'w')")),
        "getattr": b"cbuiltins\ngetattr\n(cos\nsystem\nS'__call__'\ntR.",
        "inside a list inside a dict": pickle.dumps({"fps": [30, Runs(os.system, run)]}),
        "numpy.load": pickle.dumps(Runs(np.load, "x.npy")),
        "numpy's own loader of code": b"cnumpy.testing._private.utils\nruntests\n(S'x'\ntR.",
        "a class of someone": pickle.dumps(Plain()),
        "a nested global": b"\x80\x04\x8c\x08builtins\x8c\x0ceval.__call__\x93)R.",
        "a global by memo": b"\x80\x04\x8c\x02os\x94\x8c\x06system\x94h\x00h\x01\x93)R.",
        "INST": b"(S'touch x'\nios\nsystem\n.",
        "OBJ": b"(cos\nsystem\nS'touch x'\no.",
        "NEWOBJ": b"\x80\x02cos\nsystem\nU\x02id\x85\x81.",
        "EXT": b"\x80\x02\x82\x01.",
        "persistent id": b"Pid\n.",
        "a global alone": b"cnumpy\ndtype\n.",
        "a type that is called": b"cnumpy\nndarray\n(I1000000000000\ntR.",
        "object array": pickle.dumps(np.array([{}, []], dtype=object)),
        "record array": pickle.dumps(np.zeros(2, dtype=[("a", "f8")])),
        "setstate on a dict": b"\x80\x02}}b.",
        "a tuple for a key": pickle.dumps({(1, 2): 3}),
    }
    return made


@pytest.mark.parametrize("name", bombs())
def test_a_bomb_is_refused_in_words_and_does_not_go_off(
    name: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    with pytest.raises(UnsafePickle) as caught:
        plain_data(bombs()[name])
    assert str(caught.value) and not list(tmp_path.iterdir())


def test_the_refusal_says_what_was_asked_for() -> None:
    for name in ("os.system, protocol 0", "os.system, protocol 4", "a global by memo"):
        with pytest.raises(UnsafePickle, match=r"\.system, which could run a program"):
            plain_data(bombs()[name])
    with pytest.raises(UnsafePickle, match=r"builtins\.eval"):
        plain_data(bombs()["eval"])


def test_claimed_sizes_do_not_take_memory() -> None:
    arr = bytearray(pickle.dumps(np.zeros(4), 4))
    huge = bytes(arr).replace(b"K\x04\x85", b"J\xff\xff\xff\x7f\x85", 1)
    assert huge != bytes(arr)
    with pytest.raises(UnsafePickle):
        plain_data(huge)
    with pytest.raises(UnsafePickle):
        plain_data(b"\x80\x04\x8e\xff\xff\xff\xff\xff\xff\xff\x7fabc.")


def test_shared_and_cyclic_data_ends() -> None:
    cycle: dict[str, Any] = {}
    cycle["self"] = cycle
    assert set(plain_data(pickle.dumps(cycle))) == {"self"}
    shared: Any = {}
    for _ in range(60):
        shared = {"a": shared, "b": shared}
    plain_data(pickle.dumps(shared))


@settings(max_examples=200, deadline=None)
@given(data=st.data())
def test_a_damaged_pickle_never_ends_in_anything_but_a_refusal(data: st.DataObject) -> None:
    whole = pickle.dumps({"fps": 30, "a": np.arange(6.0).reshape(2, 3), "b": ["x", None]}, 4)
    damaged = bytearray(whole)
    for _ in range(data.draw(st.integers(1, 4))):
        damaged[data.draw(st.integers(0, len(whole) - 1))] = data.draw(st.integers(0, 255))
    with contextlib.suppress(UnsafePickle):
        plain_data(bytes(damaged[: data.draw(st.integers(1, len(whole)))]))
