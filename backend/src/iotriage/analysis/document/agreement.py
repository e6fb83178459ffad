"""What several sources say about the same thing."""

from __future__ import annotations

from iotriage.metrics.core.metric import Number, Unit, Where
from iotriage_parsers.frozen import frozen


@frozen
class StatedValue:
    """What one source says. `says` names the figure in the source's own words."""

    source: int
    says: str
    value: Number | str
    where: tuple[Where, ...]


@frozen
class Agreement:
    """`difference` is (largest − smallest) / largest, None where the statements are words. `reason` says what is known
    about figures that differ, or why they can be compared where they agree."""

    quantity: str
    unit: Unit
    file: str | None
    statements: tuple[StatedValue, ...]
    agrees: bool
    difference: float | None
    reason: str | None
