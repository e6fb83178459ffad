"""The TOML file of a site's profile, with a centre's own thresholds written into it."""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterator, Mapping, Sequence

import tomlkit
from tomlkit.items import AoT, Array, Table

from iotriage.rules.core.documents import PROJECT
from iotriage.sites import file_of
from iotriage_parsers.frozen import frozen

WHY = "Chosen at this centre; say here what it was measured on."
SAYS = "The centre's own number."


@frozen
class OwnThreshold:
    """A threshold to which a centre gives another number. `why` is the reason that is shown with it, `says` where the
    number comes from, and `retrieved` the day (YYYY-MM-DD) on which it was chosen; None keeps the profile's."""

    threshold: str
    value: float
    why: str = WHY
    says: str = SAYS
    retrieved: str | None = None


def profile_with(site: str, own: Sequence[OwnThreshold]) -> str:
    """The text of the profile `site`, its other content as it stands, with `own` in the place of what it sets for
    these. KeyError for an unknown site."""
    changed = {o.threshold for o in own}
    new = [_override(o) for o in sorted(own, key=lambda o: o.threshold)]
    return _rewritten(site, lambda others: [*(t for t in others if t["threshold"] not in changed), *new], changed)


def profile_without(site: str, threshold: str) -> str:
    """The text of the profile `site` without what it sets for the threshold. KeyError for an unknown site."""
    return _rewritten(site, lambda others: [t for t in others if t["threshold"] != threshold], {threshold})


def _rewritten(site: str, change: Callable[[list[Table]], list[Table]], changed: Collection[str]) -> str:
    profile = tomlkit.parse(file_of(site).read_text("utf-8"))
    if not changed:
        return tomlkit.dumps(profile)
    thresholds = tomlkit.aot()
    for table in change(list(_tables(profile.get("thresholds")))):
        thresholds.append(table)
    if thresholds:
        profile["thresholds"] = thresholds
    else:
        profile.pop("thresholds", None)
    return tomlkit.dumps(profile)


def _tables(thresholds: object) -> Iterator[Table]:
    """They may stand as tables of their own, or in one list."""
    if isinstance(thresholds, AoT):
        yield from thresholds
    elif isinstance(thresholds, Array):
        yield from (_table(inner.unwrap()) for inner in thresholds)


def _table(content: Mapping[str, object]) -> Table:
    table = tomlkit.table()
    table.update(content)
    return table


def _override(own: OwnThreshold) -> Table:
    source = _table({"document": PROJECT, "section": "thresholds of this centre", "says": own.says})
    if own.retrieved is not None:
        source.update({"retrieved": own.retrieved})
    source.add(tomlkit.nl())
    return _table({"threshold": own.threshold, "value": own.value, "why": own.why, "source": source})
