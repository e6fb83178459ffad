"""Which metrics the rules used when a row was written: a NULL in any of them means that no rule needed it there. A
metric that was not among them is unknown in that row; a rule that needs it can be evaluated when the day is taken in
again.

A row has the digest of the metrics' ids; the ids stand beside the days, once for each digest.
"""

from __future__ import annotations

import hashlib
import json
from functools import cache
from pathlib import Path

from iotriage.analysis.evaluation import metrics_used_by
from iotriage.centre.warehouse.manifest import put_in_place
from iotriage.rules import all_rules
from iotriage_parsers.frozen import frozen


@frozen
class MetricsUsed:
    digest: str
    metrics: frozenset[str]


@cache
def current_metrics_used() -> MetricsUsed:
    """The metrics that today's rules about one case read, and their digest."""
    rules = (rule.id for rule in all_rules().values() if rule.scope != "run-set")
    metrics = frozenset[str]().union(*map(metrics_used_by, rules))
    return MetricsUsed(hashlib.sha256(" ".join(sorted(metrics)).encode()).hexdigest()[:16], metrics)


def store_metrics_used(root: Path) -> None:
    """Writes today's set beside the days, before a row refers to it."""
    now = current_metrics_used()
    if not _path(root, now.digest).exists():
        content = json.dumps(sorted(now.metrics), indent=1).encode()
        put_in_place(root, _path(root, now.digest).name, lambda path: path.write_bytes(content))


def load_metrics_used(root: Path, digest: str | None) -> frozenset[str]:
    """The set with this digest; empty where none was stored."""
    if digest is None:
        return frozenset()
    try:
        return frozenset(json.loads(_path(root, digest).read_bytes()))
    except FileNotFoundError:
        return frozenset()


def _path(root: Path, digest: str) -> Path:
    return root / f"looked-at-{digest}.json"
