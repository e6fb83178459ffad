"""Values of MPI-IO hints, as displayed or as requested."""

from __future__ import annotations

import re
from collections import Counter

from iotriage.metrics.core.about import About
from iotriage.metrics.core.metric import Absent, Outcome, Unit, Value
from iotriage.metrics.core.missing_evidence import HINTS
from iotriage.metrics.core.registry import metric
from iotriage.metrics.core.selection import Selection
from iotriage.metrics.tables.settings import (
    KnownSetting,
    displayed,
    displayed_by_file,
    displayed_for,
    requested_settings,
    shows_hints,
)
from iotriage_parsers.evidence.mpiio_stats import Direction


def hint_of(s: Selection, key: str) -> KnownSetting | None:
    """The displayed value of the hint, else the requested one; None where there is neither."""
    found = (displayed(s, key) or requested_settings(s, key)) if shows_hints(s) else ()
    return found[0] if found else None


def set_for(s: Selection, key: str) -> KnownSetting | Absent | None:
    """The hint as `hint_of` has it, where all files that show one show the same; else how many have which."""
    files_with = Counter(known.value.lower() for _, known in displayed_by_file(s, key))
    if len(files_with) <= 1:
        return hint_of(s, key)
    each = ", ".join(f"{value!r} for {files}" for value, files in files_with.most_common(NAMED))
    more = " and others" if len(files_with) > NAMED else ""
    return Absent(f"the hint {key} differs between files: {each}{more}")


NAMED = 3
"""Number of different values that are listed, each with its number of files."""


def _word(known: KnownSetting | Absent | None, what: str) -> Outcome:
    if isinstance(known, Absent):
        return known
    if known is None:
        return Absent(f"no source says what {what} was", (HINTS,))
    return Value(known.value.lower(), "inferred" if known.requested else "measured", (known.where,))


def _number(known: KnownSetting | Absent | None, what: str) -> Outcome:
    if isinstance(known, Absent):
        return known
    if known is None:
        return Absent(f"no source says what {what} was", (HINTS,))
    if not re.fullmatch(r"\d{1,15}", known.value):
        return Absent(f"{what} is {known.value!r}, which is not a number")
    return Value(int(known.value), "inferred" if known.requested else "measured", (known.where,))


AS_SET = "the hint {} as displayed, else as MPICH_MPIIO_HINTS asks for it; absent where it differs between files"
LOCK_MODE, SHARED_LOCK = "cray_cb_write_lock_mode", "1"
"""The hint, and its value with which the writers of a file share a lock."""
NEEDS = "MPICH_MPIIO_HINTS_DISPLAY, or the job script"


def _declare_word(id: str, title: str, key: str, direction: Direction) -> None:
    formula = AS_SET.format(key)

    @metric(id, title, "word", about=About(direction=direction), formula=formula, needs=NEEDS)
    def word(s: Selection) -> Outcome:
        return _word(set_for(s, key), f"the hint {key}")


def _declare_number(id: str, title: str, key: str, unit: Unit) -> None:
    formula = AS_SET.format(key)

    @metric(id, title, unit, formula=formula, needs=NEEDS)
    def number(s: Selection) -> Outcome:
        return _number(set_for(s, key), f"the hint {key}")


_declare_word("hints.cb_write", "Collective buffering of writes", "romio_cb_write", "write")
_declare_word("hints.cb_read", "Collective buffering of reads", "romio_cb_read", "read")
_declare_word("hints.ds_write", "Data sieving of writes", "romio_ds_write", "write")
_declare_number("hints.cb_nodes", "Aggregators asked for", "cb_nodes", "ranks")
_declare_number("hints.striping_factor", "Stripe count asked for", "striping_factor", "stripes")
_declare_number("hints.striping_unit", "Stripe size asked for", "striping_unit", "B")
_declare_number("hints.lock_mode", "Write lock mode of collective buffering", LOCK_MODE, "1")
_declare_number("hints.nodes_multiplier", "Aggregators for each stripe asked for", "cray_cb_nodes_multiplier", "1")


@metric(
    "hints.no_indep_rw",
    "Whether independent access is ruled out",
    "word",
    formula="the hint romio_no_indep_rw as displayed, else as MPICH_MPIIO_HINTS asks for it; false, the library's "
    "default, where hints are known and it is not among them. Where files are displayed whose "
    "cray_cb_write_lock_mode is 1, that of the first of these for which it is not true",
    needs=NEEDS,
)
def no_indep_rw(s: Selection) -> Outcome:
    key = "romio_no_indep_rw"
    sharing = [(file, mode) for file, mode in displayed_by_file(s, LOCK_MODE) if mode.value == SHARED_LOCK]
    of_each = [(next(iter(displayed_for(s, key, file)), None), mode) for file, mode in sharing]
    known, beside = min(of_each, key=lambda one: _is_true(one[0]), default=(hint_of(s, key), hint_of(s, LOCK_MODE)))
    if known is None and beside is not None:
        return Value("false", "inferred", (beside.where,))
    return _word(known, f"the hint {key}")


def _is_true(known: KnownSetting | None) -> bool:
    return known is not None and known.value.lower() == "true"
