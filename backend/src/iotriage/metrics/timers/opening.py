"""What the opening and closing of files passes in: version 8.1 prints five rows of it."""

from __future__ import annotations

from iotriage.metrics.core.metric import Outcome, Value
from iotriage.metrics.core.outcomes import joined
from iotriage.metrics.core.registry import metric
from iotriage.metrics.tables.texts.phases import MOST_LINES, TimersBlock, share_of_all, timed_blocks
from iotriage.metrics.timers.phases import NEEDS, OF_ALL, OPENING

ROWS = OPENING[1:]
"""Those of version 8.1; the first is what earlier ones print for all of them."""
MOSTLY = 0.5


@metric(
    "timers.open_close_mostly",
    "What the opening and closing of the files passes in",
    "word",
    formula=f"the row of {', '.join(f'`{row}`' for row in ROWS)} that has {MOSTLY:.0%} or more of all of them, "
    f"{OF_ALL}; else unknown, as where `open/close/trunc` alone is printed",
    needs=NEEDS,
    of=timed_blocks,
)
def open_close_mostly(blocks: tuple[TimersBlock, ...]) -> Outcome:
    every = share_of_all(blocks, OPENING, None) or 0.0
    shares = {row: share_of_all(blocks, (row,), None) or 0.0 for row in ROWS}
    most = max(ROWS, key=lambda row: shares[row])
    if every <= 0 or shares[most] < MOSTLY * every:
        return Value("unknown")
    lines = (b.at(p.line) for b in blocks[:MOST_LINES] for p in b.block.phases if p.label == most)
    return Value(most, where=joined(*lines))
