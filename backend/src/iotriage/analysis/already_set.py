"""What of an action the job has not set yet, by its environment, its script and the hints in force."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import replace
from fnmatch import fnmatchcase

from iotriage.analysis.job_settings import JobSettings
from iotriage.metrics.tables.settings import HINT_VARIABLE, is_meant
from iotriage.rules.core.action import (
    Action,
    AskFor,
    Export,
    FileHint,
    ModuleLoad,
    ModuleSwap,
    MpiioHint,
    Named,
    SetHint,
    SetStripe,
    Unset,
)


def not_set_yet(action: Action, own: JobSettings) -> Iterator[Action]:
    """The part of an action that the job has not set yet."""
    match action:
        case Export():
            has = own.environment.get(action.name)
            if has is None or _expanded(has) != _expanded(action.value):
                yield action
        case ModuleLoad() | ModuleSwap():
            if action.module.partition("/")[0] not in own.modules:
                yield action
        case AskFor():
            if not own.switches_on(action.evidence) and action.evidence not in own.irrelevant() | own.has():
                yield action
        case SetHint():
            yield from hints_not_set_yet(action, own)
        case SetStripe():
            if not _is_striped(action, own):
                yield action
            yield from _without_striping_hints(own)
        case _:
            yield action


_OTHER_VARIABLE = re.compile(r"\$\{?(\w+)(?::\?[^}]*)?\}?")


def _expanded(value: str) -> str:
    """A value that is another variable's, however it is written: "$TMPDIR", "${TMPDIR}", "${TMPDIR:?what it is}"."""
    other = _OTHER_VARIABLE.fullmatch(value)
    return value if other is None else f"${other[1]}"


def _is_striped(action: SetStripe, own: JobSettings) -> bool:
    """Whether the job's script already gives the directory the striping that the advice asks for."""
    where = action.directory
    command = own.stripes.get(where.path.rstrip("/")) if isinstance(where, Named) and not action.new else None
    if command is None or command.composite:
        return False
    count = -1 if command.over_all_osts else command.stripe_count
    size_fits = "size" in action.kept or command.stripe_size_bytes == action.size_bytes
    first_ost = -1 if command.first_ost is None else command.first_ost
    rest = action.pool == command.pool and action.first_ost in (None, first_ost)
    return size_fits and rest and ("count" in action.kept or count == action.count)


STRIPING_HINTS = ("striping_factor", "striping_unit")


def _may_apply(hint: FileHint, own: JobSettings) -> bool:
    return not own.in_force or any(is_meant(hint.file_pattern, name) for name in own.in_force)


def _without_striping_hints(own: JobSettings) -> Iterator[Action]:
    """Sets the job's hints again without those about striping, which override the layout of the directory when a file
    is made: of the files that were opened, where all of them are known."""
    others = tuple(h for h in own.hints if h.key not in STRIPING_HINTS or not _may_apply(h, own))
    if len(others) == len(own.hints):
        return
    others = (*own.unseen_hints, *others)
    yield SetHint("*", tuple[MpiioHint, ...](), None, others) if others else Unset(HINT_VARIABLE)


def hints_not_set_yet(action: SetHint, own: JobSettings) -> Iterator[SetHint]:
    if not action.hints:
        yield action
        return
    left = tuple(h for h in action.hints if not _displayed(h, action.file_pattern, own))
    # The variable has the last word over what the program gives, for the library that reads it.
    has = {(h.file_pattern, h.key): h.value for h in own.hints if own.cray}
    left = tuple(h for h in left if h.value not in (has.get((action.file_pattern, h.key)), has.get(("*", h.key))))
    if action.through is not None:
        if left:
            yield replace(action, hints=left)
        return
    if left:
        yield SetHint(_pattern_in_place(action.file_pattern, left, own), left, None, (*own.unseen_hints, *own.hints))


_OF_LOCKS = dict.fromkeys(("cray_cb_write_lock_mode", "romio_no_indep_rw"), "cray_cb_write_lock_mode")
"""Hints that put right what the job sets, and concern the files for which it does, by what that is."""


def _pattern_in_place(wanted: str, left: Sequence[MpiioHint], own: JobSettings) -> str:
    """The pattern by which the job gives the files one of these hints already: its value is changed there. Of two
    patterns that fit a file no document says which has the last word. A hint of locks that is asked for without a name
    is for the files for which the job sets them; any other is for all, or for those whose names cannot be typed."""
    keys = {h.key for h in left}
    if wanted == "*" and len(left) == 1 and left[0].key in _OF_LOCKS:
        stands = {h.file_pattern for h in own.hints if h.key == _OF_LOCKS[left[0].key]}
        return stands.pop() if len(stands) == 1 else wanted
    name = wanted.replace("*", "0")
    fits = (h.file_pattern for h in own.hints if h.key in keys and fnmatchcase(name, h.file_pattern))
    return next(fits, wanted)


def _displayed(hint: MpiioHint, pattern: str, own: JobSettings) -> bool:
    """Whether all files that the pattern matches were opened with the hint, whoever set it."""
    meant = [shown for name, shown in own.in_force.items() if fnmatchcase(name, pattern)]
    return bool(meant) and all(shown.get(hint.key) == hint.value for shown in meant)
