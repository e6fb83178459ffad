"""From a table's cells to figures: I/O tables, Lustre File Information, wall clock times, the profile."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from typing import Final, NamedTuple

from iotriage_parsers.evidence import Lines, Problem
from iotriage_parsers.evidence.craypat import (
    PatAggregation,
    PatIoRow,
    PatIoTable,
    PatLustreFile,
    PatProfileRow,
    PatRankTime,
)
from iotriage_parsers.evidence.mpiio_stats import Direction
from iotriage_parsers.readers.craypat.noise import noise
from iotriage_parsers.readers.craypat.numbers import NO_VALUE, measure, whole
from iotriage_parsers.readers.craypat.table import Row, Table
from iotriage_parsers.text.numbers import Count

_IO_COLUMNS: Final = (
    ("rate", re.compile(r"(?:read|write) rate mi?bytes/sec")),
    ("time", re.compile(r"(?:avg )?(?:read|write) time(?: per (?:reader|writer) rank)?")),
    ("mib", re.compile(r"(?:avg )?(?:read|write) mi?bytes(?: per (?:reader|writer) rank)?")),
    ("ranks", re.compile(r"number of (?:reader|writer) ranks")),
    ("calls", re.compile(r"(?:avg )?(?:reads|writes)(?: per (?:reader|writer) rank)?")),
    ("bytes_per_call", re.compile(r"bytes/call")),
)
_OLD_ORDER: Final = ("time", "mib", "rate", "calls", "bytes_per_call")
_NEW_ORDER: Final = ("time", "mib", "rate", "ranks", "calls", "bytes_per_call")
_WRITES: Final = re.compile(r"\bwrit", re.IGNORECASE)
_READS: Final = re.compile(r"\bread", re.IGNORECASE)

_RANK: Final = re.compile(r"pe\.(\d{1,9})")
_RANK_IN_CSV: Final = re.compile(r"(?:(.+)/)?pe\.(\d{1,9})")
_OTHER_LEVEL: Final = re.compile(r"(?:.+/)?(?:thread|nid|numanode|node)\.\d+")
_PE_LEVEL: Final = re.compile(r"PE(?:=(\S+))?")
_TOTAL: Final = re.compile(r"Total|Avg of .* values|Sum of .* values|Max of .* values")
_ROW_LIMIT: Final = re.compile(r"\[max(\d{1,6})\]|\(maximum (\d{1,6}) shown\)", re.IGNORECASE)
_LIMITED: Final = "limited entries shown"

_GROUP: Final = re.compile(r"[A-Z][A-Z0-9_]*")
_IO_GROUPS: Final = frozenset(
    (
        "ADIOS2",
        "AIO",
        "FFIO",
        "FS",
        "HDF5",
        "IO",
        "LUSTREAPI",
        "MPIIO",
        "NETCDF",
        "PNETCDF",
        "STDIO",
        "SYSCALL",
        "SYSIO",
    )
)
_MPI_IO: Final = re.compile(r"mpi_file_", re.IGNORECASE)


class Place(NamedTuple):
    """Which file and which rank a row is of; the Total row is of neither."""

    file: str | None
    rank: int | None


def io_table(table: Table, first: int) -> tuple[PatIoTable, tuple[Problem, ...]]:
    """The figures of an I/O table that begins on line `first`, and what is wrong with it."""
    columns, names = table.columns, _io_names(table)
    averages = "ranks" in names or any(c.lower().startswith("avg ") for c in columns)
    direction = _direction(table)
    kind: PatAggregation = "average-per-rank" if averages else "sum-over-ranks"
    problems = [*_unknown_columns(table, names), *_table_problems(table)]
    rows: list[PatIoRow] = []
    rank_rows: list[PatIoRow] = []
    total: PatIoRow | None = None
    above: dict[int, Place] = {}
    with_ranks = _has_rank_level(table)
    for row in table.rows:
        if row.torn or not row.label:
            problems.append(_torn_row(row.line))
            continue
        if _OTHER_LEVEL.fullmatch(row.label):
            continue
        place = _csv_place(row, above) if table.csv else _place(row, above, with_ranks)
        figures, wrong = _figures(row, names, columns)
        problems.extend(wrong)
        built = _io_row(row, place, figures, kind)
        if place == (None, None):
            total = built if total is None else total
        elif place.rank is not None:
            rank_rows.append(built)
        else:
            rows.append(built)
    limit = _ROW_LIMIT.search(" ".join((table.title, *table.labels)))
    row_limit = int(limit.group(1) or limit.group(2)) if limit else None
    limited = _LIMITED in table.title or (row_limit is not None and len(rows) >= row_limit)
    built_table = PatIoTable(
        direction=direction,
        title=table.title,
        lines=Lines(first, max(table.last, first)),
        complete=not (table.broken or table.changed or table.ignored or any(r.torn for r in table.rows))
        and _has_end(table),
        aggregation=kind,
        columns=columns,
        rows=tuple(rows),
        rank_rows=tuple(rank_rows),
        total=total,
        rank_selection=_rank_selection(table, bool(rank_rows)),
        excluded=table.excluded,
        row_limit=row_limit,
        limited=limited,
    )
    return built_table, tuple(problems)


def lustre_files(table: Table) -> tuple[tuple[PatLustreFile, ...], tuple[Problem, ...]]:
    """The rows of Lustre File Information."""
    files: list[PatLustreFile] = []
    problems: list[Problem] = list(_table_problems(table))
    for row in table.rows:
        if row.torn or not row.label:
            problems.append(_torn_row(row.line))
            continue
        size, offset, count = (whole(cell) for cell in row.cells[:3])
        for title, cell in zip(("Stripe size", "Stripe offset", "Stripe count"), row.cells, strict=False):
            if whole(cell) is None and cell != NO_VALUE:
                problems.append(_wrong(title, cell, row.line, "no whole number: left out"))
        osts = _osts(row.cells[3], count)
        if not osts and row.cells[3] not in ("", NO_VALUE):
            numbers = "a list of numbers" if count is None else f"a list of {count:,} numbers"
            message = f'the OST list on line {row.line} is not {numbers}: kept as text ("{row.cells[3][:60]}")'
            problems.append(Problem("unrecognised-number", message, line=row.line))
        files.append(PatLustreFile(row.label, size, count, offset, osts, row.cells[3], row.line))
    return tuple(files), tuple(problems)


def rank_times(table: Table) -> tuple[tuple[PatRankTime, ...], tuple[Problem, ...]]:
    """The rows of the wall clock table: averages first, as they stand."""
    columns = table.columns
    times = _column(table, re.compile(r"process time"))
    memory = _column(table, re.compile(r"process himem \(mi?bytes\)"))
    found: list[PatRankTime] = []
    problems: list[Problem] = []
    for row in table.rows:
        rank = _RANK.fullmatch(row.label)
        if row.torn or (rank is None and not _TOTAL.match(row.label)):
            continue
        seconds, wrong_time = _cell(row, times, columns)
        mib, wrong_memory = _cell(row, memory, columns)
        problems.extend((*wrong_time, *wrong_memory))
        if seconds is not None or mib is not None:
            found.append(PatRankTime(int(rank.group(1)) if rank else None, seconds, mib, row.line))
    return tuple(found), tuple(problems)


def is_profile(table: Table) -> bool:
    """Whether the table's first level are function groups or functions, and its rows shares of the program."""
    return bool(table.labels) and table.labels[0] in ("Group", _FUNCTION) and _column(table, _PERCENT) is not None


