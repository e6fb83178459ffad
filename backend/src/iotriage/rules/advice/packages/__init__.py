"""What stands instead of lines of code where the program is a package that its users set and do not write.

A package is an entry of the module of its field. Its settings are given for findings about what they change."""

from __future__ import annotations

import re
from collections.abc import Collection, Iterable, Mapping
from dataclasses import replace

from iotriage.rules.advice.packages.of_atoms import OF_ATOMS
from iotriage.rules.advice.packages.of_climate import OF_CLIMATE
from iotriage.rules.advice.packages.of_fluids import OF_FLUIDS
from iotriage.rules.advice.packages.of_plasmas import OF_PLASMAS
from iotriage.rules.advice.packages.of_quarks import OF_QUARKS
from iotriage.rules.advice.packages.of_visualisation import OF_VISUALISATION
from iotriage.rules.advice.packages.package import Change, Package, Setting
from iotriage.rules.core import Advice, advice

PACKAGES = (*OF_ATOMS, *OF_CLIMATE, *OF_FLUIDS, *OF_PLASMAS, *OF_QUARKS, *OF_VISUALISATION)

ABOUT: Mapping[str, Change] = {
    **dict.fromkeys(
        (
            "collective-overhead",
            "few-aggregators",
            "few-nodes",
            "few-writers",
            "ranks-in-turn",
            "redundant-reads",
            "serial-io",
            "single-aggregator",
            "straggler-rank",
        ),
        "movers",
    ),
    **dict.fromkeys(
        (
            "fpp-many-files",
            "many-small-files",
            "metadata-bound",
            "reopened-files",
            "slow-opens",
            "too-many-files-per-directory",
        ),
        "files",
    ),
    **dict.fromkeys(
        ("collective-disabled", "independent-shared", "misaligned-io", "random-access", "small-io"), "calls"
    ),
    "sync-heavy": "syncs",
}
"""By rule, what helps against its finding beside how much is moved, and how often; against others that alone does."""

ALWAYS_HELPS: frozenset[Change] = frozenset(("amount",))
ASKS: frozenset[Change] = frozenset(("asks",))
"""Against asking about files again and again, which no output changes."""
PRINTS: frozenset[Change] = frozenset(("prints",))
"""Against a long standard output, which is none of the files that other settings are of."""
FILES: frozenset[Change] = frozenset(("files",))
"""Against many of them."""
MEMORY: frozenset[Change] = frozenset(("memory",))
"""Against reading what the job itself wrote."""


def changes_against(rule: str | None, *, shared: bool = True) -> frozenset[Change]:
    """What helps against a finding of the rule; `shared` says whether its files are of several ranks."""
    of_it = ABOUT.get(rule or "", "amount")
    return ALWAYS_HELPS if of_it == "calls" and not shared else ALWAYS_HELPS | {of_it}


def package_among(
    programs: Iterable[str], paths: Collection[str] = (), commands: Collection[str] = ()
) -> Package | None:
    """The first whose program a source names, with what is left to set where the job's files are at these paths, and
    it was started with these command lines."""
    found = next((p for name in programs for p in PACKAGES if p.programs.fullmatch(name)), None)
    if found is None:
        return None
    return replace(found, settings=tuple(one for one in found.settings if _is_left(one, paths, commands)))


def unless_known(program: str | None, said: str) -> str:
    """What is said of several packages, to users of none that is known: they are told their own settings."""
    return said if program is None or package_among([program]) is None else ""


def _is_left(one: Setting, paths: Collection[str], commands: Collection[str]) -> bool:
    if one.typed is not None and commands and all(re.search(one.typed, line) for line in commands):
        return False
    if one.unless is not None and any(re.search(one.unless, path) for path in paths):
        return False
    return one.where is None or any(re.search(one.where, path) for path in paths)


def sets_their_number(found: Package, about: frozenset[Change], *, reads: bool) -> bool:
    """Whether something says how many files they are, and the finding is about that."""
    return "files" in about and any("files" in one.changes for one in _settings_against(found, about, reads=reads))


def settings_of(
    found: Package,
    about: frozenset[Change],
    *,
    reads: bool = False,
    together: bool = False,
    file: str | None = None,
) -> Advice | None:
    """What its user can set that changes some of that, of what is read or written (of a `file`, where the finding is
    about one and those like it), but for what has the ranks do it `together` where they do already; None where nothing
    is known that does."""
    told = [one for one in _settings_against(found, about, reads=reads) if not (together and one.together)]
    told = [one for one in told if one.of is None or file is None or re.search(one.of, file)]
    if not told:
        return None
    # What is against this finding stands before what has the run write less of everything.
    told.sort(key=lambda one: not one.changes & about - ALWAYS_HELPS)
    return advice(f"In {found.name}, whose code few users change, {_joined(told)}.", citation=told[0].cited)


def temporaries_in_memory(found: Package) -> str | None:
    """What has it keep its temporaries there; None where nothing is known that does."""
    told = _settings_against(found, MEMORY, reads=True)
    return f"{found.name} {_joined(told)}" if told else None


def _settings_against(found: Package, about: frozenset[Change], *, reads: bool) -> tuple[Setting, ...]:
    return tuple(one for one in found.settings if one.settles(about, "read" if reads else "write"))


def _joined(told: Iterable[Setting]) -> str:
    return "; ".join(one.says for one in told)
