"""The options with which IOR and mdtest were started, from their command lines.
https://ior.readthedocs.io/en/latest/userDoc/options.html and `mdtest -h`. A value follows its letter, after "=" or a
blank; flags may be written together ("-wr")."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from typing import Final

from iotriage_parsers.frozen import frozen

_IOR_TAKES_VALUE: Final = frozenset("AabdDfGiJjlNoOQstTUX")
_MDTEST_TAKES_VALUE: Final = frozenset("abdefGIilnNpsVwWxz")
_SIZE: Final = re.compile(r"(\d{1,18})([kmgt]?)b?", re.IGNORECASE)
_SCALE: Final[Mapping[str, int]] = {"": 1, "k": 2**10, "m": 2**20, "g": 2**30, "t": 2**40}


@frozen
class IorOptions:
    """Options that are not given are None. `reads_others` where ranks read data that ranks of other nodes wrote."""

    api: str | None
    file: str | None
    file_per_process: bool
    collective: bool
    transfer_size_bytes: int | None
    reads_others: bool


@frozen
class MdtestOptions:
    """`own_directories` where each process works in a directory of its own; `file_size_bytes` is what is written to
    each file. `reads_others` where processes look up and read what others created."""

    api: str | None
    directory: str | None
    own_directories: bool
    file_size_bytes: int
    iterations: int
    reads_others: bool


def ior_options(command_line: str) -> IorOptions:
    options = dict(_parse_options(command_line, _IOR_TAKES_VALUE))
    return IorOptions(
        api=options.get("a", "POSIX"),
        file=options.get("o"),
        file_per_process="F" in options,
        collective="c" in options,
        transfer_size_bytes=_size(options.get("t")),
        reads_others="C" in options or "Z" in options,
    )


def mdtest_options(command_line: str) -> MdtestOptions:
    options = dict(_parse_options(command_line, _MDTEST_TAKES_VALUE))
    return MdtestOptions(
        api=options.get("a", "POSIX"),
        directory=options.get("d"),
        own_directories="u" in options,
        file_size_bytes=_size(options.get("w")) or 0,
        iterations=_size(options.get("i")) or 1,
        reads_others="N" in options,
    )


def _parse_options(command_line: str, takes_value: frozenset[str]) -> Iterator[tuple[str, str]]:
    """Each letter with its value, empty for a flag. Words with two hyphens are passed over."""
    words = [word.strip("'\"") for word in command_line.split()]
    for word, after in zip(words, [*words[1:], ""], strict=True):
        if len(word) < 2 or word[0] != "-" or not word[1].isalpha():
            continue
        if word[1] in takes_value:
            yield word[1], word[2:].removeprefix("=") or after
        else:
            yield from ((letter, "") for letter in word[1:])


def _size(text: str | None) -> int | None:
    found = _SIZE.fullmatch(text or "")
    return int(found[1]) * _SCALE[found[2].lower()] if found is not None else None
