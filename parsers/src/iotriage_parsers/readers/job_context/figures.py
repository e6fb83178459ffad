"""Parses times and sizes as people and schedulers write them, and collects the fields of a job context."""

from __future__ import annotations

import re
from dataclasses import dataclass, field
from datetime import datetime
from typing import Final

from iotriage_parsers.evidence import ContextField
from iotriage_parsers.text.numbers import whole

_CLOCK: Final = re.compile(r"(?:(\d{1,5})-)?(\d{1,6})(?::(\d{1,6}))?(?::(\d{1,6}))?(?:\.\d{1,9})?")
_SIZE: Final = re.compile(r"(\d{1,18})([kKmMgGtT]?)[iI]?[bB]?")
_UNITS: Final = "KMGT"
MOST_COMPONENTS: Final = 200
_CTIME: Final = "%a %b %d %H:%M:%S %Y"


def from_ctime(text: str | None) -> str | None:
    """`Mon Nov 20 10:00:10 2026`, as C's ctime prints a time, in the form of `JobContext`'s; None where it is none."""
    try:
        return None if text is None else datetime.strptime(text, _CTIME).isoformat()
    except ValueError:
        return None


def size_bytes(text: str | None) -> int | None:
    """A size with one of Lustre's suffixes, which are powers of 1024."""
    match = _SIZE.fullmatch(text or "")
    if match is None:
        return None
    unit = match.group(2).upper()
    return int(match.group(1)) << (10 * (_UNITS.index(unit) + 1) if unit else 0)


def slurm_seconds(text: str | None) -> float | None:
    """Slurm's MINUTES, MINUTES:SECONDS, HOURS:MINUTES:SECONDS, DAYS-HOURS[:MINUTES[:SECONDS]] as `--time` takes it."""
    match = _CLOCK.fullmatch(text or "")
    if match is None:
        return None
    days, first, second, third = (None if g is None else int(g) for g in match.groups())
    assert first is not None
    if days is not None:
        return float(days * 86_400 + first * 3600 + (second or 0) * 60 + (third or 0))
    if second is None:
        return float(first * 60)
    return float(first * 60 + second) if third is None else float(first * 3600 + second * 60 + third)


def clock_seconds(text: str | None) -> float | None:
    """HOURS:MINUTES:SECONDS with or without days, as sacct prints; MINUTES:SECONDS with fractions for short steps."""
    return slurm_seconds(text) if text and ":" in text else None


def pbs_seconds(text: str | None) -> float | None:
    """PBS: SECONDS, MINUTES:SECONDS or HOURS:MINUTES:SECONDS."""
    if text and text.isascii() and text.isdigit() and len(text) < 10:
        return float(text)
    return clock_seconds(text) if text and "-" not in text else None


def cobalt_seconds(text: str | None) -> float | None:
    """Cobalt: MINUTES or HOURS:MINUTES:SECONDS."""
    return slurm_seconds(text) if text and "-" not in text else None


_COUNTS: Final = frozenset(("nnodes", "ntasks", "ranks_per_node"))


@dataclass(slots=True)
class RequestedFields:
    """The figures by the name of their field in `JobContext`; of two for one field, the first stands where nothing else
    is said. Of a job of several components, the counts of those before the last stand in `earlier`."""

    scheduler: str | None = None
    texts: dict[str, ContextField] = field(default_factory=dict)
    earlier: list[dict[str, ContextField]] = field(default_factory=list)

    def keep(self, name: str, text: str, line: int) -> None:
        if text and name not in self.texts:
            self.texts[name] = ContextField(name, text, line)

    def keep_last(self, name: str, text: str, line: int) -> None:
        """Of two for one field the last stands, but for what is said of a later component alone."""
        if not self.earlier or name in _COUNTS:
            self.texts.pop(name, None)
        self.keep(name, text, line)

    def next_component(self) -> None:
        """Says that the following requests are of the next component."""
        if len(self.earlier) < MOST_COMPONENTS:
            self.earlier.append({name: self.texts.pop(name) for name in _COUNTS & self.texts.keys()})

    def text(self, name: str) -> str | None:
        found = self.texts.get(name)
        return None if found is None else found.text

    def whole(self, name: str) -> int | None:
        """Of all components together; how many ranks a node has, where all have as many."""
        counts = [whole(found.text) if (found := texts.get(name)) else None for texts in (*self.earlier, self.texts)]
        known = [count for count in counts if count is not None]
        if len(known) < len(counts):
            return None
        return sum(known) if name != "ranks_per_node" else known[0] if len(set(known)) == 1 else None

    @property
    def fields(self) -> tuple[ContextField, ...]:
        every = (found for texts in (*self.earlier, self.texts) for found in texts.values())
        return tuple(sorted(every, key=lambda f: (f.line, f.name)))
