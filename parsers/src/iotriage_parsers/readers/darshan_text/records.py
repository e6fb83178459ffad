"""The rows of counters: one line a counter, one run of lines a record, into tables, stripe layouts and heatmaps."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Mapping, Sequence
from itertools import groupby
from typing import Final

import numpy as np

from iotriage_parsers.evidence import Heatmap, LustreLayout, Problem
from iotriage_parsers.readers.darshan_log import apmpi
from iotriage_parsers.readers.darshan_log.heatmap import (
    HeatmapRows,
    heatmaps_of,
    layer_of,
    refused_problems,
    true_rows,
)
from iotriage_parsers.readers.darshan_log.lustre import Component, layout_of
from iotriage_parsers.readers.darshan_log.records import ALL_NAMES
from iotriage_parsers.readers.darshan_log.values import Run
from iotriage_parsers.readers.darshan_text import darshan2
from iotriage_parsers.readers.darshan_text.columns import Columns, Shape
from iotriage_parsers.text.cut_columns import cut_problem

DARSHAN_2: Final = "CP"
"""What stands for the module in rows of Darshan 2.x, which have none."""

_VALUE: Final = rb"[!-%'-^`-~]{1,64}+"
_NAME: Final = rb"[ -%'-~]*+"
# `|(?!)`: until Python 3.11.5 a possessive group whose last try failed halfway went on from there.
# https://github.com/python/cpython/issues/106052
_ROWS: Final = re.compile(
    rb"(?:[A-Z][A-Z0-9_/-]{0,29}+\t-?[0-9]{1,18}\t[0-9]{1,20}\t[A-Z]\w{0,63}+\t%b\t%b\t%b\t%b\r?\n|(?!))++"
    % (_VALUE, _NAME, _NAME, _NAME)
)
_ROWS_2: Final = re.compile(
    rb"(?:-?[0-9]{1,18}\t[0-9]{1,20}\tCP_\w{1,60}+\t%b\t%b\t%b\t%b\r?\n|(?!))++" % (_VALUE, _NAME, _NAME, _NAME)
)
"""Rows that need nothing done to them: ASCII, no `&` that may be an HTML entity, no number that only Python reads."""

_ROW: Final = re.compile(
    r"([A-Z][A-Z0-9_/-]{0,29})\s+(-?[0-9]{1,18})\s+([0-9]{1,20})\s+([A-Z]\w{0,63})(?:(?:\t|\s+)(\S.*)|\s*)"
)
_ROW_2: Final = re.compile(r"(-?[0-9]{1,18})\s+([0-9]{1,20})\s+(CP_\w{1,60})(?:\t|\s+)(\S.*)")
LAST_COLUMN: Final = "<fs type>"
_PLAIN_VALUE: Final = re.compile(_VALUE)
_NAME_BELOW: Final = re.compile(r"((?:/|\.\.\.|<STD)\S{0,4000})\s+/\S{0,400}\s+[a-z][\w.-]{0,40}")
"""A file's name, its mount and its file system, which a mail put on the line below: nothing broke within the value."""
_VALUE_BELOW: Final = re.compile(rf"(-?[0-9.]{{1,40}}|-?nan|-?inf)\s+{_NAME_BELOW.pattern}")
_LACKS_DECIMALS: Final = re.compile(r"-?[0-9]{1,25}(?:\.[0-9]{0,5})?")
"""Of seconds, which have six, where nothing stands behind them: the row is cut within its value."""
_NODE: Final = b"MPI_PROCESSOR_NAME"
_LUSTRE_COMPONENTS: Final = 4096
_CELLS: Final = 2**22
_LARGEST_ID: Final = 2**64 - 1

_ALIASES: Final = {"F_OPEN_TIMESTAMP": "F_OPEN_START_TIMESTAMP", "F_CLOSE_TIMESTAMP": "F_CLOSE_END_TIMESTAMP"}
"""Names before Darshan 3.1; the two other timestamps of today were not recorded then."""

_OLD_STDIO: Final = ("POSIX_FREADS", "POSIX_FWRITES", "POSIX_FOPENS", "POSIX_FSEEKS")
"""Counters of POSIX module version 1: a record that has fopen calls belongs to stdio, as in the log's own reader."""

