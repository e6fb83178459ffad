"""Whether the files of a job are each one node's, gathered there by one rank."""

from __future__ import annotations

from iotriage.metrics.core.metric import Outcome, Value
from iotriage.metrics.core.outcomes import joined
from iotriage.metrics.core.registry import metric, outcome
from iotriage.metrics.core.selection import Selection
from iotriage.metrics.tables.files.at_once import files_at_once
from iotriage.metrics.tables.nodes import most_on_a_node


@metric(
    "mpiio.one_mover_each",
    "One rank moves the bytes of each of several files in use at once",
    "word",
    formula='"yes" where mpiio.movers are no more than the files in use at once, these are several, and no more ranks '
    'use one (file.writers, file.readers) than a node holds; "unknown" where no source tells ranks apart, else "no"',
    needs="nothing: without a source that tells the ranks apart it is unknown",
)
def one_mover_each(s: Selection) -> Outcome:
    movers = outcome(s, "mpiio.movers")
    if not isinstance(movers, Value) or not isinstance(movers.value, int):
        return Value("unknown")
    users = [u for u in (outcome(s, "file.writers"), outcome(s, "file.readers")) if isinstance(u, Value)]
    ranks = [u.value for u in users if isinstance(u.value, int)]
    of_nodes = bool(ranks) and max(ranks) <= most_on_a_node(s)
    found = of_nodes and 1 < movers.value <= round(files_at_once(s))
    return Value("yes" if found else "no", "inferred", joined(movers.where, *(u.where for u in users)))
