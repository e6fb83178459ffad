"""The rows of darshan-dxt-parser: one line a call, one block a file and rank."""

from __future__ import annotations

import re
from array import array
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Final

import numpy as np

from iotriage_parsers.evidence import SEGMENT, DxtTrace, Job, LustreLayout, Problem
from iotriage_parsers.evidence.dxt import DxtLayer
from iotriage_parsers.readers.darshan_log.lustre import Component, layout_of
from iotriage_parsers.readers.darshan_log.values import Run, untrue_calls

FIRST: Final = "# DXT, file_id:"
MOST_FILES: Final = 1_000_000

_LAYERS: Final[Mapping[str, DxtLayer]] = {"X_POSIX": "POSIX", "X_MPIIO": "MPIIO"}
_FILE: Final = re.compile(r"# DXT, file_id: ([0-9]{1,20}), file_name:(?: (.*))?")
"""A mail may have put the name on the line below."""
_RANK: Final = re.compile(r"# DXT, rank: (-?[0-9]{1,18}), hostname: (.*)")
_COUNTS: Final = re.compile(r"# DXT, write_count: ([0-9]{1,18}), read_count: ([0-9]{1,18})\s*")
_STRIPES: Final = re.compile(r"# DXT, Lustre stripe_size: ([0-9]{1,18}), Lustre stripe_count: ([0-9]{1,18})\s*")
_OSTS: Final = re.compile(r"# DXT, Lustre OST obdidx:((?: [0-9]{1,9})*)\s*")
_COMPONENT: Final = re.compile(
    r"#\s*\[Component [0-9]{1,9}\] stripe_ext: ([0-9]{1,19}) - (EOF|[0-9]{1,20}), stripe_size: ([0-9]{1,18}), "
    r"stripe_count: ([0-9]{1,18})(?:, pool: (\S+))?, OSTs:((?: [0-9]{1,9})*)\s*"
)
_SECONDS: Final = r"-?[0-9]{1,12}\.[0-9]{1,12}|-?nan|-?inf"
_ROW: Final = (
    r" *(X_POSIX|X_MPIIO) +(-?[0-9]{1,18}) +(write|read)"  # module, rank, way
    r" +[0-9]{1,18}(?: +(-?[0-9]{1,19}))? +([0-9]{1,19})"  # segment, offset, length
    rf" +({_SECONDS}) +({_SECONDS})"  # start, end
    r"((?: *\[ *-?[0-9]{1,9}\])*)(?: +([0-9]{1,20}|N/A))?\s*"  # OSTs, thread
)
"""As `"%8s%8d%7s%9d%16d%16d%12.4f%12.4f"` prints it, and `"  [%3d]"` each OST (darshan-dxt-logutils.c). Older ones
print no offset of MPI-IO."""
_ROW_TEXT: Final = re.compile(_ROW)
_BROKEN: Final = re.compile(
    r" *X_(?:POSIX|MPIIO) +-?[0-9]{1,18} +(?:write|read) +[0-9]{1,18} +-?[0-9]{1,19} +[0-9]{1,19}"
    r"(?: +[0-9]{1,12}\.[0-9]{4})? *"
)
"""A row up to a time: what was broken within a figure makes no row with what follows."""
# `|(?!)`: until Python 3.11.5 a possessive group whose last try failed halfway went on from there.
# https://github.com/python/cpython/issues/106052
_ROWS: Final = re.compile(
    rb"(?: *+X_(?:POSIX|MPIIO) ++-?[0-9]{1,18}+ ++(?:write|read) ++[0-9]{1,18}+ ++"
    rb"(?:-?[0-9]{1,19}+ ++|(?!))?+[0-9]{1,18}+"
    rb" ++[0-9]{1,12}+\.[0-9]{4,12}+ ++[0-9]{1,12}+\.[0-9]{4,12}+"
    rb"(?: *+\[ *+-?[0-9]{1,9}+\]|(?!))*+(?: ++(?:[0-9]{1,20}+|N/A)|(?!))?+ *+\r?\n|(?!))++"
)
_BRACKETS: Final = re.compile(rb"\[[^\]\n]*\]")
_UNKNOWN_THREAD: Final = 0
_DECIMALS: Final = 4


