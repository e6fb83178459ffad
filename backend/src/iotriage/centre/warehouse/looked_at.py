"""Which metrics rules looked at when a row was written: a NULL there is one that nothing needed. Of rows of another
time, a metric that was not among them is not known; a rule that needs it can be asked when the day is taken in again.

A row has the digest of the metrics' ids; the ids stand beside the days, once for each digest.
"""

from __future__ import annotations

import hashlib
import json
from functools import cache
from pathlib import Path

from iotriage.analysis.asking import looked_at_by
from iotriage.centre.warehouse.manifest import put_in_place
from iotriage.rules import all_rules
from iotriage_parsers.frozen import frozen


@frozen
class MetricsLookedAt:
    digest: str
    metrics: frozenset[str]


@cache
def looked_at_now() -> MetricsLookedAt:
    """By the rules of today about one case."""
    rules = (rule.id for rule in all_rules().values() if rule.scope != "run-set")
    metrics = frozenset[str]().union(*map(looked_at_by, rules))
    return MetricsLookedAt(hashlib.sha256(" ".join(sorted(metrics)).encode()).hexdigest()[:16], metrics)


def note_looked_at(root: Path) -> None:
    """Puts today's beside the days, before a row names it."""
    now = looked_at_now()
    if not _path(root, now.digest).exists():
        content = json.dumps(sorted(now.metrics), indent=1).encode()
        put_in_place(root, _path(root, now.digest).name, lambda path: path.write_bytes(content))


def looked_at_then(root: Path, digest: str | None) -> frozenset[str]:
    """Of a row with this digest; nothing where none was kept."""
    if digest is None:
        return frozenset()
    try:
        return frozenset(json.loads(_path(root, digest).read_bytes()))
    except FileNotFoundError:
        return frozenset()


def _path(root: Path, digest: str) -> Path:
    return root / f"looked-at-{digest}.json"
