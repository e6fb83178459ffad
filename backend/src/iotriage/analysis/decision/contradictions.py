"""Finds advice of different findings that sets the same thing. Where it agrees it is merged, and where it contradicts,
the later one is withheld. Advice that several findings give in the same words is listed once.

A directory has one striping, a file has one value of a hint, and a variable has one value, whichever finding asks for
it. Of two findings that would stripe the same directory, one setting the count and the other the size, both get one
line that sets both; of two that set hints for files of the same name, both get one variable with all the hints. Where
two findings want different values, the one that is read first keeps its advice; the other's is withheld, with the
reason.

`with_settings` works out what each action sets, and writes into the document to which finding it gives way.
`without_contradictions` decides by that alone, so that the page can do the same when a threshold moves.
"""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import replace
from itertools import groupby

from iotriage.analysis.document import AdvisedSetting, Finding, GivesWay
from iotriage.metrics.tables.settings import HINT_VARIABLE
from iotriage.rules.core.action import Action, ChangeDirectory, Export, HintsFile, SetHint, SetStripe, Unset
from iotriage.rules.core.advice import Advice, withheld, withheld_last
from iotriage.rules.core.commands import (
    AROUND_HINTS,
    AROUND_ROMIO_HINTS,
    BETWEEN_HINTS,
    BETWEEN_ROMIO_HINTS,
    BETWEEN_STRIPE_OPTIONS,
    ROMIO_HINTS,
    Option,
    around,
    around_stripe_options,
    file_hints,
    filled_in_before,
    hint,
    in_line,
    line,
    place,
    romio_hint,
    stripe_options,
)
from iotriage.rules.core.words import printable
from iotriage_parsers.frozen import frozen

Key = tuple[str, str]
"""The id of a finding: its rule and its scope."""
SAME_WORDS = "said by several rules:"
"""Before its number, the target of what several rules advise in the same words: like a variable, it is there once."""
WHERE_IT_RUNS = "where the job runs"
"""The target of advice that changes the job's directory."""
InForce = dict[str, list[tuple[Key, AdvisedSetting]]]
"""By target, what holds there, of the finding that is read first to the last."""


@frozen
class _Wish:
    """What an action sets; `what` is withheld where another wants it otherwise: what that asks for, with
    `joint` between, stands before `instead` in the reason."""

    setting: AdvisedSetting
    what: str
    joint: str
    instead: str


def with_settings(findings: Sequence[Finding]) -> list[Finding]:
    """`findings`, each piece of advice with what it would set and to which finding it gives way."""
    repeated = _repeated(findings)
    wishes = [tuple(_wishes(finding, repeated)) for finding in findings]
    by_target: dict[str, list[tuple[Finding, AdvisedSetting]]] = {}
    for finding, mine in zip(findings, wishes, strict=True):
        first = {wish.setting.target: wish.setting for wish in reversed(mine)}
        for target, setting in first.items():
            by_target.setdefault(target, []).append((finding, setting))
    return [
        _finding_with(finding, tuple(_giving_way(finding, wish, by_target[wish.setting.target]) for wish in mine))
        for finding, mine in zip(findings, wishes, strict=True)
    ]


def without_contradictions(findings: Sequence[Finding]) -> tuple[Finding, ...]:
    """`findings`, in reading order, with what sets the same made one, and the advice withheld that contradicts a
    finding before it."""
    in_force: InForce = {}
    given_way: dict[tuple[Key, int], GivesWay] = {}
    for finding in findings:
        key = _key(finding)
        for index, settings in _by_advice(finding):
            way = next((w for mine in settings if (w := _first_way(mine, in_force.get(mine.target, ())))), None)
            if way is not None:
                given_way[key, index] = way
                continue
            for mine in settings:
                if mine in _first_choices(finding):
                    in_force.setdefault(mine.target, []).append((key, mine))
    return tuple(_decided(finding, in_force, given_way) for finding in findings)


def _by_advice(finding: Finding) -> list[tuple[int, list[AdvisedSetting]]]:
    """What a triggered finding would set, listed for each piece of its advice."""
    if finding.in_force is None:
        return []
    return [(index, list(of)) for index, of in groupby(finding.in_force.settings, key=lambda s: s.advice)]


def _first_choices(finding: Finding) -> Collection[AdvisedSetting]:
    """The finding's first setting of each target; further settings of the same target are alternatives."""
    settings = finding.says.settings if finding.says else ()
    return {setting.target: setting for setting in reversed(settings)}.values()


def _first_way(mine: AdvisedSetting, others: Sequence[tuple[Key, AdvisedSetting]]) -> GivesWay | None:
    return next((way for key, _ in others for way in mine.gives_way_to if (way.rule, way.scope) == key), None)


def _decided(finding: Finding, in_force: InForce, given_way: dict[tuple[Key, int], GivesWay]) -> Finding:
    settings = _by_advice(finding)
    if finding.in_force is None or not settings:
        return finding
    key, decided = _key(finding), list(finding.in_force.advice)
    for index, of_advice in settings:
        way = given_way.get((key, index))
        one = decided[index]
        decided[index] = _together(one, of_advice, key, in_force) if way is None else _withheld(one, way)
    gone = tuple(index for index, _ in settings if (key, index) in given_way)
    return replace(finding, advice=withheld_last(decided), given_way=gone)


def _withheld(one: Advice, way: GivesWay) -> Advice:
    return withheld(way.what, way.reason, one.citation)


