"""IOtriage asked about a log: the one place of the laboratory that imports the product."""

from __future__ import annotations

import json
from pathlib import Path

from iotriage import diagnose

from .answers import Answer, Named

ABOVE_INFO = ("high", "medium", "low")


def answer_of(path: Path) -> Answer:
    """What `iotriage diagnose --format json` says of the log."""
    document = json.loads(diagnose(path).to_json())
    named = [
        Named(finding["rule"], finding["severity"], *_saving(finding))
        for finding in document["findings"]
        if finding["verdict"] == "triggered" and finding["severity"] in ABOVE_INFO and not finding["explained_by"]
    ]
    asks = {
        finding["rule"]
        for finding in document["findings"]
        if finding["verdict"] == "triggered" and any(_sees_stripes(advice) for advice in finding["advice"][:1])
    }
    unexplained = {"unexplained"} if _sees_stripes(document["unexplained"] or {}) else set()
    return Answer(named, document["headline"]["sentence"], frozenset(asks | unexplained))


def _sees_stripes(step: dict[str, object]) -> bool:
    return str(step.get("command")).startswith("lfs getstripe")


def _saving(finding: dict[str, object]) -> tuple[float | None, float | None]:
    """Seconds that a fix saves, at least and at most."""
    least, most = finding.get("could_save_at_least_s"), finding.get("could_save_s")
    if not isinstance(least, int | float) or not isinstance(most, int | float):
        return None, None
    return float(least), float(most)