@dataclass(slots=True)
class _Block:
    """One file and rank at one layer: what its heading says, and how many rows came."""

    record: int
    rank: int | None = None
    writes: int | None = None
    reads: int | None = None
    rows: int = 0
    has_threads: bool = False
    stripe_size: int | None = None
    stripe_count: int | None = None
    components: list[Component] = field(default_factory=list)


class _Calls:
    """The columns of one layer."""

    def __init__(self) -> None:
        self.record, self.rank, self.write = array("Q"), array("q"), array("b")
        self.offset, self.length = array("q"), array("q")
        self.start, self.end, self.thread = array("d"), array("d"), array("Q")


class Traces:
    """Collects the calls of a text. `names` are file names by record id, `hostnames` nodes by rank."""

    def __init__(self) -> None:
        self.names: dict[int, str] = {}
        self.hostnames: dict[int, str] = {}
        self.layouts: dict[int, LustreLayout] = {}
        self._calls: dict[DxtLayer, _Calls] = {}
        self._block: _Block | None = None
        self._without_file = 0
        self._short: list[tuple[int, int, int]] = []
        self._short_blocks = 0
        self._other_rank = 0
        self._bad = 0
        self._cut = 0
        self._broken = ""

    def __bool__(self) -> bool:
        return bool(self._calls) or self._block is not None

    def heading(self, text: str) -> bool:
        """Whether the line, which begins with `#`, is one of a block's heading."""
        if found := _FILE.fullmatch(text):
            self.close_block()
            record = int(found[1])
            self._block = _Block(record)
            if record < 2**64 and len(self.names) < MOST_FILES and found[2]:
                self.names.setdefault(record, found[2].rstrip())
            return True
        block = self._block
        if block is None:
            return text.startswith("# DXT, ")
        if found := _RANK.fullmatch(text):
            block.rank = int(found[1])
            if found[2].strip() and len(self.hostnames) < MOST_FILES:
                self.hostnames.setdefault(block.rank, found[2].strip())
        elif found := _COUNTS.fullmatch(text):
            block.writes, block.reads = int(found[1]), int(found[2])
        elif found := _STRIPES.fullmatch(text):
            block.stripe_size, block.stripe_count = int(found[1]), int(found[2])
        elif found := _OSTS.fullmatch(text):
            osts = tuple(map(int, found[1].split()))
            # A list that is shorter than what it is said to be was broken, within a number perhaps.
            stated = len(osts) if block.stripe_count is None else block.stripe_count
            whole = osts if len(osts) == stated else ()
            block.components.append(Component(block.stripe_size or 0, stated, 0, -1, "", whole))
        elif found := _COMPONENT.fullmatch(text):
            end = -1 if found[2] == "EOF" else int(found[2])
            osts = tuple(map(int, found[6].split()))
            block.components.append(Component(int(found[3]), int(found[4]), int(found[1]), end, found[5] or "", osts))
        elif text.startswith("# Module") and "Wt/Rd" in text:
            block.has_threads = "Pthread-ID" in text
        else:
            return text.startswith("# DXT, ")
        return True

    def take(self, data: bytes, start: int, end: int) -> int:
        """Reads all plain rows from `start` on; returns where they end."""
        block = self._block
        if block is None or not block.record < 2**64:
            return start
        found = _ROWS.match(data, start, end)
        if found is None:
            return start
        rows = _BRACKETS.sub(b"", found.group())
        lines = rows.count(b"\n")
        cells = rows.split()
        first = rows[: rows.index(b"\n")].split()
        width = len(first)
        threads = b"." not in first[-1]
        offsets = width - threads == 8
        if len(cells) != lines * width or len(set(cells[0::width])) != 1:
            return self._line_by_line(found.group(), start)
        # With as many cells in all, a line with one more and one with one less still shift the columns.
        ways, starts, ends = cells[2::width], cells[5 + offsets :: width], cells[6 + offsets :: width]
        plain = {b"write", b"read"}.issuperset(ways) and all(b"." in cell for cell in (*starts, *ends))
        if not plain or (threads and any(b"." in cell for cell in cells[width - 1 :: width])):
            return self._line_by_line(found.group(), start)
        calls = self._calls.setdefault(_LAYERS[first[0].decode("ascii")], _Calls())
        calls.record.extend([block.record] * lines)
        ranks = list(map(int, cells[1::width]))
        self._other_rank += 0 if block.rank is None else lines - ranks.count(block.rank)
        calls.rank.extend(ranks)
        calls.write.extend([way == b"write" for way in ways])
        calls.offset.extend(map(_offset, cells[4::width]) if offsets else [-1] * lines)
        calls.length.extend(map(int, cells[4 + offsets :: width]))
        calls.start.extend(map(float, starts))
        calls.end.extend(map(float, ends))
        calls.thread.extend(map(_thread, cells[width - 1 :: width]) if threads else [_UNKNOWN_THREAD] * lines)
        block.rows += lines
        return found.end()

    def row(self, text: str, *, ended: bool) -> bool:
        """Whether the line is a row, or one of the two pieces that a mail made of it. A last row without its line end
        is not taken where digits may be lost. Where the text came through another program, tabs part its cells."""
        text = text.replace("\t", " ")
        broken, self._broken = self._broken, ""
        found = _ROW_TEXT.fullmatch(text) or (_ROW_TEXT.fullmatch(f"{broken} {text}") if broken else None)
        if found is None:
            self._broken = text if _BROKEN.fullmatch(text) else ""
            return bool(self._broken)
        block = self._block
        if block is None:
            self._without_file += 1
            return True
        if not ended and not _is_whole(found, block.has_threads):
            return True
        if _lacks_decimals(found[7]):
            self._cut += 1
            return True
        thread = _thread((found[9] or "N/A").encode())
        offset, length = int(found[4] or -1), int(found[5])
        start, end = float(found[6]), float(found[7])
        if max(offset, length) >= 2**63 or offset < -1 or thread >= 2**64 or block.record >= 2**64:
            self._bad += 1
            return True
        rank = int(found[2])
        self._other_rank += block.rank is not None and rank != block.rank
        calls = self._calls.setdefault(_LAYERS[found[1]], _Calls())
        calls.record.append(block.record)
        calls.rank.append(rank)
        calls.write.append(found[3] == "write")
        calls.offset.append(offset)
        calls.length.append(length)
        calls.start.append(start)
        calls.end.append(end)
        calls.thread.append(thread)
        block.rows += 1
        return True

    def close_block(self) -> None:
        """Compares a block's rows with what its heading promises."""
        block, self._block = self._block, None
        if block is None:
            return
        if block.components and block.record not in self.layouts and len(self.layouts) < MOST_FILES:
            self.layouts[block.record] = layout_of(block.record, tuple(block.components))
        promised = None if block.writes is None or block.reads is None else block.writes + block.reads
        if promised is None or promised != block.rows:
            self._short_blocks += 1
            if len(self._short) < 1:
                self._short.append((block.record, block.rows, -1 if promised is None else promised))

    def result(self, job: Job, flagged: frozenset[DxtLayer]) -> tuple[tuple[DxtTrace, ...], list[Problem]]:
        """The traces of each layer; one without calls where no layer has any. `flagged` are the layers that Darshan
        itself calls incomplete."""
        self.close_block()
        problems = self._problems()
        partial = bool(problems)
        traces = []
        for layer, calls in (self._calls or {"POSIX": _Calls()}).items():
            segments = np.empty(len(calls.record), SEGMENT)
            for name in SEGMENT.names or ():
                segments[name] = np.array(getattr(calls, name), SEGMENT[name])
            kept, complaints = _without_untrue(layer, segments, Run(job.nprocs, job.runtime_s))
            kept.flags.writeable = False
            problems += complaints
            records, ranks = np.unique(kept["record"]).tolist(), np.unique(kept["rank"]).tolist()
            traces.append(
                DxtTrace(
                    layer=layer,
                    segments=kept,
                    hostnames={rank: self.hostnames[rank] for rank in ranks if rank in self.hostnames},
                    names={record: self.names[record] for record in records if record in self.names},
                    partial=partial or bool(complaints) or layer in flagged,
                    job=job,
                    lustre=tuple(self.layouts[record] for record in records if record in self.layouts),
                )
            )
        return tuple(traces), problems

    def _line_by_line(self, data: bytes, start: int) -> int:
        for line in data.splitlines():
            self.row(line.decode("ascii"), ended=True)
        return start + len(data)

    def _problems(self) -> list[Problem]:
        found = []
        if self._short_blocks:
            record, rows, promised = self._short[0]
            name = self.names.get(record, str(record))
            promise = "its counts are missing" if promised < 0 else f"{promised:,} were promised"
            found.append(
                Problem(
                    "truncated",
                    f"DXT: {self._short_blocks:,} of the blocks of a file and rank are not whole (first: {name[-80:]}, "
                    f"{rows:,} calls are there and {promise}): figures from the trace are lower bounds.",
                    loses_data=True,
                    where="DXT",
                )
            )
        if self._without_file:
            found.append(_problem("damaged", f"{self._without_file:,} calls stand under no file; they are left out."))
        if self._other_rank:
            found.append(_problem("damaged", f"{self._other_rank:,} calls name another rank than their heading."))
        if self._cut:
            message = f"{self._cut:,} calls end within their last time: lines are cut at a column. They are left out."
            found.append(Problem("cut-lines", f"DXT: {message}", loses_data=True, where="DXT"))
        if self._bad:
            found.append(_problem("out-of-range", f"{self._bad:,} calls have numbers beyond 64 bits; left out."))
        return found


