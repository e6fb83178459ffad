"""What an archive lists: its files, none of them unpacked yet, and what of it could not be followed."""

from __future__ import annotations

import re
import struct
import tarfile
import zipfile
import zlib
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import IO, Final

from iotriage_parsers.evidence import Failure
from iotriage_parsers.frozen import frozen

LONGEST_NAME: Final = 200
MOST_HEADERS: Final = 100_000
_MOST_LOSSES: Final = 5
_DESKTOP: Final = frozenset({".DS_Store", "Thumbs.db", "desktop.ini"})
_BESIDE_A_DOCUMENT: Final = re.compile(
    r"(?:_rels|docProps|customXml|word/_rels|word/theme|META-INF|Configurations2|Thumbnails)/.*"
    r"|\[Content_Types\]\.xml|word/(?!document\.xml)\w{1,40}\.xml|(?:styles|settings|meta)\.xml|manifest\.rdf|mimetype"
)
"""What a word processor's document, which is an archive, has beside its text and pictures."""

DAMAGE: Final = (
    zipfile.BadZipFile,
    tarfile.TarError,
    zlib.error,
    struct.error,
    EOFError,
    OSError,
    ValueError,
    NotImplementedError,
    RuntimeError,
    IndexError,
    OverflowError,
)
"""What `zipfile` and `tarfile` raise for damaged archives, RecursionError among the RuntimeErrors."""


@frozen
class Entry:
    """One file of an archive, not unpacked yet; `refused` says why it will not be. `stated_bytes` is its size as the
    archive has it, None where that does not say, `doubt` what the archive itself says against what it will unpack to.
    What is `stored` stands in the archive as it is: what `open` answers can be sought in."""

    name: str
    refused: Failure | None
    open: Callable[[], IO[bytes]]
    stated_bytes: int | None
    doubt: str | None = None
    stored: bool = False


@dataclass(slots=True)
class Losses:
    """What of an archive was not read, each a clause that says where and what."""

    said: list[str] = field(default_factory=list)
    more: int = 0
    most: int | None = None

    def add(self, clause: str) -> None:
        if len(self.said) < _MOST_LOSSES:
            self.said.append(clause)
        else:
            self.more += 1

    def too_many(self, most: int) -> None:
        """There are more files than the `most` that are read."""
        self.most = most

    def failure(self) -> Failure | None:
        """All of them, None where nothing is lost."""
        limit = (
            f"the archive holds more than {self.most:,} files: the first {self.most:,} were read" if self.most else ""
        )
        if not self.said:
            advice = "Give the files of one job, without what is not a log."
            return Failure("too-large", limit, advice) if limit else None
        more = f"; and {self.more} more" if self.more else ""
        return Failure(
            "damaged",
            f"the archive is damaged or not whole: {'; '.join(self.said)}{more}{'; ' if limit else ''}{limit}",
            "Make the archive again, or copy it again in binary mode.",
        )


def is_wanted(name: str) -> bool:
    """False for what a desktop adds to archives by itself, and a word processor to its documents."""
    last = name.replace("\\", "/").rsplit("/", 1)[-1]
    added = name.startswith("__MACOSX/") or last.startswith("._") or last in _DESKTOP
    return not added and _BESIDE_A_DOCUMENT.fullmatch(name) is None


def shown(name: str) -> str:
    """A name fit to be shown; of a long one the end, which tells files apart."""
    printable = "".join(c if c.isprintable() else "\N{REPLACEMENT CHARACTER}" for c in name.removeprefix("./"))
    return printable if len(printable) <= LONGEST_NAME else f"…{printable[1 - LONGEST_NAME :]}"
