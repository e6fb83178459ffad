"""Whether ranks read or write one after the other, and how long it takes until the last of them is done."""

from __future__ import annotations

from iotriage.metrics.core.about import About
from iotriage.metrics.core.families import MetricsOf
from iotriage.metrics.core.metric import NO_TIME, Absent, Outcome, Value
from iotriage.metrics.core.missing_evidence import DARSHAN
from iotriage.metrics.core.outcomes import quotient
from iotriage.metrics.core.registry import metric, outcome
from iotriage.metrics.core.selection import LogRows, Selection
from iotriage.metrics.core.selection_cache import cached_per_selection
from iotriage.metrics.tables.files.names import file_named
from iotriage.metrics.tables.stages import over_stages
from iotriage.metrics.tables.turns.from_logs import FEWEST_RANKS, Turns, can_show_turns, turns_of
from iotriage_parsers.frozen import frozen_identity

NEEDS = "a Darshan log with one record a rank and the times of first and last calls"
NONE = Absent("no ranks are seen to come one after the other")


@frozen_identity
class _TurnsOfLog:
    rows: LogRows
    turns: Turns


@cached_per_selection
def _longest(s: Selection) -> _TurnsOfLog | Absent:
    found = [_TurnsOfLog(rows, turns) for rows in s.logs if (turns := turns_of(rows)) is not None]
    return max(found, key=lambda one: one.turns.seconds, default=NONE)


@metric(
    "balance.turns_time",
    "Time that passes while ranks take turns",
    "s",
    formula="from F_READ_START or F_WRITE_START of the first to F_READ_END or F_WRITE_END of the last of ranks that "
    "come once each, as another ends, so that nearly always as many are at it; 0 where there are none. Of a file that "
    "all ranks share, and no heatmap shows, where each opens it once, the first closes it before the last opens it, "
    "and their seconds make as many as pass",
    needs=NEEDS,
    scopes=["job"],
)
def turns_time(s: Selection) -> Outcome:
    if not s.logs:
        return Absent("only a log says when each rank read or wrote", (DARSHAN,))
    if not any(map(can_show_turns, s.logs)):
        return Absent(f"fewer than {FEWEST_RANKS} ranks have files, or records of them, of their own")
    spent = over_stages(s, ((rows, turns.seconds) for rows in s.logs if (turns := turns_of(rows)) is not None))
    return Value(spent, "inferred" if spent > NO_TIME else "measured")


@metric(
    "balance.turns_run_fraction",
    "Share of the run that passes while ranks take turns",
    "share",
    about=About(time=False),
    formula="balance.turns_time / job.runtime, at most 1",
    needs=f"{NEEDS}, and an end time",
    scopes=["job"],
)
def turns_run_fraction(s: Selection) -> Outcome:
    return quotient(outcome(s, "balance.turns_time"), outcome(s, "job.runtime"), zero="the run took no time", at_most=1)


@metric(
    "balance.turns_io_ratio",
    "Time that passes while ranks take turns over the I/O time of the slowest rank",
    "ratio",
    about=About(time=False),
    formula="balance.turns_time / job.io_time",
    needs=NEEDS,
    scopes=["job"],
)
def turns_io_ratio(s: Selection) -> Outcome:
    return quotient(outcome(s, "balance.turns_time"), outcome(s, "job.io_time"), zero="the timers show no I/O time")


@metric(
    "balance.in_turns",
    "Whether ranks take turns",
    "word",
    formula="yes where balance.turns_time is more than 0, no where it is 0, unknown where it is absent beside I/O time "
    "(job.io_time)",
    needs="the time that the I/O took",
    scopes=["job"],
)
def in_turns(s: Selection) -> Outcome:
    time = outcome(s, "balance.turns_time")
    if isinstance(time, Absent):
        spent = outcome(s, "job.io_time")
        return spent if isinstance(spent, Absent) else Value("unknown")
    return Value("yes", "inferred") if float(time.value) > NO_TIME else Value("no")


_metrics_of_longest = MetricsOf(_longest, needs=NEEDS, scopes=["job"])
_metrics_of_longest.value(
    "balance.turns_ranks",
    "Ranks that take turns",
    "ranks",
    lambda found: Value(found.turns.ranks, "inferred"),
    formula="distinct ranks of the longest round of turns",
)
_metrics_of_longest.value(
    "balance.turns_at_once",
    "Ranks at work at a time, where ranks take turns",
    "ranks",
    lambda found: Value(found.turns.at_once, "inferred"),
    formula="how many ranks are between their first and last call most of the longest round of turns",
)


@metric(
    "balance.turns_each",
    "Turns that follow one another",
    "ratio",
    about=About(time=False),
    formula="balance.turns_ranks / balance.turns_at_once",
    needs=NEEDS,
    scopes=["job"],
)
def turns_each(s: Selection) -> Outcome:
    return quotient(outcome(s, "balance.turns_ranks"), outcome(s, "balance.turns_at_once"), zero="no rank is at it")


_metrics_of_longest.value(
    "balance.turn_time",
    "Time of one rank's turn",
    "s",
    lambda found: Value(found.turns.turn_s, "inferred"),
    formula="median seconds from a rank's first to its last call in the longest round of turns",
)
_metrics_of_longest.value(
    "balance.turns_kind",
    "What ranks do in turns",
    "word",
    lambda found: Value("read" if found.turns.reads else "write", "inferred"),
    formula="read or write, by the longest round of turns",
)
_metrics_of_longest.value(
    "balance.turns_file",
    "File of the longest turn",
    "word",
    lambda found: file_named(found.rows, found.turns.record),
    formula="the file of the rank that was longest at it in the longest round of turns",
)


@_metrics_of_longest(
    "balance.turns_rate",
    "Rate at which bytes move while ranks take turns",
    "B/s",
    formula="bytes of the ranks that take turns in the longest round of turns / its seconds",
)
def turns_rate(found: _TurnsOfLog) -> Outcome:
    rate = found.turns.bytes_per_s
    return Absent("a heatmap shows the turns, and not their records") if rate is None else Value(rate, "inferred")
