"""How far a threshold may be moved, and on which line."""

from __future__ import annotations

from typing import Literal

from iotriage_parsers.frozen import frozen


@frozen
class Slider:
    """`minimum` and `maximum` are its ends; `scale` is how its line is drawn."""

    minimum: float
    maximum: float
    scale: Literal["linear", "log"]


def linear(minimum: float = 0.0, maximum: float = 1.0) -> Slider:
    """Where nothing is said the ends are those of a share."""
    return Slider(minimum, maximum, "linear")


def logarithmic(minimum: float, maximum: float) -> Slider:
    return Slider(minimum, maximum, "log")


SHARE = linear()