_FUNCTION: Final = "Function"
_PERCENT: Final = re.compile(r"(?:samp|time)%")
_SAMPLES: Final = re.compile(r"samp")
_SECONDS: Final = re.compile(r"time")
_CALLS: Final = re.compile(r"calls")


def profile(table: Table) -> tuple[PatProfileRow, ...]:
    """The groups, and of their functions those that do I/O; of functions without groups those of MPI-IO, as a program
    may have a function of its own that is called like one of the system's."""
    columns = table.columns
    wanted = tuple(_column(table, pattern) for pattern in (_PERCENT, _SECONDS, _SAMPLES, _CALLS))
    found: list[PatProfileRow] = []
    group = ""
    for row in table.rows:
        if row.torn or row.level > 2 or _TOTAL.match(row.label) or _RANK.fullmatch(row.label):
            continue
        percent, seconds, samples, calls = (_cell(row, column, columns)[0] for column in wanted)
        if row.level == 1 and table.labels[0] != _FUNCTION and _GROUP.fullmatch(row.label):
            group = row.label
            found.append(PatProfileRow(group, None, percent, seconds, samples, calls, row.line))
        elif group in _IO_GROUPS or _MPI_IO.match(row.label):
            found.append(PatProfileRow(group, row.label, percent, seconds, samples, calls, row.line))
    return tuple(found)


