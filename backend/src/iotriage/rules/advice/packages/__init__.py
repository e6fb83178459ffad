"""What stands instead of lines of code where the program is a package that its users set and do not write.

A package is an entry of the module of its field. Its settings are given for findings about what they change."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping
from dataclasses import replace

from iotriage.rules.advice.packages.of_atoms import OF_ATOMS
from iotriage.rules.advice.packages.of_climate import OF_CLIMATE
from iotriage.rules.advice.packages.of_fluids import OF_FLUIDS
from iotriage.rules.advice.packages.of_plasmas import OF_PLASMAS
from iotriage.rules.advice.packages.package import Change, Package, Setting
from iotriage.rules.core import Advice, Citation, advice

PACKAGES = (*OF_ATOMS, *OF_CLIMATE, *OF_FLUIDS, *OF_PLASMAS)

_OF_FILES: frozenset[Change] = frozenset(("files", "amount"))
_OF_CALLS: frozenset[Change] = frozenset(("movers", "calls", "amount"))
_ABOUT: Mapping[str, frozenset[Change]] = {
    **dict.fromkeys(
        (
            "fpp-many-files",
            "many-small-files",
            "metadata-bound",
            "reopened-files",
            "slow-opens",
            "too-many-files-per-directory",
        ),
        _OF_FILES,
    ),
    "sync-heavy": frozenset(("syncs", "amount")),
}
"""What helps against the finding of a rule; of all others it is what changes their calls, or who makes them."""


def package_among(programs: Iterable[str], paths: Collection[str] = ()) -> Package | None:
    """The first whose program a source names, with what is left to set where the job's files are at these paths."""
    found = next((p for name in programs for p in PACKAGES if p.programs.fullmatch(name)), None)
    if found is None:
        return None
    return replace(found, settings=tuple(one for one in found.settings if _is_left(one, paths)))


def unless_known(program: str | None, said: str) -> str:
    """What is said of several packages, to users of none that is known: they are told their own settings."""
    return said if program is None or package_among([program]) is None else ""


def _is_left(one: Setting, paths: Collection[str]) -> bool:
    if one.unless is not None and any(one.unless.search(path) for path in paths):
        return False
    return one.where is None or any(one.where.search(path) for path in paths)


def sets_their_number(found: Package) -> bool:
    """Whether something says how many files they are."""
    return any("files" in one.changes for one in found.settings)


def settings_of(found: Package, rule: str | None = None, *, reads: bool = False) -> Advice | None:
    """What its user can set against a finding of the rule, whatever the lines of code would be; None where nothing is
    known that does."""
    about = _ABOUT.get(rule or "", _OF_CALLS if rule is not None else _OF_CALLS | _OF_FILES)
    way = "read" if reads else "write"
    fits = [one.says for one in found.settings if way in one.ways and about & one.changes]
    if not fits:
        return None
    cited = None if found.manual is None else Citation(found.manual, found.section)
    return advice(f"In {found.name}, whose code few users change, {'; '.join(fits)}.", citation=cited)