def _together(one: Advice, settings: Sequence[AdvisedSetting], key: Key, in_force: InForce) -> Advice:
    """The advice with what all ask for who agree; what it leaves as it is gives way to what another asks for."""
    for mine in settings:
        if mine.between is None:
            continue
        options = {o.name: o for o in mine.options}
        for other in (setting for of, setting in in_force.get(mine.target, ()) if of != key):
            for theirs in other.options:
                had = options.get(theirs.name)
                if had is None or (had.kept and not theirs.kept):
                    options[theirs.name] = theirs
        one = replace(one, command=f"{mine.opening}{in_line(options.values(), mine.between)}{mine.ending}")
    return one


def _finding_with(finding: Finding, settings: tuple[AdvisedSetting, ...]) -> Finding:
    if finding.says is None or not settings:
        return finding
    return replace(finding, says=replace(finding.says, settings=settings))


def _giving_way(finding: Finding, mine: _Wish, others: Sequence[tuple[Finding, AdvisedSetting]]) -> AdvisedSetting:
    """What is set, with every finding that wants it otherwise, and the words for that."""
    ways = tuple(
        GivesWay(other.rule, other.scope.id, mine.what, _why(other, theirs, mine))
        for other, theirs in others
        if _key(other) != _key(finding) and _differ(mine.setting, theirs)
    )
    return replace(mine.setting, gives_way_to=ways)


def _differ(one: AdvisedSetting, other: AdvisedSetting) -> bool:
    wanted = {o.name: o.text for o in one.options if not o.kept}
    return any(not o.kept and wanted.get(o.name, o.text) != o.text for o in other.options)


def _why(other: Finding, theirs: AdvisedSetting, mine: _Wish) -> str:
    if not mine.instead:
        return f"“{other.title}” advises it already"
    asked = mine.joint.join(o.text for o in theirs.options if not o.kept)
    return f"“{other.title}” asks for {asked} {mine.instead}"


Recommendation = tuple[str, tuple[Action, ...]]
"""What an advice says and does, whatever it cites."""


def _wishes(finding: Finding, repeated: Mapping[Recommendation, int]) -> Iterator[_Wish]:
    for index, advice in enumerate(finding.says.advice if finding.says else ()):
        every = advice.actions
        found = [_wish(action, index, finding.rule, every, at) for at, action in enumerate(every)]
        sets = [wish for wish in found if wish is not None]
        yield from sets
        number = repeated.get(_recommendation(advice))
        if not sets and advice.withheld is None and number is not None:
            setting = AdvisedSetting(index, f"{SAME_WORDS} {number}", (Option("of", finding.rule),))
            yield _Wish(setting, "the same a second time", "", "")


def _recommendation(one: Advice) -> Recommendation:
    return one.text, one.actions


def _repeated(findings: Sequence[Finding]) -> dict[Recommendation, int]:
    """Advice that several rules give in the same words, numbered."""
    rules: dict[Recommendation, set[str]] = {}
    for finding in findings:
        for one in finding.says.advice if finding.says else ():
            if one.withheld is None:
                rules.setdefault(_recommendation(one), set()).add(finding.rule)
    return {one: number for number, one in enumerate(one for one, of in rules.items() if len(of) > 1)}


def _wish(action: Action, index: int, rule: str, every: Sequence[Action], at: int) -> _Wish | None:
    """None for an action that sets nothing of which there is one. `at` is its place among those of its advice."""
    match action:
        case SetStripe():
            before, after = around(every, at)
            opening, ending = around_stripe_options(action, filled_in_before(every, at))
            options = stripe_options(action)
            setting = AdvisedSetting(
                index,
                place(action.directory),
                options,
                f"{before}{opening}",
                BETWEEN_STRIPE_OPTIONS,
                f"{ending}{after}",
            )
            instead = (
                "on the same directory, and a directory has one striping; give these files a directory of their own, "
                f"with {' '.join(o.text for o in options)}"
            )
            return _Wish(setting, f"lfs setstripe on {printable(place(action.directory))}", " ", instead)
        case SetHint():
            given = " and ".join(hint(h) for h in action.hints) or "the hints of the job"
            what = f"{given} for {printable(action.file_pattern)}"
            instead = "for files of this name, and a hint has one value; try one after the other"
            return _Wish(_hints_set(action, index, *around(every, at)), what, " and ", instead)
        case HintsFile():
            before, after = around(every, at)
            lines = tuple(Option(h.key, romio_hint(h)) for h in action.hints)
            opening, ending = AROUND_ROMIO_HINTS
            setting = AdvisedSetting(
                index, ROMIO_HINTS, lines, f"{before}{opening}", BETWEEN_ROMIO_HINTS, f"{ending}{after}"
            )
            what = " and ".join(hint(h) for h in action.hints)
            return _Wish(setting, what, " and ", "and a hint has one value; try one after the other")
        case ChangeDirectory():
            # A job runs in one directory: what several rules send it to is said once.
            setting = AdvisedSetting(index, WHERE_IT_RUNS, (Option("of", rule),))
            return _Wish(setting, "a second change of where the job runs", "", "")
        case Export() | Unset():
            setting = AdvisedSetting(index, action.name, (Option(action.name, line(action)),))
            return _Wish(setting, line(action), " ", "and a variable has one value")
        case _:
            return None


def _hints_set(action: SetHint, index: int, before: str, after: str) -> AdvisedSetting:
    """The hints that an action sets. Those in the environment all share one variable, whichever files they are for."""
    if action.through is not None:
        options = tuple(Option(h.key, hint(h)) for h in action.hints)
        return AdvisedSetting(index, f"hints for {action.file_pattern} {action.through}", options)
    opening, ending = AROUND_HINTS
    return AdvisedSetting(
        index, HINT_VARIABLE, file_hints(action), f"{before}{opening}", BETWEEN_HINTS, f"{ending}{after}"
    )


def _key(finding: Finding) -> Key:
    return finding.rule, finding.scope.id
