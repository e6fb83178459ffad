"""How whole the evidence is, and what it was lost by."""

from __future__ import annotations

from collections.abc import Sequence

from iotriage.metrics.core.metric import Absent, Outcome, Value
from iotriage.metrics.core.missing_evidence import DARSHAN
from iotriage.metrics.core.prefix import PREFIX
from iotriage.metrics.core.registry import metric
from iotriage.metrics.core.selection import Selection
from iotriage.metrics.tables.counters import lacking_modules
from iotriage.metrics.tables.gaps import RECORDS_A_PROCESS, gaps_of, number_of_unread_modules, overflowed_modules
from iotriage_parsers.evidence import DarshanSummary


@metric(
    "evidence.partial_modules",
    "Modules with missing records",
    "1",
    formula="modules whose partial flag is set, and modules that are damaged or could be read in part only",
    needs="any source",
    scopes=["job"],
)
def partial_modules(s: Selection) -> Outcome:
    return Value(len(overflowed_modules(s)) + number_of_unread_modules(s))


@metric(
    "evidence.overflowed_modules",
    "Modules that Darshan had no memory for",
    "word",
    formula="modules whose partial flag is set: the run had more records than Darshan keeps",
    needs="a Darshan log, or a text that was made from one",
    scopes=["job"],
)
def evidence_overflowed_modules(s: Selection) -> Outcome:
    return _listed(gaps_of(s).overflowed) or Absent("Darshan flags no module as out of memory")


@metric(
    "evidence.full_modules",
    "Modules with as many records as Darshan keeps",
    "word",
    formula=f"modules whose partial flag is set, of which a process has {RECORDS_A_PROCESS:,} records or more, "
    "standard streams that were not used among them: the count is the limit, not the memory",
    needs="a Darshan log",
    scopes=["job"],
)
def full_modules(s: Selection) -> Outcome:
    return _listed(gaps_of(s).full) or Absent(
        "no module that is out of memory is known to have reached Darshan's count"
    )


@metric(
    "evidence.darshan",
    "Version of Darshan",
    "word",
    formula="lib_ver of the log's metadata",
    needs="a Darshan log, or a text that was made from one",
    scopes=["job"],
)
def darshan(s: Selection) -> Outcome:
    metadata = [rows.log.metadata for rows in s.logs] + [text.metadata for _, text in s.of(DarshanSummary)]
    stated = [dict(pairs).get("lib_ver") for pairs in metadata]
    return _listed([v for v in stated if v]) or Absent("no log states the version of Darshan that wrote it")


@metric(
    "evidence.losses",
    "How data was lost",
    "word",
    formula="of the sources that lost data: cut or damaged, lines left out of what darshan-parser prints, ended early, "
    "lines mixed (torn lines among them, where the job did not end early), lines cut at a column, numbers or letters "
    "changed, impossible values, one process of several, not printed by darshan-parser, past our limits",
    needs="any source",
    scopes=["job"],
)
def losses(s: Selection) -> Outcome:
    return _listed(gaps_of(s).losses) or Absent("no source lost data in a way that has a name")


@metric(
    "evidence.records_missing",
    "Whether records of files are missing from the logs",
    "word",
    formula="no where no module that counts calls, and no trace that stands for one, is flagged partial, could not be "
    "read or was read in part; absent where one is, since nobody knows what the missing records hold",
    needs="any source",
    scopes=["job"],
)
def records_missing(s: Selection) -> Outcome:
    of_logs = [module for rows in s.logs for module in lacking_modules(rows)]
    lacking = dict.fromkeys((*of_logs, *(name for name in gaps_of(s).overflowed if name in PREFIX)))
    if not lacking:
        return Value("no")
    # Of what Darshan had no memory for, another log like this one has no more.
    modules = [m for rows in s.logs for m in rows.log.modules if m.name in lacking and not m.partial]
    settled_by = (DARSHAN,) if any(m.status in ("damaged", "partly-read") for m in modules) else ()
    return Absent(f"records of {', '.join(lacking)} are missing, and what they hold may decide it", settled_by)


def _listed(names: Sequence[str]) -> Value | None:
    return Value(", ".join(dict.fromkeys(names))) if names else None


@metric(
    "evidence.lower_bound",
    "Sources that lost data",
    "1",
    formula="sources that are truncated, damaged, cut off or flagged partial",
    needs="any source",
    scopes=["job"],
)
def lower_bound(s: Selection) -> Outcome:
    return Value(len(s.losses))
