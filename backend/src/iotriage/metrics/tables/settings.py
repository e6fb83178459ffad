"""MPI-IO hints and settings of the MPI library: as asked for in the job script, as displayed when files were opened.

A displayed hint was set; whether the library could follow it is another matter. A hint of the job script counts where
no display of the file says otherwise. Plain ROMIO's, IOR's and an application's own lists count too: they say what the
program passed.
"""

from __future__ import annotations

import fnmatch
import re
from collections.abc import Iterator
from dataclasses import dataclass

from iotriage.metrics.core.metric import Absent, Outcome, Unit, Value, Where
from iotriage.metrics.core.missing_evidence import ENVIRONMENT, HINTS
from iotriage.metrics.core.registry import metric
from iotriage.metrics.core.selection import LogRows, Selection, base_name
from iotriage.metrics.tables.stats_fields import leading, of_leading, place
from iotriage_parsers.evidence import JobContext, Lines, MpichEnvironment, MpiioHints

Complaint = tuple[str, tuple[Where, ...]]
"""What is wrong with a hint, in words, and where it shows."""

NOT_SET = "not set"
"""What an environment variable is that a whole job script leaves alone; a module could have set it: inferred."""

CURLY = "‘’“”"


@dataclass(frozen=True, slots=True)
class Known:
    """A hint or setting with the place it is known from; `asked` where the job script or environment asks for it."""

    value: str
    where: Where
    asked: bool


@dataclass(frozen=True, slots=True)
class HintPattern:
    """One `pattern:key=value` of MPICH_MPIIO_HINTS. A key without a pattern before it has the pattern None."""

    pattern: str | None
    key: str
    value: str


def patterns_of(text: str) -> tuple[HintPattern, ...]:
    """The hints of an MPICH_MPIIO_HINTS string: `pattern:key=value[:key=value…][,pattern:…]`."""
    found = []
    for entry in text.strip(CURLY + "\"' ").split(","):
        pattern: str | None = None
        for piece in entry.split(":"):
            key, equals, value = piece.partition("=")
            if equals:
                found.append(HintPattern(pattern, key.strip(), value.strip(CURLY + "\"' ")))
            else:
                pattern = piece.strip() or None
    return tuple(found)


def settings(s: Selection, name: str) -> tuple[Known, ...]:
    """An environment variable or MPICH setting of the job: as displayed, then as the script sets it."""
    shown = [
        Known(setting.value, Where(i, Lines(setting.line, setting.line)), asked=False)
        for i, part in s.whole.of(MpichEnvironment)
        if (setting := part.setting(name)) is not None
    ]
    scripted = [
        Known(setting.value, Where(i, Lines(setting.line, setting.line)), asked=True)
        for i, part in s.whole.of(JobContext)
        for setting in part.environment
        if setting.name == name and setting.value is not None
    ]
    return (*shown, *scripted)


def displayed(s: Selection, key: str) -> tuple[Known, ...]:
    """A hint as the lists of the selection's files show it, those of Cray MPICH first."""
    found = [
        (part.printed_by != "cray-mpich", Known(hint.value, Where(i, Lines(hint.line, hint.line)), asked=False))
        for i, part in _lists(s)
        if (hint := part.hint(key)) is not None
    ]
    return tuple(known for _, known in sorted(found, key=lambda f: f[0]))


def _lists(s: Selection) -> Iterator[tuple[int, MpiioHints]]:
    """Lists that name a file of the selection, and those that name none and so speak for all."""
    yield from s.of(MpiioHints)
    if s.scope == "group":
        yield from ((i, part) for i, part in s.whole.of(MpiioHints) if part.file is None)


def asked_for(s: Selection, key: str) -> tuple[Known, ...]:
    """A hint as MPICH_MPIIO_HINTS asks for it, for patterns that fit a file of the selection."""
    names = {base_name(p.file) for _, p in s.of(MpiioHints) if p.file} | {base_name(b.block.file) for b in s.stats}
    names |= {base_name(n) for rows in s.logs if not rows.whole for n in _names(rows)}
    found = []
    for known in settings(s, "MPICH_MPIIO_HINTS"):
        for hint in patterns_of(known.value):
            fits = hint.pattern is not None and (
                s.scope == "job" or any(fnmatch.fnmatch(n, base_name(hint.pattern)) for n in names)
            )
            if hint.key == key and fits:
                found.append(Known(hint.value, known.where, asked=True))
    return tuple(found)


