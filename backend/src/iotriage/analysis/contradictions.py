"""Advice of one finding that another's undoes or completes: a directory has one striping, whoever's files lie in it.

Of two findings that would stripe the same directory, one with a count and the other with a size, both get the one
line that does both. Where they want it otherwise, the one that is read first keeps its line; the other's is withheld
and says why.
"""

from __future__ import annotations

import shlex
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace

from iotriage.analysis.document import Finding
from iotriage.rules.rule import Advice, withheld, withheld_last
from iotriage.rules.wording import plain

_FLAGS = {"-c", "-S", "-p", "-i"}
_ORDER = ("-c", "-S", "-i", "-p").index
"""Count, size, first OST, pool: as people write them."""


@dataclass(frozen=True, slots=True)
class _Striping:
    """A line that stripes a directory: the options of `lfs setstripe` by flag, and the directory as the line has it."""

    options: Mapping[str, str]
    directory: str

    def agrees(self, options: Mapping[str, str]) -> bool:
        return all(options.get(flag, value) == value for flag, value in self.options.items())


@dataclass(frozen=True, slots=True)
class _Asked:
    """What is asked for one directory: the options of all who agree, and the title of the finding that was first."""

    options: Mapping[str, str]
    title: str


def without_contradictions(findings: Sequence[Finding]) -> tuple[Finding, ...]:
    """`findings`, in reading order, with lines for the same directory made one, and the advice withheld that
    contradicts a finding before it."""
    asked = _asked(f for f in findings if f.verdict == "triggered")
    return tuple(_kept(f, asked) if f.verdict == "triggered" else f for f in findings)


def _asked(findings: Iterable[Finding]) -> dict[str, _Asked]:
    """By directory."""
    asked: dict[str, _Asked] = {}
    for finding in findings:
        for striping in filter(None, map(_striping, finding.advice)):
            before = asked.get(striping.directory, _Asked({}, finding.title))
            if striping.agrees(before.options):
                asked[striping.directory] = replace(before, options={**before.options, **striping.options})
    return asked


def _kept(finding: Finding, asked: Mapping[str, _Asked]) -> Finding:
    advice = withheld_last(_or_withheld(a, asked) for a in finding.advice)
    if advice == finding.advice or finding.would_say is None:
        return finding
    return replace(finding, advice=advice, would_say=replace(finding.would_say, advice=advice))


def _or_withheld(advice: Advice, asked: Mapping[str, _Asked]) -> Advice:
    striping = _striping(advice)
    if striping is None:
        return advice
    one = asked[striping.directory]
    if striping.agrees(one.options):
        return replace(advice, command=f"lfs setstripe {_line(one.options)} {striping.directory}")
    reason = (
        f"“{one.title}” asks for {_line(one.options)} on the same directory, and a directory has one striping; give "
        f"these files a directory of their own, with {_line(striping.options)}"
    )
    return withheld(f"lfs setstripe on {plain(striping.directory)}", reason, advice.source)


def _line(options: Mapping[str, str]) -> str:
    return " ".join(f"{flag} {options[flag]}" for flag in sorted(options, key=_ORDER))


def _striping(advice: Advice) -> _Striping | None:
    """None for advice that is no line of a count, a size or a pool for one directory."""
    if advice.kind != "shell" or advice.command is None or not advice.command.startswith("lfs setstripe "):
        return None
    try:
        *options, _ = shlex.split(advice.command)[2:]
    except ValueError:
        return None
    flags, values = options[::2], options[1::2]
    if len(flags) != len(values) or not set(flags) <= _FLAGS:
        return None
    # As it stands there, quotes and variables too: it is pasted again.
    written = advice.command.split(maxsplit=2 + len(options))[-1]
    return _Striping(dict(zip(flags, values, strict=True)), written)
