"""Follows the conditions in a job script. Where they give a variable several values, or choose between launches, the
script alone does not tell which of them held in the run."""

from __future__ import annotations

import math
import re
from collections.abc import Iterable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import replace
from itertools import groupby
from typing import Final, NamedTuple

from iotriage_parsers.evidence import EnvironmentSetting, Launch, Problem
from iotriage_parsers.readers.job_context.shell import joined_commands

_BEGIN: Final = frozenset(("if", "switch"))
_END: Final = frozenset(("fi", "esac", "endif", "endsw"))
_NEXT_OF_IF: Final = frozenset(("else", "elif"))
_BEFORE_IF: Final = re.compile(r"do|then|\{|\(|!|time|function|\S{1,80}\(\)\{?")
"""What may stand before a condition on the same line: `for i in 1 2; do if [ $i = 1 ]; then …`, `main() { if …`."""
_TESTS: Final = frozenset(("[", "[[", "((", "test", "!"))
_JOINING: Final = frozenset(("&&", "||", "|", "|&"))
MOST_NAMED: Final = 4
DEEPEST: Final = 50
"""Number of nested conditions that are remembered for a launch."""


class _Arm(NamedTuple):
    """One alternative of a condition: which `if` or `case` of the script, and which part of it."""

    condition: int
    part: int


class Size(NamedTuple):
    """The size of a launch: ranks, nodes, and ranks on a node; None where they are not stated."""

    ranks: int | None
    nodes: int | None
    ranks_per_node: int | None = None

    @property
    def most_ranks(self) -> float:
        """Whose ranks nobody says may have most."""
        return math.inf if self.ranks is None else self.ranks


class ScriptEnd:
    """Whether a script has ended before its last line, at an `exit` of its own that nothing decides. Follows
    loops, functions and shells within, whose `exit` may not be carried out, or ends them alone: `cd run || { echo no;
    exit 1; }`, `die() { exit 1; }`, `(cd run; exit 1)`."""

    def __init__(self) -> None:
        self._blocks = self._shells = 0
        self.reached = False

    def note(self, words: Sequence[str], sign: str, *, on_a_condition: bool) -> None:
        """A command, behind this sign. What has more words than a status behind `exit` is a sentence."""
        first = words[0]
        of_csh = first == "foreach" or (first == "while" and _is_condition_of_csh(words))
        self._blocks += words.count("{") + (first == "do" or of_csh) + any(word.endswith("(){") for word in words)
        self._blocks = max(0, self._blocks - (first in ("done", "end", "}")))
        self._shells += first.startswith("(") and not first.startswith("((") and first.count("(") > first.count(")")
        unconditional = not (on_a_condition or self._blocks or self._shells or sign in _JOINING)
        self.reached |= first == "exit" and len(words) <= 2 and unconditional
        self._shells = max(0, self._shells - (words[-1].count(")") > words[-1].count("(")))

    @contextmanager
    def of_another(self) -> Iterator[None]:
        """Another script, or a shell that is given its commands, which starts here: its end is none of this one's."""
        before = self._blocks, self._shells, self.reached
        self._blocks, self._shells, self.reached = 0, 0, False
        yield
        self._blocks, self._shells, self.reached = before