def _names(rows: LogRows) -> Iterator[str]:
    for table in (rows.posix, rows.mpiio):
        if table is not None:
            yield from (name for record in table.ids.tolist() if (name := rows.name_of(record)) is not None)


def hint_of(s: Selection, key: str) -> Known | None:
    """The hint as displayed, else as asked for; None where neither says."""
    found = displayed(s, key) or asked_for(s, key)
    return found[0] if found else None


def _word(known: Known | None, what: str) -> Outcome:
    if known is None:
        return Absent(f"no source says what {what} was", (HINTS,))
    return Value(known.value.lower(), "inferred" if known.asked else "measured", (known.where,))


def _number(known: Known | None, what: str) -> Outcome:
    if known is None:
        return Absent(f"no source says what {what} was", (HINTS,))
    if not re.fullmatch(r"\d{1,15}", known.value):
        return Absent(f"{what} is {known.value!r}, which is not a number")
    return Value(int(known.value), "inferred" if known.asked else "measured", (known.where,))


NEEDS = "MPICH_MPIIO_HINTS_DISPLAY, or the job script"


def _declare_word(id: str, title: str, key: str) -> None:
    formula = f"the hint {key} as displayed, else as MPICH_MPIIO_HINTS asks for it"

    @metric(id, title, "word", formula=formula, needs=NEEDS)
    def word(s: Selection) -> Outcome:
        return _word(hint_of(s, key), f"the hint {key}")


def _declare_number(id: str, title: str, key: str, unit: Unit) -> None:
    formula = f"the hint {key} as displayed, else as MPICH_MPIIO_HINTS asks for it"

    @metric(id, title, unit, formula=formula, needs=NEEDS)
    def number(s: Selection) -> Outcome:
        return _number(hint_of(s, key), f"the hint {key}")


_declare_word("hints.cb_write", "Collective buffering of writes", "romio_cb_write")
_declare_word("hints.cb_read", "Collective buffering of reads", "romio_cb_read")
_declare_word("hints.ds_write", "Data sieving of writes", "romio_ds_write")
_declare_number("hints.cb_nodes", "Aggregators asked for", "cb_nodes", "ranks")
_declare_number("hints.striping_factor", "Stripe count asked for", "striping_factor", "stripes")
_declare_number("hints.striping_unit", "Stripe size asked for", "striping_unit", "B")
_declare_number("hints.lock_mode", "Write lock mode of collective buffering", "cray_cb_write_lock_mode", "1")
_declare_number("hints.nodes_multiplier", "Aggregators for each stripe asked for", "cray_cb_nodes_multiplier", "1")


def declare_setting(id: str, title: str, name: str) -> None:
    """Declares the metric that says how the environment variable `name` was set."""

    @metric(
        id,
        title,
        "word",
        formula=f"{name} as MPICH_ENV_DISPLAY shows it, else as the job script sets it or leaves it",
        needs="MPICH_ENV_DISPLAY, or the job script",
        scopes=["job"],
    )
    def setting(s: Selection) -> Outcome:
        found = settings(s, name)
        scripts = [(i, c) for i, c in s.of(JobContext) if c.source == "script" and c.complete]
        if not found and scripts:
            source, script = scripts[0]
            return Value(NOT_SET, "inferred", (Where(source, script.lines),))
        if not found:
            return Absent(f"no source says what {name} was", (ENVIRONMENT,))
        first = found[0]
        return Value(first.value.strip(CURLY + "\"' "), "inferred" if first.asked else "measured", (first.where,))


declare_setting("environment.sar_limit", "Size up to which libfabric segments messages", "FI_OFI_RXM_SAR_LIMIT")
declare_setting("environment.mpiio_stats", "MPICH_MPIIO_STATS as set", "MPICH_MPIIO_STATS")
declare_setting(
    "environment.abort_on_error", "Whether a failed read or write ends the run", "MPICH_MPIIO_ABORT_ON_RW_ERROR"
)


