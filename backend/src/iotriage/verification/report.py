"""What a second opinion came to, for a terminal and for programs."""

from __future__ import annotations

import json
from collections.abc import Iterator, Sequence
from dataclasses import asdict
from textwrap import fill

from iotriage.reports.escaping import escape_json
from iotriage.reports.wrapped import TERMINAL
from iotriage.verification.agreement import Difference, Shown
from iotriage.verification.verify import Verification


def as_json(found: Sequence[Verification]) -> str:
    """A list of one object for each log."""
    logs = [
        {
            "log": one.log,
            "pydarshan": one.found.pydarshan,
            "agreed": one.found.agreed,
            "differing": one.found.differing,
            "parts": [asdict(part) for part in one.found.parts],
        }
        for one in found
    ]
    return escape_json(json.dumps(logs, indent=2, ensure_ascii=False, allow_nan=False)) + "\n"


def as_text(found: Sequence[Verification], width: int = TERMINAL) -> str:
    return "".join(line + "\n" for one in found for line in _lines(one, width))


def _lines(one: Verification, width: int) -> Iterator[str]:
    with_whom = f"pydarshan {one.found.pydarshan}"
    log = _value(one.log)
    if not one.found.differing:
        yield f"{log}: all {one.found.agreed:,} values agree with {with_whom}"
        return
    yield f"{log}: {one.found.agreed:,} values agree with {with_whom}, {one.found.differing:,} differ"
    for part in one.found.parts:
        of_reason: dict[str | None, list[Difference]] = {}
        for difference in part.differences:
            of_reason.setdefault(difference.reason, []).append(difference)
        for reason, differences in of_reason.items():
            yield f"  {part.part}: {_counted(differences)}"
            words = f"why: {reason}" if reason is not None else "why: not known; please report it with the log"
            yield fill(words, width, initial_indent="    ", subsequent_indent="    ")


def _counted(differences: Sequence[Difference]) -> str:
    first = differences[0]
    at = [f"{name} {value}" for name, value in (("rank", first.rank), ("record", first.record)) if value is not None]
    where = f" of {', '.join(at)}" if at else ""
    others = f" and {len(differences) - 1} other kinds" if len(differences) > 1 else ""
    values = sum(d.values for d in differences)
    example = f"{_value(first.ours)} here, {_value(first.theirs)} there"
    return f"{values:,} of {first.what}{others}, the first{where}: {example}"


def _value(value: Shown) -> str:
    if value is None:
        return "nothing"
    # From a log, or its name: no character of it may command the terminal.
    return "".join(c if c.isprintable() else "\N{REPLACEMENT CHARACTER}" for c in str(value))