def _is_whole(row: re.Match[str], has_threads: bool) -> bool:
    """Times have four decimals, an OST a bracket behind it; of a thread's number the end cannot be determined."""
    if has_threads:
        return row[9] == "N/A"
    return bool(row[8]) or not _lacks_decimals(row[7])


def _lacks_decimals(time: str) -> bool:
    """Times have four; nan and inf none."""
    return "." in time and len(time.rpartition(".")[2]) < _DECIMALS


def _without_untrue(
    layer: DxtLayer, segments: np.ndarray[tuple[int], np.dtype[np.void]], run: Run
) -> tuple[np.ndarray[tuple[int], np.dtype[np.void]], list[Problem]]:
    bad_rank = segments["rank"] < 0
    if run.nprocs is not None:
        bad_rank |= segments["rank"] >= run.nprocs
    untrue = ((bad_rank, "a rank that the job cannot have"), *untrue_calls(segments, run))
    keep = np.ones(len(segments), np.bool_)
    problems = []
    for bad, what in untrue:
        count = int((bad & keep).sum())
        if count:
            problems.append(_problem("out-of-range", f"{count:,} {layer} calls have {what}; left out."))
        keep &= ~bad
    return (segments[keep] if problems else segments), problems


def _problem(code: str, message: str) -> Problem:
    return Problem("damaged" if code == "damaged" else "out-of-range", f"DXT: {message}", loses_data=True, where="DXT")


def _offset(cell: bytes) -> int:
    """Beyond 64 bits nothing is an offset; Darshan's mark for not available is −1."""
    number = int(cell)
    return number if -1 <= number < 2**63 else -1


def _thread(cell: bytes) -> int:
    """Pthread ids are 64 bits without sign; `N/A` where Darshan did not record them."""
    number = _UNKNOWN_THREAD if cell == b"N/A" else int(cell)
    return number if number < 2**64 else _UNKNOWN_THREAD
