"""Lines that load modules: `module load …`, and Lmod's `ml`."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from itertools import dropwhile
from typing import Final

from iotriage_parsers.evidence import ModuleCommand
from iotriage_parsers.evidence.job_context import ModuleAction
from iotriage_parsers.text.lines import Line

_ACTIONS: Final[dict[str, ModuleAction]] = {
    "load": "load",
    "add": "load",
    "try-load": "load",
    "try-add": "load",
    "unload": "unload",
    "rm": "unload",
    "del": "unload",
    "swap": "swap",
    "sw": "swap",
    "switch": "swap",
    "purge": "purge",
    "use": "use",
    "restore": "restore",
}
_OF_NO_MODULE: Final = frozenset(
    (
        "av", "avail", "spider", "list", "show", "display", "help", "whatis", "keyword", "key", "save", "savelist",
        "describe", "reset", "update", "refresh", "overview", "is-loaded", "is-avail", "unuse", "disable", "--help",
    )
)  # fmt: skip
"""Words that `ml` takes as commands of `module`, not as names of modules.
https://lmod.readthedocs.io/en/latest/010_user.html"""


def module_commands(words: Sequence[str], line: int) -> tuple[ModuleCommand, ...]:
    """None where the words, of which the first is `module` or `ml`, load nothing and unload nothing."""
    rest = list(dropwhile(lambda word: word.startswith("--") or word in ("-q", "-f", "-s", "-t"), words[1:]))
    action = _ACTIONS.get(rest[0]) if rest else None
    if action is not None:
        return (ModuleCommand(action, tuple(name for name in rest[1:] if not name.startswith("-")), line),)
    if words[0] != "ml" or not rest or rest[0] in _OF_NO_MODULE:
        return ()
    loaded = tuple(name for name in rest if not name.startswith("-"))
    unloaded = tuple(name.removeprefix("-") for name in rest if name.startswith("-"))
    commands = (("unload", unloaded), ("load", loaded))
    return tuple(ModuleCommand("load" if did == "load" else "unload", names, line) for did, names in commands if names)


def modules_above(before: Iterable[Line], longest: int) -> Iterator[Line]:
    """The `module` and `lfs setstripe` lines directly above a snippet's first export, nearest first, as far as they
    are no longer than that."""
    for line in before:
        text = line.text.strip()
        if not (text.startswith(("module ", "ml ", "lfs setstripe ")) and len(text) <= longest):
            return
        yield line