class Branches:
    """Follows `if` and `case`, and what is set and started within them. With `taken` the text is a trace: everything in
    it was carried out."""

    def __init__(self, *, taken: bool = False) -> None:
        self._taken = taken
        self._arms: list[_Arm] = []
        self._conditions = 0
        self._launched: dict[int, tuple[_Arm, ...]] = {}
        self._open = 0
        self._within: set[tuple[str, int]] = set()
        self._apart: set[tuple[str, int]] = set()
        self._partial: frozenset[str] = frozenset()
        self._latest: dict[str, int] = {}
        self._chain_of: dict[str, int | None] = {}
        self._chain: _Arm | None = None
        self._decided = False
        self._never: set[_Arm] = set()
        self._sign = ""
        self.end = ScriptEnd()

    def commands_of(self, text: str) -> Iterator[list[str]]:
        """The commands of a line, of which `||` starts what stands behind it in another's stead, and `&&` behind a
        test on a condition."""
        before: Sequence[str] = ()
        for sign, words in joined_commands(text):
            self._sign = sign
            if sign == "&" and _is_redirection(before, words):
                before = [*before, *words]
                yield words
                continue
            if sign not in ("&&", "||", "|", "|&"):
                self._conditions += 1
                self._chain, self._decided = _Arm(self._conditions, 0), False
            elif sign == "||" and self._chain is not None:
                self._chain, self._decided = self._chain._replace(part=self._chain.part + 1), True
            elif sign == "&&" and before and before[0] in _TESTS:
                self._decided = True
            before = words
            yield words
        self._chain, self._decided, self._sign = None, False, ""

    def note(self, words: Sequence[str]) -> list[str]:
        """The command without the pattern of a `case` before it."""
        if self._taken:
            return list(words)
        self.end.note(words, self._sign, on_a_condition=self.within_one)
        first = next((word for word in words if not _BEFORE_IF.fullmatch(word)), words[0]).removeprefix("(")
        if self._open:
            self._follow(words)
        elif first == "case" and "in" in words:
            self._enter()
            words = words[words.index("in") + 1 :]
        elif first in _BEGIN and _is_condition_of_csh(words):
            self._follow(words[1:])
        elif first in _BEGIN:
            self._enter()
            if list(words[:2]) == ["if", "false"]:
                self._never.add(self._arms[-1])
        elif first.removesuffix(")") in _END:
            del self._arms[-1:]
            return list(words)
        elif first in _NEXT_OF_IF or _begins_a_case_of_csh(words):
            if first in _NEXT_OF_IF and not self._arms:
                self._began_above()
            self._next_part()
        if not self._arms or not _begins_with_a_pattern(words):
            return list(words)
        self._next_part()
        return list(words[1:])

    def _enter(self) -> None:
        self._conditions += 1
        self._arms.append(_Arm(self._conditions, 0))

    def _next_part(self) -> None:
        if self._arms:
            self._arms[-1] = self._arms[-1]._replace(part=self._arms[-1].part + 1)

    def _began_above(self) -> None:
        """What stands before an `else` without its `if` was within that, which the text does not have."""
        self._conditions += 1
        first = _Arm(self._conditions, 0)
        self._launched = {place: (first, *chain) for place, chain in self._launched.items()}
        self._within |= set(self._latest.items())
        self._arms = [first]

    def _follow(self, condition: Sequence[str]) -> None:
        """A condition in parentheses, which may go on behind `&&`. In csh a command on its line has no end."""
        for at, word in enumerate(condition):
            self._open += 0 if word.startswith(("'", '"')) else word.count("(") - word.count(")")
            if self._open <= 0:
                self._open = 0
                if condition[-1] == "then" or at == len(condition) - 1:
                    self._enter()
                return

    def keep(self, setting: EnvironmentSetting) -> None:
        """Keeps whether it is set on a condition: so is what one line sets twice, `… && A=1 || A=0`."""
        chain = None if self._chain is None else self._chain.condition
        again = self._latest.get(setting.name) == setting.line and self._chain_of.get(setting.name) == chain
        if self.within_one or again:
            self._within.add((setting.name, setting.line))
        self._latest[setting.name], self._chain_of[setting.name] = setting.line, chain

    def keep_apart(self, settings: Iterable[EnvironmentSetting], partial: frozenset[str]) -> None:
        """Keeps that these hold for a part of what is started: so does what is set elsewhere, for the rest. Of the
        `partial` ones nothing but what is outside of all parts can set it for the rest."""
        self._apart |= {(setting.name, setting.line) for setting in settings}
        self._within |= self._apart
        self._partial = partial

    @property
    def never(self) -> bool:
        """Whether commands here are never carried out: they stand behind `if false`, or behind the script's end."""
        return self.end.reached or not self._never.isdisjoint(self._arms)

    @property
    def within_one(self) -> bool:
        """Whether commands here are carried out only on a condition."""
        return bool(self._arms) or (self._decided and not self._taken)

    def keep_launch(self, place: int) -> None:
        """Keeps on which conditions the launch is carried out that has this place among all."""
        chain = () if self._chain is None or self._taken else (self._chain,)
        self._launched[place] = (*self._arms[:DEEPEST], *chain)

    def started(self, launches: Sequence[Launch], asked: Size) -> tuple[list[Launch], list[Problem]]:
        """The launches, without what the largest ones of a condition's parts say differently. What a line leaves to the
        script is what that has `asked` for."""
        found, problems = list(launches), list[Problem]()
        by_condition: dict[int, list[tuple[int, _Arm]]] = {}
        for at in range(len(found)):
            for arm in self._launched.get(at, ()):
                by_condition.setdefault(arm.condition, []).append((at, arm))
        for _, chosen in sorted(by_condition.items(), reverse=True):
            by_part = [[at for at, _ in own] for _, own in groupby(chosen, lambda one: one[1])]
            largest = [max(own, key=lambda at: _size_of(found[at], asked).most_ranks) for own in by_part]
            if not _are_alike([_size_of(found[at], asked) for at in largest]):
                options = [(found[at].ranks, found[at].nodes, found[at].ranks_per_node) for at in largest]
                ranks, nodes, per_node = map(_only, zip(*options, strict=True))
                for at in largest:
                    found[at] = replace(found[at], ranks=ranks, nodes=nodes, ranks_per_node=per_node, undecided=True)
                problems.append(_which_ran([found[at].line for at in largest]))
        return found, problems

    def settled(self, settings: Sequence[EnvironmentSetting]) -> tuple[list[EnvironmentSetting], list[Problem]]:
        """The settings, each of several values as the variable itself, which is what is known of it."""
        latest: dict[str, list[EnvironmentSetting]] = {}
        for setting in settings:
            if (setting.name, setting.line) in self._within:
                latest.setdefault(setting.name, []).append(setting)
            else:
                latest[setting.name] = [setting]
        unknown = {name: found for name, found in latest.items() if self._is_unknown(found)}
        left_out = {id(setting) for found in unknown.values() for setting in found[:-1]}
        kept = [
            replace(setting, value=f"${setting.name}", cut_off=None)
            if setting.name in unknown and setting is unknown[setting.name][-1]
            else setting
            for setting in settings
            if id(setting) not in left_out
        ]
        return kept, [self._which_held(found) for found in unknown.values()]

    def _is_unknown(self, found: Sequence[EnvironmentSetting]) -> bool:
        values = {setting.value for setting in found}
        is_partial = found[0].name in self._partial and all((s.name, s.line) in self._apart for s in found)
        return (is_partial and values != {None}) or len(values) > 1

    def _which_held(self, found: Sequence[EnvironmentSetting]) -> Problem:
        is_apart = any((setting.name, setting.line) in self._apart for setting in found)
        values = "different values " if len({setting.value for setting in found}) > 1 else ""
        why = "for parts of what is started" if is_apart else "on a condition"
        lines = [setting.line for setting in found]
        message = f"{found[0].name} is set to {values}{why} ({_named(lines)}): which one held, is not known"
        if not values:
            message = f"{found[0].name} is set for a part of what is started ({_named(lines)}), and not for the rest"
        return Problem("note", message, line=lines[0])


