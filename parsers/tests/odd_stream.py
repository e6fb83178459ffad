"""A stream as pipes and sockets are: fewer bytes come than are asked for."""

from __future__ import annotations

import io
from itertools import cycle


class OddStream(io.RawIOBase):
    """One that is seekable, as those are not."""

    def __init__(self, data: bytes, sizes: tuple[int, ...] = (1, 7, 4093, 13, 251)) -> None:
        self._data = io.BytesIO(data)
        self._sizes = cycle(sizes)

    def readable(self) -> bool:
        return True

    def seekable(self) -> bool:
        return True

    def seek(self, offset: int, whence: int = io.SEEK_SET) -> int:
        return self._data.seek(offset, whence)

    def tell(self) -> int:
        return self._data.tell()

    def readinto(self, buffer) -> int:
        return self._data.readinto(memoryview(buffer)[: next(self._sizes)])
