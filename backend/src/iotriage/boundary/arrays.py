"""NumPy arrays as bytes behind a message: little-endian, C order, each at a multiple of 8 bytes, in the order in which
the message names them. A message states the type and the shape of each; the type must be the one that its field has."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from typing import Final

import numpy as np
from numpy.typing import NDArray

from iotriage.boundary.decode_error import DecodeError
from iotriage_parsers.evidence import SEGMENT

ALIGNMENT: Final = 8

DTYPES: Final[Mapping[type[np.generic], tuple[str, np.dtype[np.generic]]]] = {
    np.int64: ("i8", np.dtype("<i8")),
    np.uint64: ("u8", np.dtype("<u8")),
    np.float64: ("f8", np.dtype("<f8")),
    np.void: ("segment", SEGMENT.newbyteorder("<")),
}
"""The only types of arrays that cross: by the scalar type of a field's annotation, the name in messages and the layout.
The structured one is a call of a DXT trace."""

_MOST_DIMENSIONS: Final = 2
_FLAG_AT: Final = next(at for name, (_, at, *_) in (SEGMENT.fields or {}).items() if name == "write")
_MOST_OF_NOTHING: Final = 2**24
"""The largest dimension of an array without values: nothing else bounds it."""


def padding(size: int) -> int:
    """Bytes from a length to the next multiple of 8."""
    return -size % ALIGNMENT


class Outgoing:
    """The arrays of a message that is being encoded."""

    def __init__(self) -> None:
        self.parts: list[bytes | memoryview] = []
        self.size = 0

    def add(self, array: NDArray[np.generic], dtype: np.dtype[np.generic]) -> tuple[int, ...]:
        """Its shape. TypeError where its values are of another type."""
        if not np.can_cast(array.dtype, dtype, "equiv"):
            raise TypeError(f"an array of {array.dtype} where {dtype} belongs")
        plain = np.ascontiguousarray(array, dtype)
        filling = padding(plain.nbytes)
        self.parts += (plain.reshape(-1).view(np.uint8).data, bytes(filling))
        self.size += plain.nbytes + filling
        return array.shape


class Incoming:
    """The arrays of a message that is being decoded, from `data`, which nobody may change meanwhile. They are views of
    it and cannot be written. It counts what is not made in bulk as well."""

    def __init__(self, data: memoryview, most_items: int) -> None:
        self._data = data
        self._at = 0
        self._items_left = most_items

    def count(self, items: int) -> None:
        """RefusedError where it becomes too many."""
        self._items_left -= items
        if self._items_left < 0:
            raise DecodeError("a message of too many parts")

    def next(self, shape: Sequence[int], dtype: np.dtype[np.generic]) -> NDArray[np.generic]:
        """The next array. RefusedError where its bytes are not all there or mean nothing."""
        size = math.prod(shape) * dtype.itemsize
        if len(shape) > _MOST_DIMENSIONS or (size == 0 and max(shape, default=0) > _MOST_OF_NOTHING):
            raise DecodeError("an array of an impossible shape")
        end = self._at + size
        if end + padding(size) > len(self._data):
            raise DecodeError("an array that is longer than its message")
        data = self._data[self._at : end]
        self._at = end + padding(size)
        if dtype == SEGMENT:
            _check_calls(data)
        return np.frombuffer(data, dtype).reshape(shape)

    def finish(self) -> None:
        """RefusedError where more bytes came than arrays."""
        if self._at != len(self._data):
            raise DecodeError("bytes that belong to no array")


def _check_calls(data: memoryview) -> None:
    """NumPy takes the byte of a truth value as it is, and counts wrongly with others than 0 and 1."""
    flags = np.frombuffer(data, np.uint8).reshape(-1, SEGMENT.itemsize)[:, _FLAG_AT]
    if flags.size and flags.max() > 1:
        raise DecodeError("a truth value that is neither true nor false")
