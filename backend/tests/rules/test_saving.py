"""What a cure could save: at least of what its finding takes, at most of what it reaches, and a tenth either way."""

from __future__ import annotations

import pytest

from iotriage.rules.core.rule import Impact


@pytest.mark.parametrize(
    ("impact", "takes", "reaches", "outside", "expected"),
    [
        (Impact("if", 1.0, 1.0, 0.0), 90.0, 90.0, None, (81.0, 100.0)),
        (Impact("if", 1.0, 1.0, 20.0), 90.0, 90.0, None, (63.0, 100.0)),
        (Impact("if", 0.5, 1.0, 20.0), 90.0, 90.0, None, (40.5, 50.0)),
        (Impact("if", 7.0, 9.0, 0.0), 90.0, 90.0, None, (81.0, 100.0)),
        (Impact("if", 1.0, 0.25, 0.0), 90.0, 90.0, None, (20.25, 100.0)),
        (Impact("if", 1.0, 1.0, 0.0), 45.0, 90.0, None, (40.5, 100.0)),
        (Impact("if", 1.0, 1.0, 0.0), 90.0, 90.0, 5.0, (81.0, 95.0)),
        (Impact("if", 1.0, 1.0, 0.0), 90.0, 90.0, -1.0, (81.0, 90.0)),
        (Impact("if", 1.0, 1.0, 90.0), 90.0, 90.0, None, None),
        (Impact("if", 1.0, -1.0, 0.0), 90.0, 90.0, None, None),
        (Impact("if", 1.0, 1.0, 0.0), 0.0, 90.0, None, None),
    ],
)
def test_the_bounds(
    impact: Impact, takes: float, reaches: float, outside: float | None, expected: tuple[float, float] | None
) -> None:
    assert impact.of(takes, reaches, outside) == (None if expected is None else pytest.approx(expected))
