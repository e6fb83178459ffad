"""Takes a reader's result back from its process, which may have been taken over by what it read.

An ordinary unpickler calls whatever the bytes name. This one knows the frozen types of evidence, our own answers,
and the three functions that rebuild NumPy arrays and scalars of numbers; anything else is refused before it is looked
up. What comes out is then as good as evidence from a lying log: wrong perhaps, but inert.
"""

from __future__ import annotations

import io
import pickle
from collections.abc import Mapping

import numpy as np
from numpy._core import multiarray, numeric

from iotriage.intake.excerpt import Excerpt, ExcerptLine
from iotriage_parsers import evidence


class UnexpectedResultError(Exception):
    """The bytes are not the pickle of a result; the message says what was refused."""


def _types() -> Mapping[tuple[str, str], object]:
    ours: list[object] = [Excerpt, ExcerptLine]
    ours += [value for value in vars(evidence).values() if isinstance(value, type)]
    named = {(t.__module__, t.__qualname__): t for t in ours if isinstance(t, type)}
    numpys = {
        ("numpy", "ndarray"): np.ndarray,
        ("numpy", "dtype"): np.dtype,
        (multiarray.__name__, "_reconstruct"): multiarray._reconstruct,
        (multiarray.__name__, "scalar"): multiarray.scalar,
        (numeric.__name__, "_frombuffer"): numeric._frombuffer,  # type: ignore[attr-defined]
    }
    return {**named, **numpys}


_ALLOWED = _types()


class _Unpickler(pickle.Unpickler):
    def find_class(self, module_name: str, global_name: str) -> object:
        try:
            return _ALLOWED[module_name, global_name]
        except KeyError:
            raise UnexpectedResultError(f"{module_name}.{global_name} is not part of a result") from None


def result_from(pickled: bytes) -> object:
    """The result. Raises `UnexpectedResultError` for anything that is not one, however it was made."""
    try:
        return _Unpickler(io.BytesIO(pickled)).load()
    except UnexpectedResultError:
        raise
    except Exception as error:
        raise UnexpectedResultError(f"not the pickle of a result: {type(error).__name__}") from error
