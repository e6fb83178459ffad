"""HEATMAP records: bytes read and written by one rank at one layer, over bins of the run's time."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator, Mapping
from typing import Final

import numpy as np
from numpy.typing import NDArray

from iotriage_parsers.evidence import Heatmap, Problem
from iotriage_parsers.evidence.darshan import Float64s, Int64s
from iotriage_parsers.frozen import frozen_identity
from iotriage_parsers.readers.darshan_log.container import ByteOrder
from iotriage_parsers.readers.darshan_log.damaged import damaged
from iotriage_parsers.readers.darshan_log.values import LARGEST_COUNT, Run, untrue_heatmap_rows

VERSIONS: Final = (1,)
_PREFIX: Final = "heatmap:"
_HEAD_BYTES: Final = 48
_HEAD_WORDS: Final = _HEAD_BYTES // 8
_BINS: Final = 3
_ADDRESSES: Final = slice(4, 6)
"""Words of a record that contain addresses: where its bins were in the memory of the process that wrote it."""
_WHERE: Final = "HEATMAP"
_FEWEST_AHEAD: Final = 64
"""Records with as many bins are read at once: at first so many, then twice as many each time."""

_IDS: Final[Mapping[int, str]] = {
    16592106915301738621: "POSIX",
    3668870418325792824: "MPIIO",
    3989511027826779520: "STDIO",
    1597927878319380788: "DFS",
    4131494093108637317: "DAOS",
}
"""Darshan's ids of the names "heatmap:POSIX" and so on, the same in every log; used where the names are lost."""


@frozen_identity
class HeatmapRows:
    """Ranks at one layer, with as many bins each: `widths` (n,) seconds a bin, `ranks` (n,), `written` and `read`
    (n, bins) bytes."""

    layer: str
    widths: Float64s
    ranks: Int64s
    written: Int64s
    read: Int64s

    def only(self, mask: NDArray[np.bool_]) -> HeatmapRows:
        if mask.all():
            return self
        return HeatmapRows(self.layer, self.widths[mask], self.ranks[mask], self.written[mask], self.read[mask])


def read_heatmaps(
    data: bytes, byte_order: ByteOrder, names: Mapping[int, str], run: Run
) -> tuple[tuple[Heatmap, ...], int, tuple[Problem, ...]]:
    """The heatmaps by layer, how many records were read, and what was refused."""
    problems: list[Problem] = []
    rows = _rows(data, "<" if byte_order == "little" else ">", names, run, problems)
    return heatmaps_of(rows, problems), sum(len(some.ranks) for some in rows), tuple(problems)


def heatmaps_of(rows: Iterable[HeatmapRows], problems: list[Problem]) -> tuple[Heatmap, ...]:
    """One table a layer, in the order in which the layers first appear."""
    layers: dict[str, list[HeatmapRows]] = {}
    for some in rows:
        layers.setdefault(some.layer, []).append(some)
    found = (_heatmap(layer, of_layer, problems) for layer, of_layer in layers.items())
    return tuple(heatmap for heatmap in found if heatmap is not None)


