"""What mails, tickets, launchers and terminals do to a text changes none of its values, nor the lines where they stand:
every sample that is a text, as people paste it."""

from __future__ import annotations

import html
import quopri
import re
from collections.abc import Callable
from dataclasses import replace
from typing import Final

import pytest
from budget import dice, tries
from stats_text import REPOSITORY, read

from iotriage_parsers.evidence import Part, SystemErrors

SAMPLES: Final = REPOSITORY / "sample-logs"
LARGEST: Final = 60_000
TEXTS: Final = {
    str(path.relative_to(SAMPLES)): path.read_text(encoding="utf-8")
    for path in sorted(SAMPLES.glob("*/*/*"))
    if path.suffix in (".txt", ".out", ".log", ".err", ".sh")
    and path.stat().st_size <= LARGEST
    # A ticket's own text is quoted already, and no launcher's label stands before that.
    and "pasted" not in path.parent.name
}


def _each(change: Callable[[int, str], str]) -> Callable[[str], str]:
    return lambda text: "".join(f"{change(n, line)}\n" for n, line in enumerate(text.splitlines()))


def _clock(n: int) -> str:
    return f"{10 + n // 3600 % 12:02}:{n // 60 % 60:02}:{n % 60:02}"


def _before(prefix: str) -> Callable[[str], str]:
    return _each(lambda _, line: f"{prefix}{line}")


IN_PLACE: Final[dict[str, Callable[[str], str | bytes]]] = {
    "a mail's quoting": _before("> "),
    "quoting without blanks": _each(lambda _, line: f"> {line}" if line else ">"),
    "quoting twice": _before("> > "),
    "a ticket's bars": _before("| "),
    "an indentation": _before("    "),
    "srun -l": _before("0: "),
    "srun -l of many ranks": _before("   3: "),
    "a rank in brackets": _before("[0] "),
    "PALS": _before("x3005c0s7b0n0.hsn.cm 0: "),
    "a node": _before("nid00001: "),
    "Open MPI's tags": _before("[1,0]<stderr>:"),
    "a time": _each(lambda n, line: f"2026-03-05T{_clock(n)}Z {line}"),
    "a time and a bar": _each(lambda n, line: f"2026-03-05 {_clock(n)} | {line}"),
    "a time in brackets": _each(lambda n, line: f"[{_clock(n)}] {line}"),
    "a German time": _each(lambda n, line: f"05.03.2026 {_clock(n)} {line}"),
    "seconds, of ts %.s": _each(lambda n, line: f"{1_700_000_000 + n}.123456 {line}"),
    "cat -n": _each(lambda n, line: f"{n + 1:6}\t{line}"),
    "grep -H": _before("slurm-7204411.out:"),
    "a container": _each(lambda n, line: f"2026-03-05T{_clock(n)}.123456789Z stderr F {line}"),
    "journald": _each(lambda n, line: f"Mar 05 {_clock(n)} nid001 slurmstepd[1234]: {line}"),
    "a page's entities": html.escape,
    "a page's line breaks": _each(lambda _, line: f"{html.escape(line)}<br>"),
    "a page's divisions": _each(lambda _, line: f"<div>{html.escape(line) or '<br>'}</div>"),
    "line ends of Windows": lambda text: text.replace("\n", "\r\n"),
    "a mark of order": lambda text: b"\xef\xbb\xbf" + text.encode(),
    "UTF-16": lambda text: text.encode("utf-16"),
    "blanks behind": _each(lambda _, line: f"{line}   "),
    "no-break spaces": lambda text: text.replace(" ", "\u00a0"),
    "colours": _each(lambda _, line: f"\x1b[32m{line}\x1b[0m" if line else line),
    "erased line ends": _each(lambda _, line: f"{line}\x1b[K"),
    "quoted-printable": lambda text: quopri.encodestring(text.encode()) if "=" in text else text,
}
MOVED: Final[dict[str, Callable[[str], str | bytes]]] = {
    "a fence": lambda text: f"Hello,\n\n```\n{text}```\n",
    "a mail around": lambda text: f"Sehr geehrte Damen und Herren,\n\nder Job ist langsam:\n\n{text}\nGruß\n-- \nM\n",
    "a reply": lambda text: "On Tue, Jane wrote:\n" + "".join(f"> {line}\n" for line in text.splitlines()),
    "a forwarded mail": lambda text: f"Hi\n\n-----Original Message-----\nFrom: Jane\nSubject: slow\n\n{text}",
    "two blank lines for one": lambda text: text.replace("\n", "\n\n"),
}
_PLACE: Final = re.compile(r"\b(first|last|\w*line)=(?:\d+|None)")


def values(parts: tuple[Part, ...]) -> list[str]:
    """Blanks aside, and what a system's error is quoted as, which has what stands before it on its line."""
    told = (replace(part, message="") if isinstance(part, SystemErrors) else part for part in parts)
    return sorted(re.sub(r"\s+", "", _PLACE.sub(r"\1=", repr(part))) for part in told)


def places(parts: tuple[Part, ...]) -> list[str]:
    return sorted(" ".join(found.group() for found in _PLACE.finditer(repr(part))) for part in parts)


@pytest.mark.fuzz
@pytest.mark.parametrize("name", sorted(TEXTS))
def test_a_pasted_text_has_the_values_and_the_lines_of_the_text(name: str) -> None:
    whole = read(TEXTS[name]).parts
    for way in dice(name).sample(sorted(IN_PLACE), tries(5, len(IN_PLACE))):
        pasted = read(IN_PLACE[way](TEXTS[name])).parts
        assert values(pasted) == values(whole), way
        assert places(pasted) == places(whole), way


@pytest.mark.fuzz
@pytest.mark.parametrize("name", sorted(TEXTS))
def test_what_stands_around_a_text_changes_no_value(name: str) -> None:
    whole = values(read(TEXTS[name]).parts)
    for way in dice(name).sample(sorted(MOVED), tries(2, len(MOVED))):
        assert values(read(MOVED[way](TEXTS[name])).parts) == whole, way
