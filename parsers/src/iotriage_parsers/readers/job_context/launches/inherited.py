"""Which variables of a script are in the environment of what it starts, and what becomes of them there: `export`,
`declare -x`, `setenv`, `unset`, `export -n`, `set -a`; a plain assignment to one that is there already changes it.

https://www.gnu.org/software/bash/manual/bash.html: 3.7.4, and export, declare and set in chapter 4.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence
from itertools import pairwise
from typing import Final, NamedTuple

from iotriage_parsers.evidence import EnvironmentSetting
from iotriage_parsers.readers.job_context.environment import assigned_in, setting_of
from iotriage_parsers.readers.job_context.launches.exported import OF_THE_JOB, JobsExport, SlurmExport
from iotriage_parsers.readers.job_context.shell import VARIABLE_NAME
from iotriage_parsers.readers.job_context.variables import ADDED_TO, LOOPS, Held, Variables

_TAKES_OUT: Final = {"export": re.compile(r"-\w{0,8}n"), "declare": re.compile(r"\+x"), "typeset": re.compile(r"\+x")}
_FORGETS: Final = ("unset", "unsetenv")
_DECLARES: Final = ("declare", "typeset")
_EXPORTED: Final = re.compile(r"-\w{0,8}x\w{0,8}")
_EVERY: Final = re.compile(r"[-+]\w{0,8}a\w{0,8}")
_NAMED_OPTION: Final = re.compile(r"[-+]\w{0,8}o")


class Saved(NamedTuple):
    """What is known of a shell's variables and environment at one of its lines."""

    there: dict[str, str | None]
    every: bool
    variables: Held
    of_job: JobsExport


class Inherited:
    """The environment that launches inherit, line by line."""

    def __init__(self, variables: Variables, slurm: SlurmExport) -> None:
        self._variables = variables
        self._slurm = slurm
        self._there: dict[str, str | None] = {}
        self._every = False

    def saved(self) -> Saved:
        """What is known here, for the end of a shell that begins here."""
        return Saved(dict(self._there), self._every, self._variables.saved(), self._slurm.of_job)

    def restore(self, saved: Saved) -> None:
        self._there, self._every = dict(saved.there), saved.every
        self._variables.restore(saved.variables)
        self._slurm.of_job = saved.of_job

    def command(self, words: Sequence[str], line: int, on_a_condition: bool) -> list[EnvironmentSetting]:
        """What `export` and its like set; a value of None is taken away."""
        verb, *rest = words
        takes_out = _TAKES_OUT.get(verb)
        if verb in _FORGETS or (rest and takes_out is not None and takes_out.fullmatch(rest[0]) is not None):
            return self._taken_out(verb, rest, line)
        if verb == "setenv":
            named = rest[:1] if rest and VARIABLE_NAME.fullmatch(rest[0]) else []
            settings = [setting_of(name, " ".join(rest[1:]), line) for name in named]
        else:
            settings = list(assigned_in([self._with_what_is_added(word) for word in rest], line, self._variables.held))
        if verb in _DECLARES and not any(map(_EXPORTED.fullmatch, rest)):
            for setting in settings:
                self._variables.note(setting.name, setting.value or "", on_a_condition)
            return self.assigned(settings)
        for word in rest:
            self._there.setdefault(word.partition("=")[0], None)
        return list(self._set(settings, on_a_condition))

    def changed(self, words: Sequence[str], line: int) -> list[EnvironmentSetting]:
        """What a command changes in the environment that adds to a variable (`NAME+=value`), or gives it a value that
        nobody knows here (`for NAME in …`, `read NAME`)."""
        added = ADDED_TO.fullmatch(words[0])
        anew = words[1:2] if words[0] in LOOPS else words[1:] if words[0] == "read" else []
        return [one for name in ([added[1]] if added else anew) for one in self.assigned_as_held(name, line)]

    def assigned_as_held(self, name: str, line: int) -> list[EnvironmentSetting]:
        """What a line that gives a variable another value changes, where that may not be known: `NAME=$(command)`."""
        value = self._variables.held(name)
        return [] if value is None else self.assigned([setting_of(name, value, line)])

    def assigned(self, given: Iterable[EnvironmentSetting]) -> list[EnvironmentSetting]:
        """Those of a line's assignments, which stand before no command, that change the environment."""
        kept = [setting for setting in given if self._is_changed(setting)]
        for setting in kept:
            self._there[setting.name] = setting.value
            self._slurm.follow([setting.name], setting.value)
        return kept

    def note_options(self, words: Sequence[str]) -> None:
        """Keeps `set -a` or `set -o allexport`, from which on every variable is exported, and `set +a`."""
        if words[0] != "set":
            return
        for option, value in pairwise((*words[1:], "")):
            is_named = _NAMED_OPTION.fullmatch(option) is not None
            if _EVERY.fullmatch(option) is not None or (is_named and value == "allexport"):
                self._every = option.startswith("-")

    def _is_changed(self, setting: EnvironmentSetting) -> bool:
        name = setting.name
        is_there = self._every or name in self._there or (name == OF_THE_JOB and self._slurm.of_job.is_given)
        return is_there and self._there.get(name) != setting.value

    def _set(self, settings: Iterable[EnvironmentSetting], on_a_condition: bool) -> Iterator[EnvironmentSetting]:
        for setting in settings:
            self._there[setting.name] = setting.value
            self._variables.note(setting.name, setting.value or "", on_a_condition)
            self._slurm.follow([setting.name], setting.value)
            yield setting

    def _taken_out(self, verb: str, rest: Sequence[str], line: int) -> list[EnvironmentSetting]:
        names = [word.partition("=")[0] for word in rest if VARIABLE_NAME.match(word)]
        if verb in _FORGETS:
            self._variables.forget(names)
        for name in names:
            self._there.pop(name, None)
        self._slurm.follow(names, None)
        return [EnvironmentSetting(name, None, line) for name in names if VARIABLE_NAME.fullmatch(name)]

    def _with_what_is_added(self, word: str) -> str:
        """`NAME+=value` with what the variable holds before it."""
        added = ADDED_TO.fullmatch(word)
        if added is None:
            return word
        self._variables.note_changes([word])
        return f"{added[1]}={self._variables.held(added[1]) or ''}"