def _rows(data: bytes, mark: str, names: Mapping[int, str], run: Run, problems: list[Problem]) -> list[HeatmapRows]:
    words = np.frombuffer(data, f"{mark}i8", len(data) // 8)
    rows: list[HeatmapRows] = []
    refused: Counter[str] = Counter()
    position = 0
    for alike in _alike(words):
        rows += _of_layers(alike.astype(np.int64), names, run, refused)
        position += alike.nbytes
    if position + _HEAD_BYTES <= len(data):
        problems.append(
            damaged(
                _WHERE,
                f"the record at byte {position} claims {words[position // 8 + _BINS]} bins, which do not fit its "
                f"region of {len(data)} bytes; it and what follows are left out.",
            )
        )
        return rows
    problems += refused_problems(refused)
    if position != len(data):
        problems.append(damaged(_WHERE, f"the last {len(data) - position} bytes of the region are not a whole record."))
    return rows


def _alike(words: Int64s) -> Iterator[Int64s]:
    """The records of a region as words, shape (n, 6 + 2 · bins), as many together as have as many bins; up to the first
    that does not fit the region."""
    position, ahead = 0, _FEWEST_AHEAD
    while position + _HEAD_WORDS <= len(words):
        bins = int(words[position + _BINS])
        size = _HEAD_WORDS + 2 * bins
        if bins < 0 or position + size > len(words):
            return
        count = min(ahead, (len(words) - position) // size)
        records = words[position : position + count * size].reshape(count, size)
        others = np.flatnonzero(records[:, _BINS] != bins)
        alike = int(others[0]) if len(others) else count
        yield records[:alike]
        position += alike * size
        ahead = 2 * ahead if alike == count else _FEWEST_AHEAD


def without_addresses(data: bytes, byte_order: ByteOrder) -> bytes:
    """The region with zeros where Darshan writes addresses, which another program that writes the log again has
    elsewhere."""
    content = bytearray(data)
    for records in _alike(np.frombuffer(content, "<i8" if byte_order == "little" else ">i8", len(content) // 8)):
        records[:, _ADDRESSES] = 0
    return bytes(content)


def _of_layers(words: Int64s, names: Mapping[int, str], run: Run, refused: Counter[str]) -> Iterator[HeatmapRows]:
    """Records as words, shape (n, 6 + 2 · bins), by their layers, the one that comes first first; those that cannot be
    true are counted."""
    places: dict[int, list[int]] = {}
    for place, record in enumerate(np.ascontiguousarray(words[:, 0]).view(np.uint64).tolist()):
        places.setdefault(record, []).append(place)
    for record, its in places.items():
        mine = words if len(its) == len(words) else words[its]
        cells, bins = mine[:, 6:], (mine.shape[1] - 6) // 2
        layer = layer_of(record, names)
        widths = np.ascontiguousarray(mine[:, 2]).view(np.float64)
        rows = HeatmapRows(layer or "", widths, mine[:, 1], cells[:, :bins], cells[:, bins:])
        true = true_rows(layer is not None, rows, run, refused)
        if len(true.ranks):
            yield true


def refused_problems(refused: Counter[str]) -> list[Problem]:
    """What to say about records that `refusal` refused, by its words."""
    return [damaged(_WHERE, f"{count} records {words}; they are left out.") for words, count in refused.items()]


def layer_of(record: int, names: Mapping[int, str]) -> str | None:
    """The layer of a heatmap record: by its name, else by its id; None for one that we do not know."""
    name = names.get(record, "")
    return name.removeprefix(_PREFIX) if name.startswith(_PREFIX) else _IDS.get(record)


def true_rows(known: bool, rows: HeatmapRows, run: Run, refused: Counter[str]) -> HeatmapRows:
    """Those that can be true; the others are counted by the first reason why they cannot. `known` says whether we know
    the layer."""
    cells = np.concatenate((rows.written, rows.read), axis=1)
    impossible = rows.ranks < 0 if run.nprocs is None else (rows.ranks < 0) | (rows.ranks >= run.nprocs)
    reasons = (
        (np.full(len(rows.ranks), not known), "belong to no layer that we know"),
        (impossible, "name a rank that the job cannot have"),
        *untrue_heatmap_rows(rows.widths, cells, run),
    )
    left = np.ones(len(rows.ranks), np.bool_)
    for bad, why in reasons:
        if (now := int((bad & left).sum())) > 0:
            refused[why] += now
            left &= ~bad
    return rows.only(left)


def _heatmap(layer: str, rows: list[HeatmapRows], problems: list[Problem]) -> Heatmap | None:
    """One table a layer, None where nothing is left of it. Darshan 3.4.0 to 3.4.3 could write a bin more or less on
    some ranks when shared reductions were off (darshan-hpc/darshan issue 941): the shorter rows end in empty bins."""
    width = float(rows[0].widths[0])
    every = sum(len(some.ranks) for some in rows)
    same = [mine for some in rows if len((mine := some.only(some.widths == width)).ranks)]
    count = sum(len(some.ranks) for some in same)
    if count != every:
        problems.append(
            damaged(_WHERE, f"{every - count} {layer} records have another bin width than the first and are left out.")
        )
    sums = [some.read.sum(axis=1).astype(np.float64) + some.written.sum(axis=1) for some in same]
    if sum(float(of.sum()) for of in sums) > LARGEST_COUNT:
        limit = LARGEST_COUNT // count
        same = [some.only(of <= limit) for some, of in zip(same, sums, strict=True) if (of <= limit).any()]
        kept = sum(len(some.ranks) for some in same)
        problems.append(
            damaged(_WHERE, f"{count - kept} {layer} records hold more bytes than a run can move and are left out.")
        )
        if not kept:
            return None
        count = kept
    lengths = {some.written.shape[1] for some in same}
    bins = max(lengths)
    if len(lengths) > 1:
        problems.append(
            Problem(
                "note",
                f"HEATMAP: {layer} records differ in their number of bins ({min(lengths)} to {bins}); "
                "shorter ones end in empty bins.",
                where=_WHERE,
            )
        )
    read, written = np.zeros((count, bins), np.int64), np.zeros((count, bins), np.int64)
    at = 0
    for some in same:
        its = slice(at, at + len(some.ranks))
        read[its, : some.read.shape[1]] = some.read
        written[its, : some.written.shape[1]] = some.written
        at = its.stop
    ranks = np.concatenate([some.ranks for some in same])
    order = np.argsort(ranks, kind="stable")
    ranks, read, written = ranks[order], read[order], written[order]
    for array in (ranks, read, written):
        array.flags.writeable = False
    return Heatmap(layer, width, ranks, read, written)
