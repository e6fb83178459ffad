"""How much equal runs usually differ: by the site's own quartiles where it has them, else by what one document says."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from math import log

from iotriage.analysis.run_sets.run import Run
from iotriage.rules import all_thresholds
from iotriage.rules.core.rule import Statement
from iotriage.rules.core.words import size
from iotriage.sites import all_sites
from iotriage.sites.site import DocumentedRates
from iotriage_parsers.frozen import frozen


@frozen
class UsualFactor:
    """Two equal runs are not called different while one is less than `factor` times the other. `site_says` is set
    where the figure is the site's own; `moved_from` where it is the reader's, and is then what held before."""

    factor: float
    stated_by: Statement
    site_says: str | None = None
    moved_from: float | None = None


USUAL = "jitter.usual"


def usual_factor_of(runs: Sequence[Run], own: Mapping[str, float]) -> UsualFactor:
    """The usual variation for runs like these: the reader's number where `own` has one, else upper over lower quartile
    of the site's rates, the widest of the runs', where it has them for the pattern and the file system of each: those
    at the number of processes that is nearest to the run's."""
    documented = _documented(runs)
    factor = own.get(USUAL, documented.factor)
    return (
        documented if factor == documented.factor else replace(documented, factor=factor, moved_from=documented.factor)
    )


def _documented(runs: Sequence[Run]) -> UsualFactor:
    declared = all_thresholds()[USUAL]
    found = [_of_site(run) for run in runs]
    known = [usual for usual in found if usual is not None]
    if known and len(known) == len(found):
        return max(known, key=lambda usual: usual.factor)
    return UsualFactor(declared.default, declared.stated_by)


def _of_site(run: Run) -> UsualFactor | None:
    site = all_sites().get(run.document.site.id)
    path = run.document.files[0].path if run.document.files else None
    on = site.file_system_of(path) if site is not None and path is not None else None
    if site is None or on is None:
        return None
    reads = run.work is not None and run.written is not None and run.written < run.work / 2
    way = "read" if reads else "write"
    like = (t for t in site.rates if on.id in t.file_systems and (t.pattern, t.direction) == (run.pattern, way))
    return usual_factor_by(site.title, tuple(like), run.processes)


def usual_factor_by(title: str, tables: Sequence[DocumentedRates], processes: int | None) -> UsualFactor | None:
    """By the quartiles of these tables of a site, measured with about as many processes; None where none has any."""
    rows = [
        (_far(row.processes, processes), row.upper_quartile / row.lower_quartile, table, row)
        for table in tables
        for row in table.rows
        if row.lower_quartile and row.upper_quartile
    ]
    if not rows:
        return None
    _, factor, table, row = min(rows, key=lambda one: one[0])
    quartiles = f"{size(row.lower_quartile or 0)}/s to {size(row.upper_quartile or 0)}/s"
    says = f"{title}: half of the runs lay between {quartiles} ({table.title})"
    return UsualFactor(factor, Statement(table.source.document, table.source.place, table.source.says), says)


def _far(measured: int, processes: int | None) -> float:
    """How many times as many the one is as the other, on a scale of factors; of a run that does not say, nothing."""
    return 0.0 if not processes else abs(log(measured / processes))
