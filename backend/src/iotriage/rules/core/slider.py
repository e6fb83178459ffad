"""The range of a threshold, and whether its slider is linear or logarithmic."""

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
    """A linear slider; without arguments, from 0 to 1, for shares."""
    return Slider(minimum, maximum, "linear")


def logarithmic(minimum: float, maximum: float) -> Slider:
    return Slider(minimum, maximum, "log")


SHARE = linear()
