"""What a script's own variables hold, as far as it writes that out: launches, programs, paths and numbers."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence
from typing import Final, NamedTuple

from iotriage_parsers.readers.job_context.launches.launch import LAUNCHERS
from iotriage_parsers.readers.job_context.reckoning import reckoned
from iotriage_parsers.readers.job_context.shell import VARIABLE_NAME, commands, unquoted, without_outer_quotes

_VARIABLE: Final = re.compile(r"\$\{?([A-Za-z_]\w{0,80})\}?")
_WITHIN: Final = re.compile(r"\$(?:\{([A-Za-z_]\w{0,80})\}|([A-Za-z_]\w{0,80}))")
_WITH_DEFAULT: Final = re.compile(r"\$\{([A-Za-z_]\w{0,80}):?-[^{}]{0,400}\}")
_PLAIN_WORD: Final = re.compile(r"[A-Za-z./~][\w.+/~-]{0,400}")
_WRITTEN_OUT: Final = re.compile(r"[\w.,:=+@%*/^-]{1,400}")
"""A value that the shell takes as it stands."""
_OF_THE_JOB: Final = re.compile(r"\$(?:\{([A-Z]\w{0,80})\}|([A-Z]\w{0,80}))")
"""A variable that the job may have from where it was submitted, as `$HOME` and `$SCRATCH`."""
_QUOTED: Final = re.compile(r"""'[^']*+'|"[^"]*+"|[^"']++""")
_RECKONED: Final = re.compile(r"\$\(\(((?:[^()`\"]|\([^()`\"]{1,200}\)){1,200})\)\)")
_NAME_IN: Final = re.compile(r"(?<![\w$])[A-Za-z_]\w{0,80}")
LOOPS: Final = ("for", "select")
_LOCAL: Final = ("local", "readonly", "set")
ADDED_TO: Final = re.compile(r"([A-Za-z_]\w{0,80})\+=(.*)")
_SET_BY_LET: Final = re.compile(r"[\"']?([A-Za-z_]\w{0,80})=(?!=)([^\"']{1,200})[\"']?")
_EXPR: Final = re.compile(r"expr((?:\s++(?:\"?\$\{?\w{1,80}+\}?\"?|\d++|\\[*()]|[\"'][*()][\"']|[*+/%-])|(?!))++)")
_ESCAPES: Final = re.compile(r"[\\'\"]")
_EVERY: Final = re.compile(r"\"?\$(?:\{([A-Za-z_]\w{0,80})(?:\[[@*]\])?\}|([A-Za-z_]\w{0,80}))\"?")
LONGEST: Final = 16_384
MOST: Final = 5_000


def _set_from(raw: str) -> Iterator[str]:
    """The variables from which a value is made."""
    yield from (found[1] or found[2] for found in _WITHIN.finditer(raw))
    for reckoned_part in _RECKONED.finditer(raw):
        yield from _NAME_IN.findall(reckoned_part[1])


def _says_no_figure(options: str) -> bool:
    """Whether what is added on a condition changes no size, whether it is or not."""
    return not any(sign.isdecimal() or sign == "$" for sign in options)


class Held(NamedTuple):
    """What variables hold at a line of a script."""

    launchers: dict[str, str]
    programs: dict[str, str]
    values: dict[str, str | None]
    options: dict[str, str | None]


class Variables:
    """A variable that a loop or `read` sets, or that two lines set to different values, holds nothing that is known,
    but where one adds to it (`HINTS="$HINTS:cb_nodes=8"`). One that names a launch or a program has that of the last
    line, unless a condition decides whether it is carried out."""

    def __init__(self) -> None:
        self._launchers: dict[str, str] = {}
        self._programs: dict[str, str] = {}
        self._values: dict[str, str | None] = {}
        self._options: dict[str, str | None] = {}
        self._loops: list[dict[str, set[str]]] = []

    def begin_loop(self) -> None:
        """From here to the end of the loop keeps which variables are set from which."""
        self._loops.append({})

    def end_loop(self) -> frozenset[str]:
        """The variables that differ from pass to pass: that are set from themselves or to another value, and those that
        are set from these. Nothing is known of them any more."""
        sets = self._loops.pop()
        changed = {name for name, of in sets.items() if name in of}
        while more := {name for name, of in sets.items() if name not in changed and not changed.isdisjoint(of)}:
            changed |= more
        self.forget(sorted(changed))
        return frozenset(changed)

    def _note_in_loops(self, name: str, of: Iterable[str]) -> None:
        for loop in self._loops:
            loop.setdefault(name, set()).update(of)

    def saved(self) -> Held:
        """What is known here, for the end of a shell that begins here."""
        return Held(dict(self._launchers), dict(self._programs), dict(self._values), dict(self._options))

    def restore(self, held: Held) -> None:
        self._launchers, self._programs = dict(held.launchers), dict(held.programs)
        self._values, self._options = dict(held.values), dict(held.options)

    def note(self, name: str, raw: str, on_a_condition: bool = False) -> None:
        """Keeps what a line sets a variable to."""
        if name not in self._values and len(self._values) >= MOST:
            return
        value = without_outer_quotes(self.filled_in(raw))
        words_of_it = value if "'" in raw else _OF_THE_JOB.sub(self._as_given, value)
        known = value if _WRITTEN_OUT.fullmatch(words_of_it) else None
        goes_on = any(name in found.groups() for found in _WITHIN.finditer(raw))
        self._note_in_loops(name, _set_from(raw))
        if self._values.get(name, known) != known:
            self._note_in_loops(name, (name,))
        self._values[name] = known if goes_on or self._values.get(name, known) == known else None
        if goes_on and (before := self._options.get(name)):
            value = _WITHIN.sub(lambda found: before if name in found.groups() else found[0], value)
            goes_on = not on_a_condition or _says_no_figure(value.removeprefix(before))
        if value.startswith("-") or name in self._options:
            self._options[name] = value if goes_on or self._options.get(name, value) == value else None
        words = without_outer_quotes(raw).split(maxsplit=1)
        if words and words[0].rpartition("/")[2] in LAUNCHERS:
            launch = without_outer_quotes(raw)
            # Of two launches the options are not known, but that it is one.
            undecided = on_a_condition and self._launchers.get(name, launch) != launch
            self._launchers[name] = words[0] if undecided else launch
        elif words and _PLAIN_WORD.fullmatch(words[0]):
            undecided = on_a_condition and self._programs.get(name, words[0]) != words[0]
            self._programs[name] = f"${name}" if undecided else words[0]

    def _as_given(self, found: re.Match[str]) -> str:
        """A word in place of a variable that no line sets: what holds it holds the rest all the same."""
        return found[0] if (found[1] or found[2]) in self._values else "_"

    def note_changes(self, words: Sequence[str], on_a_condition: bool = False) -> None:
        """Forgets what a command sets again and again, or by reckoning: `for c in 1 2 4`, `while read a b`, `let n*=2`,
        `((n++))`, `n+=1`."""
        if words[0] in LOOPS:
            self.forget(words[1:2])
        elif "read" in words[:2]:
            self.forget(words[1:])
        elif words[0] in _LOCAL:
            # `set a = b` of csh stands in words of their own.
            for word in next(commands(re.sub(r"\s+=\s+", "=", " ".join(words[1:]))), ()):
                name, equals, value = word.partition("=")
                if equals and VARIABLE_NAME.fullmatch(name):
                    self.note(name, value, on_a_condition)
        elif (added := ADDED_TO.fullmatch(words[0])) is not None and added[2].startswith("("):
            self.note_list(words, on_a_condition)
        elif added is not None and not added[2].strip("\"'").isdecimal():
            self.note(added[1], f"${{{added[1]}}}{without_outer_quotes(added[2])}", on_a_condition)
        elif words[0] == "let" or words[0].startswith("((") or added is not None:
            for word in words:
                if (anew := _SET_BY_LET.fullmatch(word)) is not None and words[0] == "let":
                    self.note(anew[1], self._reckoned_text(anew[2]) or f"$(({anew[2]}))", on_a_condition)
                else:
                    self.forget(VARIABLE_NAME.findall(word))

    def forget(self, names: Sequence[str]) -> None:
        """Nothing is known of these any more."""
        for name in names:
            if VARIABLE_NAME.fullmatch(name) and (name in self._values or len(self._values) < MOST):
                if self._values.get(name) is not None:
                    self._note_in_loops(name, (name,))
                self._values[name] = None

    def note_output(self, name: str, command: str) -> None:
        """Keeps what a command prints, of `expr` where that can be reckoned: `N=$(expr $NODES "*" 64)`."""
        reckons = _EXPR.fullmatch(command.strip())
        number = None if reckons is None else self._reckoned_text(_ESCAPES.sub("", reckons[1]))
        self._note_in_loops(name, _set_from(command))
        if number is None:
            self.forget([name])
        else:
            self.note(name, number)

    def held(self, name: str) -> str | None:
        """What a variable holds, itself where that is not known; None where nothing sets it."""
        return self._values[name] or f"${name}" if name in self._values else None

    def filled_in(self, word: str) -> str:
        """The word with values for the variables in it that are known, and for what can be reckoned from them; none is
        looked for in single quotes."""
        if "$" not in word or "\\" in word:
            return word
        if "'" not in word:
            filled = self._filled_in(word)
        elif _QUOTED.sub("", word).count("'") == 0:
            filled = _QUOTED.sub(lambda part: part[0] if part[0][0] == "'" else self._filled_in(part[0]), word)
        else:
            return word
        return filled if len(filled) <= LONGEST else word

    def _filled_in(self, part: str) -> str:
        reckoned = _RECKONED.sub(self._reckoned, part)
        reckoned = _WITH_DEFAULT.sub(lambda found: self._values.get(found[1]) or found[0], reckoned)
        return _WITHIN.sub(lambda found: self._values.get(found[1] or found[2]) or found[0], reckoned)

    def _reckoned(self, found: re.Match[str]) -> str:
        """The number that `$((…))` stands for; itself where a name in it is not known. What a bare name holds is
        reckoned before what stands beside it: only a number can take its place."""
        return self._reckoned_text(found[1]) or found[0]

    def _reckoned_text(self, text: str) -> str | None:
        text = _WITHIN.sub(lambda one: self._values.get(one[1] or one[2]) or one[0], text)
        number = reckoned(_NAME_IN.sub(lambda one: self._number(one[0]) or one[0], text))
        return None if number is None else str(number)

    def _number(self, name: str) -> str | None:
        value = self._values.get(name)
        return value if value is not None and value.isdecimal() else None

    def program(self, word: str | None) -> str | None:
        """The program, where a variable names it."""
        variable = _VARIABLE.fullmatch(word) if word is not None else None
        return word if variable is None else self._programs.get(variable.group(1), word)

    def word_for(self, program: str | None, text: str) -> str | None:
        """The one word of a command that stands for the program, as it is written."""
        words = [word for command in commands(text) for word in command]
        found = [word for word in words if program is not None and unquoted(self.filled_in(word)) == program]
        return found[0] if len(found) == 1 else None

    def launched(self, words: list[str]) -> list[str]:
        """The words with the launch that a variable holds for it, where that is the command."""
        variable = _VARIABLE.fullmatch(words[0].strip('"')) if words else None
        value = self._launchers.get(variable.group(1)) if variable is not None else None
        return words if value is None else [*(w for c in commands(value) for w in c), *words[1:]]

    def note_list(self, words: Sequence[str], on_a_condition: bool = False) -> None:
        """Keeps the options that a line makes a list of, or adds to one: `ARGS=(-n 4 -N 2)`, `ARGS+=(-N 2)`."""
        name, _, first = words[0].partition("=")
        given = " ".join((first, *words[1:])).strip("() ")
        before = self._options.get(name.removesuffix("+"))
        if name.endswith("+") and before is not None:
            is_known = not on_a_condition or _says_no_figure(given)
            self._options[name.removesuffix("+")] = f"{before} {given}"[:LONGEST] if is_known else None
            return
        name = name.removesuffix("+")
        self.forget([name])
        if given.startswith("-") and len(self._options) < MOST:
            self._options[name] = given if self._options.get(name, given) == given else None

    def with_options(self, words: Sequence[str]) -> list[str]:
        """The words with the options that variables among them hold: `mpirun $OPTIONS ./a`, `srun "${ARGS[@]}" ./a`."""
        return [part for word in words for part in self._parts(word)]

    def _parts(self, word: str) -> list[str]:
        variable = _EVERY.fullmatch(word)
        options = None if variable is None else self._options.get(variable[1] or variable[2])
        return [word] if options is None else [self.filled_in(w) for command in commands(options) for w in command]
