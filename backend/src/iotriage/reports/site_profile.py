"""A site's profile as a centre keeps it: the TOML file, with a person's own thresholds in it."""

from __future__ import annotations

from collections.abc import Mapping

import tomlkit
from tomlkit.items import AoT, Table

from iotriage.rules.core.documents import PROJECT
from iotriage.sites import file_of

WHY = "Chosen at this centre; say here what it was measured on."
SAYS = "The centre's own number."


def profile_with(site: str, own: Mapping[str, float]) -> str:
    """The text of the profile `site`, its other content as it stands, with `own` (threshold id → number) in the place
    of what it sets for these. KeyError for an unknown site."""
    profile = tomlkit.parse(file_of(site).read_text("utf-8"))
    if not own:
        return tomlkit.dumps(profile)
    set_before = profile.get("thresholds")
    others = [t for t in set_before if t["threshold"] not in own] if isinstance(set_before, AoT) else []
    thresholds = tomlkit.aot()
    for table in (*others, *(_override(name, own[name]) for name in sorted(own))):
        thresholds.append(table)
    profile["thresholds"] = thresholds
    return tomlkit.dumps(profile)


def _override(name: str, value: float) -> Table:
    source = tomlkit.table()
    source.update({"document": PROJECT, "section": "thresholds of this centre", "says": SAYS})
    source.add(tomlkit.nl())
    override = tomlkit.table()
    override.update({"threshold": name, "value": value, "why": WHY, "source": source})
    return override
