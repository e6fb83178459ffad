"""Whether the files are used from one node or from several."""

from __future__ import annotations

from iotriage.metrics.core.metric import Absent, Outcome, Value
from iotriage.metrics.core.registry import metric, outcome
from iotriage.metrics.core.selection import Selection
from iotriage.metrics.tables.files.largest import largest_file
from iotriage.metrics.tables.mounts import OF_ONE_NODE, in_folder_of_one_node
from iotriage.metrics.tables.nodes import nodes_of


@metric(
    "file.on_nodes",
    "Nodes from which the files are used",
    "word",
    formula="one or several by job.nnodes; one, too, where the largest file is on the disk or memory of a node; else "
    "unknown",
    needs="any source",
)
def on_nodes(s: Selection) -> Outcome:
    nodes = nodes_of(s)
    if not isinstance(nodes, Absent):
        return Value("one" if nodes.count == 1 else "several", nodes.confidence, nodes.where)
    if not s.whole.parts:
        return nodes
    best = largest_file(s)
    name = None if best is None else best[0].name_of(best[2])
    on = outcome(s, "file.mount_type")
    if isinstance(on, Value):
        return Value("one" if on.value in OF_ONE_NODE else "unknown", "inferred")
    return Value("one" if name is not None and in_folder_of_one_node(name) else "unknown", "inferred")
