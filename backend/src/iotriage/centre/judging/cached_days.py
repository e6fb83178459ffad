"""A cache of judged days: of each triggered finding what it was decided from and how, and of each log what its findings
share.

Under another number of one threshold one rule answers otherwise, and most logs keep their findings: those that do not
are settled again from what is kept here (`iotriage.centre.judging.resettled`). A day is judged anew where its logs, the
rules or the sites' thresholds are not those of the kept ones.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from contextlib import closing
from datetime import date
from pathlib import Path
from typing import Final

import numpy as np

from iotriage.centre.judging.days import number_logs, question_of_days
from iotriage.centre.judging.rules import in_force, judged_rules
from iotriage.centre.judging.verdicts import IMPACT, MOST_CLAIMS, SECONDS_OF, WEIGHED_BY, Answers, judge
from iotriage.centre.warehouse.derived import DerivedFiles, derived_files
from iotriage.centre.warehouse.manifest import counted
from iotriage.centre.warehouse.reading import opened
from iotriage.digests import program_digests
from iotriage.metrics.tables.account.cells import CELLS
from iotriage_parsers.evidence.darshan import Float64s, Int64s
from iotriage_parsers.frozen import frozen

VERSION: Final = 4
"""Of the columns below, of which logs they are of, and of what judges."""
FOLDER: Final = "judged"
LOGS_TOGETHER: Final = 50_000
"""So many logs are judged at once, whole days: what memory it takes."""
PARTS: Final = ("logs", "findings")

KEY: Final = "('0x' || \"row\"[:16])::UBIGINT"
"""The number of a log within its day."""

_CELLS: Final = ", ".join(f"{{of}}.cells.{cell} AS {cell}" for cell in CELLS)
_OF_DAYS: Final = f"CREATE TEMP TABLE of_days AS SELECT log, day, {KEY} AS key FROM judged_logs"
_LOGS: Final = f"""
CREATE TEMP TABLE kept_logs AS
SELECT day, d.key, l.site, {SECONDS_OF}, NOT l.account_partial AS whole,
    l.runtime_s AS runtime, {_CELLS.format(of="l")}, {", ".join(f'l."{metric}"' for metric in WEIGHED_BY)},
    l.lower_bounds
FROM judged_logs l JOIN of_days d USING (log, day)
"""
_FINDINGS: Final = f"""
CREATE TEMP TABLE kept_findings AS
SELECT d.day, d.key, g.id AS "group", {{rules}}[s.rule + 1] AS rule, {{figures}},
    s.cause = -1 AS alone, s.severity::UTINYINT AS severity, s.takes, s.position, {_CELLS.format(of="g")}
FROM settled s JOIN of_days d USING (log) LEFT JOIN asked_groups g ON g."group" = s."group"
"""
FIGURES: Final = (*(f"part{n}" for n in range(MOST_CLAIMS)), *IMPACT)
"""What its rule says about a finding, from which all findings of a log are settled."""


@frozen
class CachedDays:
    """The files of judged days by part; `unjudged` are the days that have none."""

    logs: tuple[Path, ...]
    findings: tuple[Path, ...]
    unjudged: tuple[date, ...]


def cached_days(root: Path, days: Iterable[date], most_judged: int) -> CachedDays:
    """Of days that would have to be judged beyond `most_judged` the youngest are, and the others left. Raises
    `BadManifestError`, and OSError where nothing can be kept."""
    files = cached_files(root, sorted(days))
    missing = [of for of in files if not of.are_there]
    left = missing[: max(0, len(missing) - most_judged)]
    for together in _batches(root, missing[len(left) :]):
        _judge(root, together)
    there = [of.paths for of in files if of not in left]
    return CachedDays(tuple(p[0] for p in there), tuple(p[1] for p in there), tuple(of.day for of in left))


def _batches(root: Path, days: Iterable[DerivedFiles]) -> Iterator[list[DerivedFiles]]:
    """Days of few logs together: to put the question takes as long as to answer it for thousands of logs."""
    batch: list[DerivedFiles] = []
    logs = 0
    for of in days:
        more = counted(root, [of.day])["steps"].rows
        if batch and logs + more > LOGS_TOGETHER:
            yield batch
            batch, logs = [], 0
        batch.append(of)
        logs += more
    if batch:
        yield batch


def _judge(root: Path, days: Sequence[DerivedFiles]) -> None:
    asked = question_of_days(judged_rules(), in_force())
    with closing(opened(root, [of.day for of in days], asked.metrics_read)) as connection:
        number_logs(connection)
        connection.register("settled", _columns(judge(connection, asked)))
        connection.execute(_OF_DAYS)
        connection.execute(_LOGS)
        connection.execute(_FINDINGS.format(rules=[rule.id for rule in asked.rules], figures=", ".join(FIGURES)))
        for of in days:
            of.write(connection, {part: f"FROM kept_{part} WHERE day = DATE '{of.day}'" for part in PARTS})


def _columns(answers: Answers) -> dict[str, Int64s | Float64s]:
    found, settled = answers.findings, answers.settled
    columns: dict[str, Int64s | Float64s] = {"log": found.log, "group": found.group, "rule": found.rule}
    columns |= {f"part{n}": np.ascontiguousarray(found.parts[:, n]) for n in range(MOST_CLAIMS)}
    columns |= dict(zip(IMPACT, (found.most, found.least, found.stays), strict=True))
    columns |= {"cause": settled.explained_by, "severity": settled.severity}
    return columns | {"takes": settled.takes, "position": settled.position}


def cached_files(root: Path, days: Sequence[date]) -> list[DerivedFiles]:
    """Of the days as they are now, by today's rules and thresholds, whether they are there or not."""
    made_of = f"{VERSION} {program_digests().decides} {in_force()!r}"
    return derived_files(root, FOLDER, days, PARTS, lambda _: made_of)
