"""Advice of one finding that another's undoes: a directory has one striping, whoever's files lie in it.

Of two findings that would stripe the same directory otherwise, the one that is read first keeps its line; the other's
is withheld and says why.
"""

from __future__ import annotations

import shlex
from collections.abc import Sequence
from dataclasses import replace

from iotriage.analysis.document import Finding
from iotriage.rules.rule import Advice, withheld, withheld_last
from iotriage.rules.wording import plain

Stripings = dict[str, tuple[str, str]]
"""By directory, as the line has it: the options of `lfs setstripe`, and the title of the finding that asks for them."""


def without_contradictions(findings: Sequence[Finding]) -> tuple[Finding, ...]:
    """`findings`, in reading order, with the advice withheld that contradicts a finding before it."""
    asked: Stripings = {}
    return tuple(_kept(f, asked) if f.verdict == "triggered" else f for f in findings)


def _kept(finding: Finding, asked: Stripings) -> Finding:
    advice = withheld_last(_or_withheld(a, finding, asked) for a in finding.advice)
    if advice == finding.advice or finding.would_say is None:
        return finding
    return replace(finding, advice=advice, would_say=replace(finding.would_say, advice=advice))


def _or_withheld(advice: Advice, finding: Finding, asked: Stripings) -> Advice:
    striping = _striping(advice)
    if striping is None:
        return advice
    options, directory = striping
    first, title = asked.setdefault(directory, (options, finding.title))
    if first == options:
        return advice
    reason = (
        f"“{title}” asks for {first} on the same directory, and a directory has one striping; give these files a "
        f"directory of their own, with {options}"
    )
    return withheld(f"lfs setstripe on {plain(directory)}", reason, advice.source)


def _striping(advice: Advice) -> tuple[str, str] | None:
    """Options and directory of a line that sets a directory's striping; None for other advice."""
    if advice.kind != "shell" or advice.command is None or not advice.command.startswith("lfs setstripe "):
        return None
    try:
        words = shlex.split(advice.command)
    except ValueError:
        return None
    return " ".join(words[2:-1]), words[-1]
