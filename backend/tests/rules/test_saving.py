"""What a cure could save lies within what the finding takes, whatever the rule says."""

from __future__ import annotations

import pytest

from iotriage.rules.core.rule import Impact


@pytest.mark.parametrize(
    ("impact", "takes", "expected"),
    [
        (Impact("if", 1.0, 1.0, 0.0), 60.0, (54.0, 60.0)),
        (Impact("if", 1.0, 1.0, 20.0), 60.0, (36.0, 60.0)),
        (Impact("if", 0.5, 1.0, 20.0), 60.0, (27.0, 30.0)),
        (Impact("if", 7.0, 9.0, 0.0), 60.0, (54.0, 60.0)),
        (Impact("if", 1.0, 0.25, 0.0), 60.0, (13.5, 60.0)),
        (Impact("if", 1.0, 1.0, 60.0), 60.0, None),
        (Impact("if", 1.0, -1.0, 0.0), 60.0, None),
        (Impact("if", 1.0, 1.0, 0.0), 0.0, None),
    ],
)
def test_the_bounds_lie_within_what_the_finding_takes(
    impact: Impact, takes: float, expected: tuple[float, float] | None
) -> None:
    assert impact.of(takes) == expected
