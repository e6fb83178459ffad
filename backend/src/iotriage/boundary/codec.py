"""`Codec`: encodes values of a type to bytes and decodes them: one MessagePack value for everything but arrays,
followed by the arrays' bytes.

    8 bytes  length of the MessagePack value
    8 bytes  length of what follows it: both unsigned, little-endian
    …        the MessagePack value, filled up with zeros to a multiple of 8 bytes
    …        the arrays, each filled up likewise

Decoding takes memory in proportion to the message: at most about 25 bytes for each byte of the MessagePack value (a
text of two characters is the worst), and none for the arrays, which are views of the message.
"""

from __future__ import annotations

import struct
from typing import Final, Generic, TypeVar, cast

import msgspec

from iotriage.boundary.arrays import Incoming, Outgoing, padding
from iotriage.boundary.decode_error import DecodeError
from iotriage.boundary.forms import form_of
from iotriage_parsers.frozen import frozen

_HEAD: Final = struct.Struct("<QQ")

T = TypeVar("T")


@frozen
class Bounds:
    """The largest message that is decoded: its MessagePack value, which bounds the number of all values, the parts
    that are made one at a time (some 10 µs each), and the whole."""

    values_bytes: int = 128 * 2**20
    parts: int = 500_000
    total_bytes: int = 512 * 2**20


class Codec(Generic[T]):
    """Encodes and decodes values of one type, given by its annotation: `Codec[Evidence | Failure](Evidence | Failure)`.
    Its parts are of the kinds that `iotriage.boundary.forms` knows, else TypeError."""

    def __init__(self, annotation: object) -> None:
        self._form = form_of(annotation)
        self._encoder = msgspec.msgpack.Encoder()
        self._decoder = msgspec.msgpack.Decoder(self._form.wire)

    def encode(self, value: T) -> bytes:
        """The message. TypeError, ValueError or OverflowError where the value is not of the type, has a text that is
        not Unicode, a whole number beyond 64 bits, or a number without end."""
        arrays = Outgoing()
        values = self._encoder.encode(self._form.to_wire(value, arrays))
        head = _HEAD.pack(len(values), arrays.size)
        return b"".join((head, values, bytes(padding(len(values))), *arrays.parts))

    def decode(self, data: bytes | memoryview, bounds: Bounds | None = None) -> T:
        """The value; its arrays are views of `data` and cannot be written. RefusedError for everything that is no
        message of this type within the bounds, whoever made it."""
        bounds = bounds or Bounds()
        view = memoryview(data if isinstance(data, bytes) else bytes(data))
        if not _HEAD.size <= len(view) <= bounds.total_bytes:
            raise DecodeError(f"a message of {len(view)} bytes")
        values_bytes, arrays_bytes = _HEAD.unpack_from(view)
        if values_bytes > bounds.values_bytes:
            raise DecodeError("a message of too many values")
        arrays_at = _HEAD.size + values_bytes + padding(values_bytes)
        if arrays_at + arrays_bytes != len(view):
            raise DecodeError("a message of another length than it states")
        arrays = Incoming(view[arrays_at:], bounds.parts)
        try:
            wire = self._decoder.decode(view[_HEAD.size : _HEAD.size + values_bytes])
            value = self._form.from_wire(wire, arrays)
        except (msgspec.MsgspecError, UnicodeDecodeError, RecursionError, MemoryError) as error:
            raise DecodeError(f"no message of this type: {type(error).__name__}: {error}") from error
        arrays.finish()
        return cast(T, value)