_OPTIONAL: Final[Mapping[str, tuple[str, ...]]] = {
    "POSIX": (
        *("POSIX_FILENOS", "POSIX_DUPS", "POSIX_RENAME_SOURCES", "POSIX_RENAME_TARGETS", "POSIX_RENAMED_FROM"),
        *("POSIX_F_CLOSE_START_TIMESTAMP", "POSIX_F_OPEN_END_TIMESTAMP", *_OLD_STDIO),
    ),
    "MPI-IO": ("MPIIO_F_CLOSE_START_TIMESTAMP", "MPIIO_F_OPEN_END_TIMESTAMP"),
    "STDIO": ("STDIO_FDOPENS",),
    # Printed only where AUTOPERF was built to time the wait in collectives.
    apmpi.MODULE: (*apmpi.SYNC_TIMES, apmpi.TOTALS[1]),
    "H5F": (
        "H5F_FLUSHES",
        "H5F_USE_MPIIO",
        "H5F_F_META_TIME",
        "H5F_F_CLOSE_START_TIMESTAMP",
        "H5F_F_OPEN_END_TIMESTAMP",
    ),
}
_PREFIXES: Final = {"MPI-IO": "MPIIO", "BG/Q": "BGQ"}
_FILE_IDS: Final = {"H5D": "H5D_FILE_REC_ID", "PNETCDF_VAR": "PNETCDF_VAR_FILE_REC_ID"}
"""The rows that name the file of a dataset or variable."""


def _shape(module: str) -> Shape:
    int_names, float_names = ALL_NAMES[module]
    prefix = _PREFIXES.get(module, module)
    return Shape(
        module=module,
        int_names=int_names,
        float_names=float_names,
        aliases={f"{prefix}_{old}": f"{prefix}_{new}" for old, new in _ALIASES.items()},
        optional=frozenset(_OPTIONAL.get(module, ())),
        defaults={"POSIX_RENAMED_FROM": 0} if module == "POSIX" else None,
        foreign="POSIX_FOPENS" if module == "POSIX" else None,
        any_value=frozenset({"POSIX_RENAMED_FROM"}) if module == "POSIX" else frozenset(),
        file_id=_FILE_IDS.get(module),
    )


SHAPES: Final[Mapping[str, Shape]] = {**{m: _shape(m) for m in ALL_NAMES}, DARSHAN_2: darshan2.SHAPE}
_KNOWN: Final = frozenset({*SHAPES, "MPIIO", "LUSTRE", "HEATMAP", "PNETCDF"})
"""Modules whose rows are believed even where a terminal has made blanks of the tabs."""

_NO_NAMES: Final = frozenset({"", "(null)", "darshan-bgq-record"})
"""What is printed for records that have no name in the log."""

_MODULE_ALIASES: Final = {"MPIIO": "MPI-IO"}

_Key = tuple[str, bytes, bytes]


