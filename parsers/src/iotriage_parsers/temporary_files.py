"""Temporary files for unpacked data. A process that will be confined later makes them beforehand; others make them when
needed."""

from __future__ import annotations

import errno
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from typing import BinaryIO, Final

MOST_AT_A_TIME: Final = 8
"""A compressed archive that is attached to a mail, the archive in it, a file of that, which is compressed, a mail in
that, a document or page in the mail, and what a notebook in that printed, or lines without what stands before them,
twice; or a compressed text that each kind of mail, document and page is around."""


class _Preallocated:
    files: list[BinaryIO] | None = None


def preallocate() -> None:
    """Makes all the temporary files that this process will be able to use from now on."""
    _Preallocated.files = [tempfile.TemporaryFile() for _ in range(MOST_AT_A_TIME)]  # noqa: SIM115 - they go with the process


@contextmanager
def temporary_file() -> Iterator[BinaryIO]:
    """An empty temporary file; its content is removed afterwards. OSError where none is left."""
    if _Preallocated.files is None:
        with tempfile.TemporaryFile() as made:
            yield made
        return
    if not _Preallocated.files:
        raise OSError(errno.EMFILE, "no more temporary files")
    file = _Preallocated.files.pop()
    try:
        yield file
    finally:
        file.seek(0)
        file.truncate()
        _Preallocated.files.append(file)
