"""Numbers in bulk, as a chart is drawn from them."""

from __future__ import annotations

from typing import Literal

from iotriage_parsers.frozen import frozen


@frozen
class Packed:
    """Numbers in bulk: base64 of their bytes, little endian, row after row."""

    type: Literal["float64", "float32", "uint8", "uint32"]
    data: str
