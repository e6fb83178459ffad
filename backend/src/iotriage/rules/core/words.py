"""Quantities in words, and names from a log made safe to print."""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Callable
from pathlib import PurePosixPath

from iotriage.metrics.core.metric import Unit

_BINARY = ("B", "KiB", "MiB", "GiB", "TiB", "PiB", "EiB")
UNPRINTABLE = frozenset({"Cc", "Cf", "Cs", "Co", "Cn", "Zl", "Zp"})


def size(count: float) -> str:
    """Bytes in binary prefixes, three significant digits: "4.20 GiB"."""
    value, unit = float(count), 0
    while value >= (999.5 if unit else 1024) and unit < len(_BINARY) - 1:
        value, unit = value / 1024, unit + 1
    return f"{_three(value) if unit else f'{value:.0f}'} {_BINARY[unit]}"


def seconds(count: float) -> str:
    """A duration: "34 µs", "0.84 s", "12.0 s", "5 min 3 s", "2 h 5 min"."""
    if 0 < count < 0.0009995:
        return f"{count * 1e6:.3g} µs"
    if count < 0.9995:
        return f"{count:.2g} s"
    if count < 119.5:
        return f"{_three(count)} s"
    whole = round(count)
    if whole < 3600:
        return f"{whole // 60} min {whole % 60} s"
    return f"{whole // 3600} h {whole % 3600 // 60} min"


def in_words(value: float, unit: Unit) -> str:
    """A figure with its unit."""
    match unit:
        case "B":
            return size(value)
        case "B/s":
            return f"{size(value)}/s"
        case "s":
            return seconds(value)
        case "share":
            return share(value)
        case "ratio" | "1" | "word":
            return number(value)
        case _:
            return f"{number(value)} {unit}"


def share(fraction: float) -> str:
    """A fraction in per cent; small ones are not rounded to nothing, nor nearly all to everything. Two digits, so that
    9.6 % does not read as the tenth that it is below."""
    percent = 100 * fraction
    if 0 < percent < 10:
        return f"{percent:.2g} %"
    if 99 < percent < 100:
        return "over 99 %"
    return f"{percent:.0f} %"


def number(count: float) -> str:
    """A count with commas between groups of three, or three significant digits where it is not whole."""
    if float(count).is_integer() and abs(count) < 1e15:
        return f"{int(count):,}"
    return _three(count) if abs(count) < 1e6 else f"{count:.3g}"


def counted(count: float, one: str, many: str | None = None) -> str:
    return f"{number(count)} {one if count == 1 else many or one + 's'}"


def aggregators(count: float) -> str:
    """A count of aggregators that may be inferred: whole where it is within a twentieth of it."""
    whole = round(count)
    return counted(whole if abs(count - whole) < 0.05 else count, "aggregator")


def told(value: float | None, form: Callable[[float], str]) -> str | None:
    """`value` in the words of `form`; None where there is no value."""
    return None if value is None else form(value)


def sentence(template: str, *values: str | None) -> str | None:
    """`template` with the values put in; None, and so not said, where one of them is missing."""
    return None if any(v is None for v in values) else template.format(*values)


def paragraph(*sentences: str | None) -> str:
    return " ".join(s for s in sentences if s)


def plain(text: str) -> str:
    r"""A name from a log as one line of printable text; what is not printable stands as \xNN or \uNNNN."""
    return "".join(_escaped(c) if unicodedata.category(c) in UNPRINTABLE else c for c in text)


def directory_of(path: str | None) -> str | None:
    """The directory of a file of the job, where it has one that a person could mean: not a bare mount point, and
    not that of a name that was made anonymous (a number in place of the path)."""
    if path is None or "/" not in path:
        return None
    where = PurePosixPath(path)
    if re.fullmatch(r"\d{6,}", where.name) or len(where.parent.parts) < 3:
        return None
    return str(where.parent)


def _three(value: float) -> str:
    magnitude = abs(value)
    return f"{value:.2f}" if magnitude < 9.995 else f"{value:.1f}" if magnitude < 99.95 else f"{value:.0f}"


def _escaped(character: str) -> str:
    code = ord(character)
    return f"\\x{code:02x}" if code < 0x100 else f"\\u{code:04x}" if code < 0x10000 else f"\\U{code:08x}"
