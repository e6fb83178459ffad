"""What a process that reads a source answers."""

from __future__ import annotations

from typing import Final

from iotriage.boundary.codec import Bounds, Codec
from iotriage.boundary.decode_error import DecodeError
from iotriage_parsers.evidence import Archive, CounterTable, DarshanLog, DxtTrace, Evidence, Failure, Heatmap

Result = Evidence | Archive | Failure

_RESULTS: Final = Codec[Result](Result)


def encode_result(result: Result) -> bytes:
    """The result as bytes; errors as `Codec.encode` has them."""
    return _RESULTS.encode(result)


def decode_result(data: bytes | memoryview, bounds: Bounds | None = None) -> Result:
    """The result, whose arrays are views of `data`. RefusedError for all else, and for tables whose arrays do not fit
    one another."""
    result = _RESULTS.decode(data, bounds)
    if isinstance(result, Evidence):
        _check(result)
    elif isinstance(result, Archive):
        for member in result.members:
            if isinstance(member.outcome, Evidence):
                _check(member.outcome)
    return result


def _check(evidence: Evidence) -> None:
    for log in evidence.of(DarshanLog):
        fits = [_fits(table) for table in log.tables.values()] + [_has_one_grid(h) for h in log.heatmaps]
        if not all(fits):
            raise DecodeError("a table whose columns are not of one length")
    for trace in evidence.of(DxtTrace):
        if trace.segments.ndim != 1:
            raise DecodeError("a trace that is no list of calls")


def _fits(table: CounterTable) -> bool:
    rows = len(table.ids) if table.ids.ndim == 1 else -1
    return (
        table.ranks.shape == (rows,)
        and table.ints.shape == (rows, len(table.int_names))
        and table.floats.shape == (rows, len(table.float_names))
        and (table.file_ids is None or table.file_ids.shape == (rows,))
    )


def _has_one_grid(heatmap: Heatmap) -> bool:
    grid = heatmap.read.shape
    return len(grid) == 2 and heatmap.written.shape == grid and heatmap.ranks.shape == grid[:1]
