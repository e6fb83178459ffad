"""Temporary files for what is unpacked: made when one is wanted, or beforehand by a process that confines itself
later."""

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
    """Makes the files that this process may have from now on."""
    _Preallocated.files = [tempfile.TemporaryFile() for _ in range(MOST_AT_A_TIME)]  # noqa: SIM115 - they go with the process


@contextmanager
def temporary_file() -> Iterator[BinaryIO]:
    """An empty file, whose content is gone afterwards. OSError where there is none left."""
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