def _io_names(table: Table) -> tuple[str, ...]:
    """For each column its name in `_IO_COLUMNS`, "" where it has none."""
    if table.header:
        names = tuple(_io_name(title) for title in table.columns)
        return tuple(name if name not in names[:i] else "" for i, name in enumerate(names))
    return _NEW_ORDER if table.columns_count == len(_NEW_ORDER) else _OLD_ORDER


def _io_name(title: str) -> str:
    return next((name for name, pattern in _IO_COLUMNS if pattern.fullmatch(title.lower())), "")


def _direction(table: Table) -> Direction:
    """By the titles of the columns, which stand beside the figures; by the table's title where they were lost."""
    titles = " ".join(table.columns)
    if _READS.search(titles) or _WRITES.search(titles):
        return "write" if _WRITES.search(titles) else "read"
    return table.direction or "read"


def _unknown_columns(table: Table, names: Sequence[str]) -> Iterator[Problem]:
    for title, name in zip(table.columns, names, strict=False):
        if not name:
            message = f'"{title[:80]}" is a column that no known layout has: kept as it stands, used nowhere'
            yield Problem("unknown-field", message, where=title[:80], line=table.line)


def _table_problems(table: Table) -> Iterator[Problem]:
    name = f'the table "{table.title or "File Stats"}"'
    for line in table.broken:
        yield _torn_row(line)
    if table.ignored is not None:
        message = f"{name} has more than {len(table.rows):,} rows: those from line {table.ignored} on were not read"
        yield Problem("limit", message, loses_data=True, line=table.ignored)
    if not _has_end(table):
        message = f"{name} has no closing line: rows after line {table.last or table.line} are missing, if it had any"
        yield Problem("unterminated", message, loses_data=True, line=table.line)


def _has_end(table: Table) -> bool:
    return table.csv or table.ruled_off


def _torn_row(line: int) -> Problem:
    message = f"line {line} is torn: a row with too few cells or without its name was left out"
    return Problem("torn", message, loses_data=True, line=line)


def _has_rank_level(table: Table) -> bool:
    return any(_PE_LEVEL.fullmatch(label) and "HIDE" not in label for label in table.labels) or not table.labels


def _place(row: Row, above: dict[int, Place], with_ranks: bool) -> Place:
    """Which file and rank a row is of, by its own label and those of the levels above it."""
    if row.level == 0 and _TOTAL.match(row.label):
        return Place(None, None)
    parent = next((above[level] for level in range(row.level - 1, 0, -1) if level in above), Place(None, None))
    rank = _RANK.fullmatch(row.label) if with_ranks or row.level > 1 else None
    place = Place(row.label, parent.rank) if rank is None else Place(parent.file, int(rank.group(1)))
    above[row.level] = place
    for level in [level for level in above if level > row.level]:
        del above[level]
    return place