class Records:
    """Collects the rows of a text. `seen` counts the rows of each module, in the order in which they first stand;
    `nodes` are the ranks' nodes, which AUTOPERF MPI knows."""

    def __init__(self) -> None:
        self.names: dict[int, str] = {}
        self.seen: Counter[str] = Counter()
        self.layouts: list[LustreLayout] = []
        self.nodes: dict[int, str] = {}
        self.columns: dict[str, Columns] = {}
        self._heatmap_rows: list[tuple[int, int, float, list[int], list[int]]] = []
        self._heatmaps_cut = 0
        self._bad_rows = 0
        self._cut_at: int | None = None
        self._cut_rows = 0
        self._key: _Key | None = None
        self._counters: list[bytes] = []
        self._values: list[bytes] = []
        self._held: tuple[_Key, bytes, bytes] | None = None
        self._without_value: tuple[_Key, bytes] | None = None

    def head(self, text: str) -> None:
        """The line with the names of the columns: where it ends before the last of them, all lines are cut there; or
        a mail has put that on the line below."""
        self._cut_at = None if text.rstrip().endswith(LAST_COLUMN) else len(text)

    def take(self, data: bytes, start: int, end: int) -> int:
        """Reads all plain rows from `start` on; returns where they end."""
        found = _ROWS.match(data, start, end) or _ROWS_2.match(data, start, end)
        if found is None:
            return start
        self._settle()
        cells = found.group().replace(b"\r\n", b"\n").replace(b"\n", b"\t").split(b"\t")
        if found.re is _ROWS:
            columns = [cells[i::8] for i in range(6)]
            modules, ranks, ids, counters, values, names = (column[: len(columns[5])] for column in columns)
        else:
            ranks, ids, counters, values, names = (cells[i:-1:7] for i in range(5))
            modules = [b""] * len(ranks)
        at = 0
        for (module, rank, record), run in groupby(zip(modules, ranks, ids, strict=True)):
            stop = at + sum(1 for _ in run)
            name = module.decode("ascii") if module else DARSHAN_2
            self._extend((name, rank, record), counters[at:stop], values[at:stop], names[at].decode("ascii"))
            at = stop
        return found.end()

    def row(self, text: str, *, ended: bool) -> bool:
        """Whether the line is a row. One that ends with its value may have been broken within that: the last one of the
        text does not count, and where no row follows it is not believed."""
        if self._held is not None and (below := _NAME_BELOW.fullmatch(text.strip())) is not None:
            self._settle(name=below[1])
            return True
        if self._without_value is not None and (below := _VALUE_BELOW.fullmatch(text.strip())) is not None:
            (key, counter), self._without_value = self._without_value, None
            self._extend(key, [counter], [below[1].encode()], below[2])
            return True
        taken = self._row(text, ended=ended)
        if not taken:
            self._settle(b"?")
        return taken

    def _row(self, text: str, *, ended: bool) -> bool:
        found = _ROW.fullmatch(text.rstrip(" "))
        if found:
            module, rank, record, counter, rest = found.groups("")
            if "\t" not in text and module not in _KNOWN:
                return False
        else:
            found = _ROW_2.fullmatch(text.rstrip(" "))
            if not found:
                return False
            module, (rank, record, counter, rest) = DARSHAN_2, found.groups()
        value, name = _value_and_name(rest)
        if name is None and not ended:
            return True
        raw = value.encode()
        if module in SHAPES and not _PLAIN_VALUE.fullmatch(raw):
            raw = b"?"
        if value == rest and "_F_" in counter and _LACKS_DECIMALS.fullmatch(value):
            raw = b"?"
        if value == rest and len(text) == self._cut_at:
            raw = b"?"
            self._cut_rows += 1
        key = (module, rank.encode(), record.encode())
        self._settle()
        if not rest:
            self._without_value = key, counter.encode()
        elif value == rest:
            self._held = key, counter.encode(), raw
        else:
            self._extend(key, [counter.encode()], [raw], name or "")
        return True

    def _settle(self, value: bytes | None = None, name: str = "") -> None:
        """Takes the row that was held, with its own value or this."""
        if self._without_value is not None:
            (key, counter), self._without_value = self._without_value, None
            self._extend(key, [counter], [b"?"], "")
        if self._held is not None:
            (key, counter, own), self._held = self._held, None
            self._extend(key, [counter], [value or own], name)

    def flush(self) -> None:
        """Ends the record that is being read: a new module or the end of the text."""
        self._settle()
        if self._key is None:
            return
        (module, rank, record), counters, values = self._key, self._counters, self._values
        self._key, self._counters, self._values = None, [], []
        if module == apmpi.MODULE and not counters:
            return
        number = int(record)
        if number > _LARGEST_ID:
            self._bad_rows += len(counters)
        elif module in SHAPES:
            columns = self.columns.setdefault(module, Columns(SHAPES[module]))
            columns.add(number, int(rank), counters, values)
        elif module == "LUSTRE":
            self._lustre(number, _by_name(counters, values))
        elif module == "HEATMAP":
            self._heatmap(number, int(rank), _by_name(counters, values))

    def heatmaps(self, run: Run, problems: list[Problem]) -> tuple[Heatmap, ...]:
        """The heatmaps by layer; what is wrong with them is added to `problems`."""
        refused: Counter[str] = Counter()
        rows: list[HeatmapRows] = []
        for record, rank, width, written, read in self._heatmap_rows:
            layer = layer_of(record, self.names)
            one = HeatmapRows(
                layer or "",
                np.array([width]),
                np.array([rank], np.int64),
                np.array([written], np.int64),
                np.array([read], np.int64),
            )
            if len((true := true_rows(layer is not None, one, run, refused)).ranks):
                rows.append(true)
        if self._heatmaps_cut:
            refused["are not whole"] += self._heatmaps_cut
        bins = [row.written.shape[1] for row in rows]
        if len(rows) * max(bins, default=0) > max(_CELLS, 4 * sum(bins)):
            refused["differ in their number of bins beyond all measure"] += len(rows)
            rows = []
        problems += refused_problems(refused)
        return heatmaps_of(rows, problems)

    def problems(self) -> tuple[Problem, ...]:
        """What was wrong with single rows."""
        if self._cut_rows:
            left_out = f"{self._cut_rows:,} figures that end there are left out"
            return (cut_problem("darshan-parser's rows", self._cut_at or 0, None, left_out), *self._of_ids())
        return self._of_ids()

    def _of_ids(self) -> tuple[Problem, ...]:
        if not self._bad_rows:
            return ()
        message = f"{self._bad_rows} rows have a record id above 2^64; they are left out."
        return (Problem("out-of-range", message, loses_data=True),)

    def _extend(self, key: _Key, counters: Sequence[bytes], values: Sequence[bytes], name: str) -> None:
        module = _MODULE_ALIASES.get(key[0], key[0])
        key = (module, key[1], key[2])
        self.seen[module] += len(counters)
        if key != self._key:
            self.flush()
            self._key = key
            record = int(key[2])
            if name not in _NO_NAMES and record <= _LARGEST_ID:
                self.names.setdefault(record, name)
        if module == apmpi.MODULE:
            counters, values = self._without_node(int(key[1]), counters, values)
        if module in SHAPES or module in ("LUSTRE", "HEATMAP"):
            self._counters += counters
            self._values += values

    def _without_node(
        self, rank: int, counters: Sequence[bytes], values: Sequence[bytes]
    ) -> tuple[Sequence[bytes], Sequence[bytes]]:
        """The rows of AUTOPERF that are counters; the rank's node is kept, variances over all ranks are not."""
        if _NODE in counters:
            self.nodes.setdefault(rank, values[counters.index(_NODE)].decode("utf-8", "replace"))
        columns = [i for i, name in enumerate(counters) if name != _NODE and not name.endswith(b"_VARIANCE")]
        return [counters[i] for i in columns], [values[i] for i in columns]

    def _lustre(self, record: int, values: Mapping[str, str]) -> None:
        def number(name: str) -> int:
            return _number(values.get(name, ""))

        if "LUSTRE_NUM_COMPONENTS" not in values and "LUSTRE_COMP1_STRIPE_SIZE" not in values:
            width = number("LUSTRE_STRIPE_WIDTH")
            self.layouts.append(
                LustreLayout(
                    record=record,
                    stripe_size=_positive(number("LUSTRE_STRIPE_SIZE")),
                    stripe_count=_positive(width),
                    osts=_osts(values, "LUSTRE_OST_ID_"),
                    osts_in_fs=_positive(number("LUSTRE_OSTS")),
                    mdts_in_fs=_positive(number("LUSTRE_MDTS")),
                )
            )
            return
        components = []
        for i in range(1, _LUSTRE_COMPONENTS):
            mark = f"LUSTRE_COMP{i}_"
            if mark + "STRIPE_SIZE" not in values:
                break
            pool = values.get(mark + "POOL_NAME", "")
            components.append(
                Component(
                    stripe_size=number(mark + "STRIPE_SIZE"),
                    stripe_count=number(mark + "STRIPE_COUNT"),
                    start=max(number(mark + "EXT_START"), 0),
                    end=number(mark + "EXT_END"),
                    pool="" if pool == "N/A" else pool,
                    osts=_osts(values, mark + "OST_ID_"),
                )
            )
        self.layouts.append(layout_of(record, tuple(components)))

    def _heatmap(self, record: int, rank: int, values: Mapping[str, str]) -> None:
        try:
            width = float(values.get("HEATMAP_F_BIN_WIDTH_SECONDS", "nan"))
            read, written = _bins(values, "HEATMAP_READ_BIN_"), _bins(values, "HEATMAP_WRITE_BIN_")
        except (ValueError, OverflowError):
            self._heatmaps_cut += 1
            return
        if len(read) != len(written) or len(read) + len(written) + 1 != len(values):
            self._heatmaps_cut += 1
            return
        self._heatmap_rows.append((record, rank, width, written, read))