@metric(
    "mpich.version",
    "Version of the MPI library",
    "word",
    formula="the library's banner, else the cray-mpich module that was loaded",
    needs="MPICH_VERSION_DISPLAY, or a module list in the job's output",
    scopes=["job"],
)
def mpich_version(s: Selection) -> Outcome:
    for i, part in s.of(MpichEnvironment):
        version = part.version
        if version is not None:
            return Value(version.version, where=(Where(i, Lines(version.line, version.line)),))
    return Absent("no source states the version of the MPI library", (ENVIRONMENT,))


@metric("job.site", "Site", "word", formula="the id of the site's profile", needs="any source", scopes=["job"])
def site(s: Selection) -> Outcome:
    return Absent("no site's profile is in use") if s.site is None else Value(s.site)


AUDIT = (
    "hint strings with curly quotes or without a file pattern; cb_buffer_size where the library ignores it; cb_nodes "
    "displayed but fewer aggregators at work; hints displayed otherwise than asked for"
)


@metric(
    "hints.audit_count",
    "Hints that do not do what was asked",
    "1",
    formula=f"how many of: {AUDIT}",
    needs=NEEDS,
    scopes=["job"],
)
def audit_count(s: Selection) -> Outcome:
    found = _complaints(s)
    if isinstance(found, Absent):
        return found
    return Value(len(found), "inferred", tuple(w for _, places in found for w in places))


@metric(
    "hints.audit",
    "What is wrong with the hints",
    "word",
    formula=f"in words: {AUDIT}",
    needs=NEEDS,
    scopes=["job"],
)
def audit(s: Selection) -> Outcome:
    found = _complaints(s)
    if isinstance(found, Absent):
        return found
    if not found:
        return Absent("nothing is wrong with the hints that the sources show")
    return Value("; ".join(words for words, _ in found), "inferred", tuple(w for _, places in found for w in places))


def _complaints(s: Selection) -> tuple[Complaint, ...] | Absent:
    if not s.of(MpiioHints) and not settings(s, "MPICH_MPIIO_HINTS"):
        return Absent("no source shows the hints", (HINTS,))
    return (*_malformed(s), *_ignored(s), *_not_followed(s))


def _malformed(s: Selection) -> Iterator[Complaint]:
    for known in settings(s, "MPICH_MPIIO_HINTS"):
        if any(c in CURLY for c in known.value):
            yield "the hint string has curly quotes, which are part of its text", (known.where,)
        lost = [h.key for h in patterns_of(known.value) if h.pattern is None]
        if lost:
            yield f"{', '.join(lost)} stands without a file pattern before it (“*:” was lost?)", (known.where,)


def _ignored(s: Selection) -> Iterator[Complaint]:
    for known in asked_for(s, "cb_buffer_size"):
        if s.of(MpichEnvironment) or any(p.printed_by == "cray-mpich" for _, p in s.of(MpiioHints)) or s.stats:
            yield "cb_buffer_size is set, but Cray MPICH takes the stripe size as the buffer's", (known.where,)


def _not_followed(s: Selection) -> Iterator[Complaint]:
    block = leading(s.writes)
    used = of_leading(s, "aggregators", lambda b: b.aggregators)
    for known in displayed(s, "cb_nodes"):
        if block is not None and isinstance(used, Value) and isinstance(used.value, int) and known.value.isdigit():
            if used.value < int(known.value):
                words = f"cb_nodes={known.value} is displayed, but {used.value} aggregators wrote"
                yield words, (known.where, *place(block, "aggregators"))
            break
    for key in sorted({h.key for k in settings(s, "MPICH_MPIIO_HINTS") for h in patterns_of(k.value)}):
        asked, shown = asked_for(s, key), displayed(s, key)
        if asked and shown and asked[-1].value.lower() not in {k.value.lower() for k in shown}:
            words = f"{key}={asked[-1].value} was asked for, and {shown[0].value} is displayed"
            yield words, (asked[-1].where, shown[0].where)