def _csv_place(row: Row, above: dict[int, Place]) -> Place:
    """As `_place`; in CSV a label has those of the levels above it in front ("USER/pe.0")."""
    parent = above.get(row.level - 1)
    if row.level < 2 or parent is None:
        return _place(row, above, with_ranks=True)
    rank = _RANK_IN_CSV.fullmatch(row.label)
    if rank is not None and parent.rank is None:
        return Place(parent.file, int(rank.group(2)))
    return Place(row.label.removeprefix(f"pe.{parent.rank}/"), parent.rank)


_WITH_DECIMALS: Final = ("time", "mib", "rate")


def _figures(
    row: Row, names: Sequence[str], columns: Sequence[str]
) -> tuple[dict[str, float | None], tuple[Problem, ...]]:
    """The figures of one row by the name of their column, and what is wrong with them."""
    values: dict[str, float | None] = {}
    problems: list[Problem] = []
    for position, (name, text) in enumerate(zip(names, row.cells, strict=False)):
        if not name:
            continue
        read = measure(text)
        if name in _WITH_DECIMALS and read.number and "." not in text:
            read = Count(None, "torn", "it has no decimals, which all have: cut on the left. Left out")
        values[name] = read.number
        if read.code is not None:
            title = columns[position] if position < len(columns) else name
            problems.append(
                Problem(read.code, _problem_text(title, text, row.line, read.why), loses_data=True, line=row.line)
            )
    if NO_VALUE in row.cells and values.get("mib") is None and values.get("bytes_per_call") == 0:
        position = names.index("mib") if "mib" in names else -1
        # CrayPat prints 0 MiBytes as "--"; that the calls moved 0 bytes each says that it is this, and not unknown.
        if position >= 0 and row.cells[position] == NO_VALUE:
            values["mib"] = 0.0
    return values, tuple(problems)


def _io_row(row: Row, place: Place, values: dict[str, float | None], aggregation: PatAggregation) -> PatIoRow:
    file, rank = place
    ranks = values.get("ranks")
    return PatIoRow(
        file=file,
        rank=rank,
        noise=noise(file) if file is not None else None,
        aggregation=aggregation if rank is None else "one-rank",
        line=row.line,
        printed_time_s=values.get("time"),
        printed_mib=values.get("mib"),
        printed_calls=values.get("calls"),
        rate_per_rank_stream_mib_s=values.get("rate"),
        bytes_per_call=values.get("bytes_per_call"),
        ranks=int(ranks) if ranks is not None and ranks == int(ranks) else None,
        texts=row.cells,
    )


def _rank_selection(table: Table, has_rank_rows: bool) -> str | None:
    for label in table.labels:
        match = _PE_LEVEL.fullmatch(label)
        if match is not None:
            return match.group(1) or "ALL"
        if table.csv and label.endswith("/PE"):
            return "ALL"
    return None if has_rank_rows or not table.labels else "HIDE"


def _osts(text: str, count: int | None) -> tuple[int, ...]:
    """The numbers of the list if there are as many as stripes; what stands between them is documented nowhere."""
    words = [word for word in re.split(r"[\s,;]+", text) if word]
    if not words or len(words) != count or not all(re.fullmatch(r"[0-9]{1,9}", word) for word in words):
        return ()
    return tuple(int(word) for word in words)


def _column(table: Table, pattern: re.Pattern[str]) -> int | None:
    return next((i for i, title in enumerate(table.columns) if pattern.fullmatch(title.lower())), None)


def _cell(row: Row, column: int | None, columns: Sequence[str]) -> tuple[float | None, tuple[Problem, ...]]:
    if column is None or column >= len(row.cells):
        return None, ()
    read = measure(row.cells[column])
    if read.code is None:
        return read.number, ()
    message = _problem_text(columns[column], row.cells[column], row.line, read.why)
    return None, (Problem(read.code, message, loses_data=True, line=row.line),)


def _wrong(title: str, text: str, line: int, why: str) -> Problem:
    return Problem("unrecognised-number", _problem_text(title, text, line, why), loses_data=True, line=line)


def _problem_text(title: str, text: str, line: int, why: str) -> str:
    return f'"{title[:80]}" is {text[:60]} on line {line}: {why}'