def _value_and_name(rest: str) -> tuple[str, str | None]:
    """The value, and the file name before mount point and type. A name may hold tabs and blanks; it is None where
    the line has no third column behind it."""
    if "\t" in rest:
        value, *cells = rest.split("\t")
        return value, "\t".join(cells[:-2]) if len(cells) >= 3 else None
    # A terminal fills tabs up with blanks, before the name too.
    value, _, name = rest.partition(" ")
    words = name.lstrip(" ").rsplit(None, 2)
    return value, words[0] if len(words) == 3 else None


def _by_name(counters: Sequence[bytes], values: Sequence[bytes]) -> dict[str, str]:
    return {
        name.decode("ascii", "replace"): value.decode("utf-8", "replace")
        for name, value in zip(counters, values, strict=True)
    }


def _number(text: str) -> int:
    """A whole number of at most 64 bits, else −1: `N/A` stands for what a log of another version does not have."""
    try:
        number = int(text)
    except ValueError:
        return -1
    return number if -(2**63) <= number < 2**63 else -1


def _positive(number: int) -> int | None:
    return number if number > 0 else None


def _osts(values: Mapping[str, str], mark: str) -> tuple[int, ...]:
    osts: list[int] = []
    while (name := f"{mark}{len(osts)}") in values:
        osts.append(_number(values[name]))
    return tuple(osts)


def _bins(values: Mapping[str, str], mark: str) -> list[int]:
    bins: list[int] = []
    while (name := f"{mark}{len(bins)}") in values:
        number = int(values[name])
        if not -(2**63) <= number < 2**63:
            raise OverflowError(name)
        bins.append(number)
    return bins