def _is_redirection(before: Sequence[str], behind: Sequence[str]) -> bool:
    """Whether `&` between them is that of `2>&1` or `&> file`, and parts no commands."""
    return bool(before) and (before[-1].endswith((">", "<")) or behind[0].startswith(">"))


def _which_ran(lines: Sequence[int]) -> Problem:
    message = f"programs are started in different sizes on a condition ({_named(lines)}): which one ran, is not known"
    return Problem("note", message, line=lines[0])


def _named(lines: Sequence[int]) -> str:
    different = list(dict.fromkeys(lines))
    named = ", ".join(map(str, different[:MOST_NAMED])) + (", …" if len(different) > MOST_NAMED else "")
    return f"line{'s' if len(different) > 1 else ''} {named}"


def _size_of(launch: Launch, asked: Size) -> Size:
    """The size that the launch's own options state, else the size that the script requests."""
    if launch.undecided:
        return Size(None, None)
    nodes = asked.nodes if launch.all_nodes is None else launch.all_nodes
    says_none = launch.nodes is None and launch.ranks_per_node is None
    ranks = replace(launch, nodes=nodes).all_ranks
    return Size(asked.ranks if ranks is None and says_none else ranks, nodes, launch.ranks_per_node)


def _are_alike(sizes: Sequence[Size]) -> bool:
    """Whether all are of as many ranks, on as many nodes where they say so; where no ranks are known, whether all say
    the same."""
    ranks = {size.ranks for size in sizes}
    if ranks == {None}:
        return len(set(sizes)) == 1
    return len(ranks) == 1 and len({size.nodes for size in sizes} - {None}) < 2


def _only(figures: Sequence[int | None]) -> int | None:
    return figures[0] if len(set(figures)) == 1 else None


def _is_condition_of_csh(words: Sequence[str]) -> bool:
    """Whether one in parentheses follows: `while ($n < 3)`."""
    return "".join(words[1:2]).startswith("(") and not words[1].startswith("((")


def _begins_a_case_of_csh(words: Sequence[str]) -> bool:
    return words[0] in ("case", "default:") and words[-1].endswith(":")


def _begins_with_a_pattern(words: Sequence[str]) -> bool:
    """`a)`, or `(a)` before its command. A parenthesis alone ends a shell."""
    first = words[0] if words else ""
    return (
        first.endswith(")")
        and first != ")"
        and (first.count("(") < first.count(")") or (first.startswith("(") and len(words) > 1))
    )
