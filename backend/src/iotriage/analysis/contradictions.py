"""Advice of one finding that another's undoes or completes: a directory has one striping, whoever's files lie in it.

Of two findings that would stripe the same directory, one with a count and the other with a size, both get the one
line that does both. Where they want it otherwise, the one that is read first keeps its line; the other's is withheld
and says why.

`with_stripings` reads the lines once, and writes into the document what each asks for and what it gives way to.
`without_contradictions` decides by that alone, so that the page can do the same when a threshold moves.
"""

from __future__ import annotations

import shlex
from collections.abc import Callable, Sequence
from dataclasses import replace

from iotriage.analysis.document import Finding, GivesWay, Striping
from iotriage.rules.core.rule import Advice, withheld, withheld_last
from iotriage.rules.core.words import plain

Kept = dict[str, list[tuple["Key", Striping]]]
"""By directory, the lines that hold there, of the finding that is read first to the last."""
Key = tuple[str, str]
"""Of a finding: its rule and its scope's id."""


def with_stripings(findings: Sequence[Finding]) -> list[Finding]:
    """`findings` with the lines among what each would advise that stripe a directory, and what each gives way to."""
    read = [(f, _stripings(f)) for f in findings]
    return [_with(f, tuple(_giving_way(f, mine, read) for mine in stripings)) for f, stripings in read]


def without_contradictions(findings: Sequence[Finding]) -> tuple[Finding, ...]:
    """`findings`, in reading order, with lines for the same directory made one, and the advice withheld that
    contradicts a finding before it."""
    kept: Kept = {}
    withheld_by: dict[tuple[Key, int], GivesWay] = {}
    for finding in findings:
        for mine in _in_force(finding):
            others = kept.setdefault(mine.directory, [])
            way = _first_way(mine, [key for key, _ in others])
            if way is None:
                others.append((_key(finding), mine))
            else:
                withheld_by[_key(finding), mine.advice] = way
    return tuple(_decided(f, kept, withheld_by) for f in findings)


def _in_force(finding: Finding) -> tuple[Striping, ...]:
    return () if finding.in_force is None else finding.in_force.stripings


def _first_way(mine: Striping, kept: Sequence[Key]) -> GivesWay | None:
    return next((way for key in kept for way in mine.gives_way_to if (way.rule, way.scope) == key), None)


def _decided(finding: Finding, kept: Kept, withheld_by: dict[tuple[Key, int], GivesWay]) -> Finding:
    stripings = _in_force(finding)
    if finding.in_force is None or not stripings:
        return finding
    advice = list(finding.in_force.advice)
    for mine in stripings:
        one = advice[mine.advice]
        way = withheld_by.get((_key(finding), mine.advice))
        if way is not None:
            advice[mine.advice] = Advice(way.text, source=one.source)
        else:
            whole = _completed(mine, [other for _, other in kept[mine.directory]])
            advice[mine.advice] = replace(one, command=f"lfs setstripe {_options(whole)} {mine.directory}")
    return replace(finding, advice=withheld_last(advice))


def _completed(mine: Striping, others: Sequence[Striping]) -> Striping:
    """What is asked for one directory by all who agree."""

    def asked(of: Callable[[Striping], str | None]) -> str | None:
        return next((value for one in (mine, *others) if (value := of(one)) is not None), None)

    return replace(
        mine,
        count=asked(lambda s: s.count),
        size=asked(lambda s: s.size),
        first_ost=asked(lambda s: s.first_ost),
        pool=asked(lambda s: s.pool),
    )


def _with(finding: Finding, stripings: tuple[Striping, ...]) -> Finding:
    if finding.says is None or not stripings:
        return finding
    return replace(finding, says=replace(finding.says, stripings=stripings))


def _giving_way(finding: Finding, mine: Striping, read: Sequence[tuple[Finding, Sequence[Striping]]]) -> Striping:
    """`mine` with every finding whose line for the directory contradicts it, and the words for that."""
    ways = tuple(
        GivesWay(other.rule, other.scope.id, _why(other, theirs, mine))
        for other, stripings in read
        if _key(other) != _key(finding)
        for theirs in stripings
        if _contradict(mine, theirs)
    )
    return replace(mine, gives_way_to=ways)


def _contradict(one: Striping, other: Striping) -> bool:
    sides = zip(_words(one), _words(other), strict=True)
    return one.directory == other.directory and any(None not in (a, b) and a != b for a, b in sides)


def _why(other: Finding, theirs: Striping, mine: Striping) -> str:
    reason = (
        f"“{other.title}” asks for {_options(theirs)} on the same directory, and a directory has one striping; give "
        f"these files a directory of their own, with {_options(mine)}"
    )
    return withheld(f"lfs setstripe on {plain(mine.directory)}", reason).text


def _options(striping: Striping) -> str:
    """Count, size, first OST, pool: as people write them."""
    flags = ("-c", "-S", "-i", "-p")
    pairs = zip(flags, _words(striping), strict=True)
    return " ".join(f"{flag} {value}" for flag, value in pairs if value is not None)


def _words(striping: Striping) -> tuple[str | None, ...]:
    return (striping.count, striping.size, striping.first_ost, striping.pool)


def _stripings(finding: Finding) -> tuple[Striping, ...]:
    if finding.says is None:
        return ()
    found = (_striping(i, advice) for i, advice in enumerate(finding.says.advice))
    return tuple(striping for striping in found if striping is not None)


def _striping(index: int, advice: Advice) -> Striping | None:
    """None for advice that is no line of a count, a size, a first OST or a pool for one directory."""
    if advice.kind != "shell" or advice.command is None or not advice.command.startswith("lfs setstripe "):
        return None
    try:
        *options, _ = shlex.split(advice.command)[2:]
    except ValueError:
        return None
    flags, values = options[::2], options[1::2]
    if len(flags) != len(values) or not flags or not set(flags) <= {"-c", "-S", "-i", "-p"}:
        return None
    # As it stands there, quotes and variables too: it is pasted again.
    directory = advice.command.split(maxsplit=2 + len(options))[-1]
    by_flag = dict(zip(flags, values, strict=True))
    return Striping(index, directory, by_flag.get("-c"), by_flag.get("-S"), by_flag.get("-i"), by_flag.get("-p"))


def _key(finding: Finding) -> Key:
    return finding.rule, finding.scope.id
