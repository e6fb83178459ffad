"""Whether all logs of a period have been taken in since it ended, and if not, why: otherwise missing logs look like
jobs that never ran."""

from __future__ import annotations

from collections.abc import Iterable
from datetime import UTC, datetime, time, timedelta
from pathlib import Path
from typing import Final

from iotriage.centre.last_runs import LastRun, LastTry, last_runs, last_tries
from iotriage.centre.log_files import LATE_DAYS, Shard
from iotriage.centre.report.section import Period, day_in_words
from iotriage.centre.warehouse.manifest import days_in
from iotriage.rules.core.words import paragraph, printable

GIVEN_UP: Final = timedelta(days=31)
"""A folder, or a way of dividing it into shards, of which nothing was heard for so long is no longer taken in."""


def ingest_gap(root: Path, period: Period, now: float) -> str | None:
    """What to know where no run over a folder, or over a part of it, has come to its end since the period ended, or
    where all have and some folder could not be listed, or there was no log of it; None else. `now` is in seconds since
    1970: one that has not ended cannot have been taken in since."""
    runs, tries = last_runs(root), last_tries(root)
    if not runs:
        nothing = "No run of iotriage ingest into this warehouse has come to its end: logs may be missing."
        return paragraph(nothing, _what_became(max(tries, key=lambda begun: begun.began, default=None)))
    ended = datetime.combine(period.last + timedelta(days=1), time(), UTC).timestamp()
    late = sorted((run for run in _current(runs) if run.ended < ended), key=lambda run: run.ended)
    if not late:
        return paragraph(_not_looked_into(runs, period), _nothing_came(root, period)) or None
    first = late[0]
    others = f" and of {len(late) - 1} more" if len(late) > 1 else ""
    since = (t for t in tries if (t.folder, t.shard) == (first.folder, first.shard) and t.began > first.ended)
    last = f"The logs of {_run_name(first)}{others} were last taken in on {_moment(first.ended)}"
    so_far = f"{last}. The {period.kind} has not ended: what comes until then is not here yet."
    since_then = "and no run of iotriage ingest has come to its end since: what came later may be missing."
    return paragraph(
        so_far if now < ended else f"{last}, before the {period.kind} had ended, {since_then}",
        _what_became(next(since, None)),
    )


def _not_looked_into(runs: Iterable[LastRun], period: Period) -> str | None:
    """Of a period of whose days a run looks for logs still. Each shard of a folder looks into all that is below it."""
    looked = (run for run in _current(runs) if _moment_of(run.ended).date() - timedelta(days=LATE_DAYS) <= period.last)
    blind = {run.folder: run for run in sorted(looked, key=lambda run: run.unlisted) if run.unlisted}
    if not blind:
        return None
    folders, one = sum(run.unlisted for run in blind.values()), blind[min(blind)]
    first = printable(one.first_unlisted or one.folder)
    which = first if folders == 1 else f"{folders:,} folders, such as {first},"
    return f"{which} could not be listed when the logs were taken in: logs in there are missing here."


def _nothing_came(root: Path, period: Period) -> str | None:
    """Of a period of which all is taken in: a centre is seldom idle for a day, and a log folder that has moved looks
    like that."""
    days = list(days_in(root))
    before = [day for day in days if day < period.first]
    if not before or any(period.first <= day <= period.last for day in days):
        return None
    return (
        f"All was taken in since the {period.kind} ended, and no log of it was there; the last ones before are of "
        f"{day_in_words(before[-1])}. Either nothing ran under Darshan, or its logs lie elsewhere now, or where the "
        "account that takes them in may not look."
    )


def _what_became(begun: LastTry | None) -> str | None:
    """What is known of the last run, where it has not come to its end."""
    if begun is None:
        return None
    when = _moment(begun.began)
    if begun.why is None:
        return f"A run that began on {when} goes on, or was ended: it has not said which."
    return f"The last one, on {when}, failed: {begun.why.rstrip('.')}."


def _moment(seconds: float) -> str:
    at = _moment_of(seconds)
    return f"{day_in_words(at.date())} at {at:%H:%M} UTC"


def _moment_of(seconds: float) -> datetime:
    return datetime.fromtimestamp(seconds, UTC)


def _current(runs: Iterable[LastRun]) -> Iterable[LastRun]:
    """Those of the folders that are still taken in, divided as they were last."""
    newest: dict[str, LastRun] = {}
    for run in sorted(runs, key=lambda run: run.ended):
        newest[run.folder] = run
    last = max(run.ended for run in newest.values())
    for run in runs:
        of = newest[run.folder]
        if Shard.named(run.shard).count == Shard.named(of.shard).count and last - of.ended < GIVEN_UP.total_seconds():
            yield run


def _run_name(run: LastRun) -> str:
    shard = Shard.named(run.shard)
    return run.folder if shard.count == 1 else f"{run.folder} (shard {shard.index}/{shard.count})"
