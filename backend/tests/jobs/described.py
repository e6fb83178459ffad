"""A job in a few lines, and the counters that Darshan would keep of it.

A `Part` is what some ranks do with one file, or with files of one name a rank each, through one layer. A file that all
ranks used has one reduced record with its variances and its slowest rank, as Darshan's runtime leaves it.
"""

from __future__ import annotations

import hashlib
from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, fields, replace
from functools import cache, lru_cache
from itertools import chain
from operator import attrgetter

import numpy as np
from evidence_by_hand import log, table
from numpy.typing import NDArray

from iotriage.analysis.document import CaseDocument
from iotriage.analysis.engine import diagnose
from iotriage.analysis.inputs import ReadSource
from iotriage_parsers.evidence import CounterTable, DarshanLog, DxtTrace, Evidence, Heatmap, LustreLayout
from iotriage_parsers.evidence.dxt import SEGMENT
from iotriage_parsers.evidence.job import Mount
from iotriage_parsers.frozen import frozen

KIB, MIB, GIB = 2**10, 2**20, 2**30
BINS = ("0_100", "100_1K", "1K_10K", "10K_100K", "100K_1M", "1M_4M", "4M_10M", "10M_100M", "100M_1G", "1G_PLUS")
ENDS = (100, KIB, 10 * KIB, 100 * KIB, MIB, 4 * MIB, 10 * MIB, 100 * MIB, GIB)
Seconds = float | Sequence[float]


@frozen
class Part:
    """What each of `ranks` does: `writes` of `size` bytes in `write_s` seconds, and so on. Seconds may differ by rank.
    `{}` in `path` is the rank: a file each. `reach` is the last byte, where it is not what the ranks move together.
    `in_order` is the share of accesses that go on where the rank stopped, `forward` of the others that which goes on
    further ahead; `begins_s` when the first access is made, and who `closes` the file after the last has told when.
    `longest_s` is the longest read or write, where that is known."""

    path: str
    ranks: range
    layer: str = "POSIX"
    writes: int = 0
    reads: int = 0
    size: int = MIB
    write_s: Seconds = 0.0
    read_s: Seconds = 0.0
    meta_s: Seconds = 0.001
    opens: int = 1
    stats: int = 0
    mmaps: int = 0
    seeks: int = 0
    closes: bool = False
    syncs: int = 0
    collective: bool = False
    nonblocking: bool = False
    in_order: float = 1.0
    forward: float = 0.5
    begins_s: float = 1.0
    reads_first: bool = False
    aligned: bool = True
    reach: int | None = None
    longest_s: float | None = None
    osts: tuple[int, ...] = ()
    stripe: int = MIB


@frozen
class Call:
    """One traced write of POSIX, and how long it took."""

    path: str
    rank: int
    offset: int
    length: int
    start_s: float
    took_s: float


@dataclass(frozen=True, slots=True)
class Work:
    """A job: `runtime_s` of `nprocs` ranks doing these parts. Where it `reduces` not, each rank keeps its own record of
    what all ranks use. Its `nodes` are only counted where they are not `named`. `traced` are its POSIX calls as DXT has
    them."""

    parts: tuple[Part, ...]
    nprocs: int
    runtime_s: float | None
    program: str = "/sw/app"
    nodes: int | None = None
    named: bool = True
    mounts: tuple[tuple[str, str], ...] = (("/scratch", "lustre"), ("/home", "nfs"), ("/tmp", "tmpfs"))
    osts_in_fs: int | None = 48
    pool: str | None = None
    partial: tuple[str, ...] = ()
    site: str | None = None
    reduces: bool = True
    traced: tuple[Call, ...] = ()
    heat: tuple[Heatmap, ...] = ()

    def __hash__(self) -> int:
        """By what tells most jobs apart: to look at thousands of parts takes as long as a tenth of the diagnosis."""
        first = self.parts[0].path if self.parts else None
        return hash((self.nprocs, self.runtime_s, self.program, self.nodes, len(self.parts), first))


def uneven(ranks: int, mean_s: float) -> tuple[float, ...]:
    """Seconds of each rank, a tenth up and down."""
    return tuple((mean_s * (1 + 0.1 * np.sin(np.arange(ranks)))).tolist())


def osts(number: int, first: int = 0) -> tuple[int, ...]:
    """So many of 48 OSTs, one after the other."""
    return tuple((first + i) % 48 for i in range(number))


def own(ranks: int) -> tuple[int, ...]:
    """An OST for the file of each rank."""
    return tuple(rank % 48 for rank in range(ranks))


def collective(path: str, ranks: range, movers: range, seconds: float, lies_on: tuple[int, ...]) -> tuple[Part, Part]:
    """A shared file written with collective calls: 640 MiB a rank of `movers` below them."""
    share = 40 * len(movers) // len(ranks) or 1
    return (
        Part(path, ranks, "MPI-IO", writes=share, size=16 * MIB, write_s=seconds, collective=True),
        Part(path, movers, writes=40, size=16 * MIB, write_s=seconds * 0.9, in_order=0.2, osts=lies_on),
    )


@lru_cache(128)
def document(*works: Work) -> CaseDocument:
    """The case document of the job whose steps these are; several tests look at one, or build the same again."""
    digests = (hashlib.sha256(bytes([i])).hexdigest() for i in range(len(works)))
    return diagnose(
        [
            ReadSource("job.darshan", d, 1, Evidence("darshan_log", (log_of(w), *_trace(w))))
            for d, w in zip(digests, works, strict=True)
        ],
        works[0].site,
    )


def in_steps(*works: tuple[Work, float]) -> CaseDocument:
    """The case document of the job whose steps these are, each with the seconds from the job's start to its own."""
    given = [
        ReadSource(f"{i}.darshan", f"{i:064}", 1, Evidence("darshan_log", (log_at(work, after_s), *_trace(work))))
        for i, (work, after_s) in enumerate(works)
    ]
    return diagnose(given, works[0][0].site)


def number(found: CaseDocument, metric: str) -> float:
    value = found.metrics[metric].value
    assert isinstance(value, int | float), metric
    return float(value)


def above_info(document: CaseDocument) -> dict[str, str]:
    """The rules whose findings are worth attention, with their severities, the first named first."""
    found = [f for f in document.findings if f.verdict == "triggered" and f.severity != "info"]
    return {f.rule: f.severity for f in reversed(found)}


def seconds_of(work: Work) -> dict[str, float]:
    """What the findings above info take of this job's time."""
    found = document(work).findings
    return {f.rule: round(f.takes_s or 0.0, 1) for f in found if f.verdict == "triggered" and f.severity != "info"}


def records_of(work: Work) -> dict[str, int]:
    """As Darshan does, a record has the hash of its file's name: the logs of one job have the same for one file."""
    return _records(_named(work))


def _named(work: Work) -> list[tuple[Part, list[str]]]:
    """The parts, each with the names of its files: one, or one for each rank."""
    return [
        (part, list(map(part.path.format, part.ranks)) if "{}" in part.path else [part.path]) for part in work.parts
    ]


def _records(named: Iterable[tuple[Part, list[str]]]) -> dict[str, int]:
    names = dict.fromkeys(chain.from_iterable(names for _, names in named))
    return dict(zip(names, map(_record, names), strict=True))


@lru_cache(2**17)
def _record(name: str) -> int:
    return int.from_bytes(hashlib.sha256(name.encode()).digest()[:7])


def _trace(work: Work) -> tuple[DxtTrace, ...]:
    if not work.traced:
        return ()
    record = records_of(work)
    rows = [(record[c.path], c.rank, True, c.offset, c.length, c.start_s, c.start_s + c.took_s, 0) for c in work.traced]
    return (DxtTrace("POSIX", np.array(rows, dtype=SEGMENT), {}, {i: path for path, i in record.items()}),)


def log_of(work: Work) -> DarshanLog:
    named = _named(work)
    record = _records(named)
    tables = [t for layer in ("POSIX", "MPI-IO", "STDIO") if (t := _table(work, layer, named, record)) is not None]
    made = log(
        *tables,
        nprocs=work.nprocs,
        runtime_s=work.runtime_s,
        partial=work.partial,
        names={i: path for path, i in record.items()},
        lustre=tuple(_layouts(work, named, record)),
        hostnames={}
        if work.nodes is None or not work.named
        else {r: f"nid{r * work.nodes // work.nprocs:06}" for r in range(work.nprocs)},
    )
    job = replace(
        made.job,
        executable=work.program.partition(" ")[0],
        command_line=work.program,
        nnodes=work.nodes,
        mounts=tuple(Mount(path, kind) for path, kind in work.mounts),
    )
    return replace(made, job=job, heatmaps=work.heat)


def log_at(work: Work, after_s: float) -> DarshanLog:
    """The log of a step that starts so many seconds after its job."""
    log, began = log_of(work), 1.7e9 + after_s
    return replace(log, job=replace(log.job, start_time=began, end_time=began + (work.runtime_s or 0.0)))


def _layouts(work: Work, named: Iterable[tuple[Part, list[str]]], record: dict[str, int]) -> Iterable[LustreLayout]:
    seen = set()
    for part, paths in named:
        if not part.osts:
            continue
        one = "{}" in part.path and len(part.osts) > 1 and len(part.osts) >= len(part.ranks)
        for i, path in enumerate(paths):
            if path not in seen:
                seen.add(path)
                osts = (part.osts[i],) if one else part.osts
                layout = LustreLayout(record[path], part.stripe, len(osts), osts, work.osts_in_fs, 1)
                yield layout if work.pool is None else replace(layout, pool=work.pool)


class _Counters(dict[str, float]):
    """Counters of one rank in one file. They equal themselves alone: what many ranks and files have in common is looked
    at once."""

    __eq__ = object.__eq__
    __hash__ = object.__hash__


_OfFiles = dict[str, dict[int, _Counters]]


def _table(
    work: Work, layer: str, named: Iterable[tuple[Part, list[str]]], record: dict[str, int]
) -> CounterTable | None:
    by_file: _OfFiles = {}
    alike: dict[object, _Counters] = {}
    for part, paths in named:
        if part.layer == layer:
            _add(by_file, part, paths, alike)
    rows: list[tuple[int, int, dict[str, float]]] = []
    reduced: dict[object, dict[str, float]] = {}
    for path, of_rank in by_file.items():
        if not (work.reduces and len(of_rank) == work.nprocs > 1):
            rows += [(record[path], rank, counters) for rank, counters in of_rank.items()]
            continue
        same = tuple(of_rank.items())
        if same not in reduced:
            reduced[same] = _reduced(of_rank, PREFIXES[layer])
        rows.append((record[path], -1, reduced[same]))
    return table(layer, *rows) if rows else None


def _add(by_file: _OfFiles, part: Part, paths: Sequence[str], alike: dict[object, _Counters]) -> None:
    """Adds what the part's ranks did with its files. Many parts differ in the names of their files alone: their
    counters are kept in `alike`."""
    prefix, shared = PREFIXES[part.layer], "{}" not in part.path
    of_all = None
    if all(isinstance(took, float | int) for took in (part.write_s, part.read_s, part.meta_s)):
        what = (_what_each_does(part), shared and len(part.ranks))
        of_all = alike.get(what)
        if of_all is None:
            of_all = alike[what] = _Counters(_of_each_rank(part, prefix) | _timed(part, 0, prefix))
    if of_all is not None and by_file.keys().isdisjoint(paths):
        if shared:
            by_file[part.path] = dict.fromkeys(part.ranks, of_all)
        else:
            by_file.update({path: {rank: of_all} for path, rank in zip(paths, part.ranks, strict=True)})
        return
    of_each = {} if of_all is not None else _of_each_rank(part, prefix)
    for i, rank in enumerate(part.ranks):
        of_file = by_file.setdefault(paths[0 if shared else i], {})
        counters = of_all or _Counters(of_each | _timed(part, i, prefix))
        before = of_file.get(rank)
        of_file[rank] = counters if before is None else _joined(before, counters)


PREFIXES = {"POSIX": "POSIX", "MPI-IO": "MPIIO", "STDIO": "STDIO"}
_what_each_does = attrgetter(*(f.name for f in fields(Part) if f.name not in ("path", "ranks", "osts", "stripe")))


def _of(value: Seconds, i: int) -> float:
    return float(value) if isinstance(value, int | float) else float(value[i])


def _of_each_rank(part: Part, prefix: str) -> dict[str, float]:
    """The counters that are the same on every rank: all but times."""
    moved = {"WRITE": part.writes, "READ": part.reads}
    kind = "COLL" if part.collective else "INDEP"
    found: dict[str, float] = {}
    reach = part.reach
    if reach is None:
        shared = 1 if "{}" in part.path else len(part.ranks)
        reach = max(moved.values()) * part.size * shared
    for way, calls in moved.items():
        done = "WRITTEN" if way == "WRITE" else "READ"
        if prefix == "MPIIO":
            found[f"MPIIO_{'NB' if part.nonblocking else kind}_{way}S"] = calls
        else:
            found[f"{prefix}_{way}S"] = calls
            found[f"{prefix}_MAX_BYTE_{done}"] = max(0, reach - 1) if calls else 0
        found[f"{prefix}_BYTES_{done}"] = calls * part.size
        if prefix != "STDIO":
            found[f"{prefix}_SIZE_{way}_{'AGG_' if prefix == 'MPIIO' else ''}{_bin(part.size)}"] = calls
        if prefix == "POSIX":
            found[f"POSIX_CONSEC_{way}S"] = int(part.in_order * max(0, calls - 1))
            found[f"POSIX_SEQ_{way}S"] = int((part.in_order + (1 - part.in_order) * part.forward) * max(0, calls - 1))
    if part.longest_s is not None and prefix != "STDIO":
        ways = [way for way, calls in moved.items() if calls]
        found |= {f"{prefix}_F_MAX_{way}_TIME": part.longest_s for way in ways}
        found |= {f"{prefix}_MAX_{way}_TIME_SIZE": part.size for way in ways}
    opens = f"MPIIO_{kind}_OPENS" if prefix == "MPIIO" else f"{prefix}_OPENS"
    found[opens] = part.opens
    if prefix == "MPIIO":
        found["MPIIO_SYNCS"] = part.syncs
    elif prefix == "STDIO":
        found |= {"STDIO_FLUSHES": part.syncs, "STDIO_SEEKS": part.seeks}
    else:
        calls = part.writes + part.reads
        found |= {
            "POSIX_FSYNCS": part.syncs,
            "POSIX_STATS": part.stats,
            "POSIX_MMAPS": part.mmaps,
            "POSIX_SEEKS": part.seeks,
            "POSIX_FILE_ALIGNMENT": MIB,
            "POSIX_FILE_NOT_ALIGNED": 0 if part.aligned else calls,
        }
    if prefix != "STDIO" and part.writes + part.reads:
        found |= {f"{prefix}_ACCESS1_ACCESS": part.size, f"{prefix}_ACCESS1_COUNT": part.writes + part.reads}
    return found


def _timed(part: Part, i: int, prefix: str) -> dict[str, float]:
    """How long the calls of the part's rank `i` took, and when they were made."""
    found: dict[str, float] = {
        f"{prefix}_F_META_TIME": _of(part.meta_s, i),
        f"{prefix}_F_WRITE_TIME": _of(part.write_s, i),
        f"{prefix}_F_READ_TIME": _of(part.read_s, i),
    }
    found |= _times(part, i, prefix)
    if part.closes or (part.seeks and prefix == "POSIX"):
        ends = max(v for name, v in found.items() if name.endswith("END_TIMESTAMP"))
        opened = {
            f"{prefix}_F_OPEN_START_TIMESTAMP": part.begins_s - 0.2,
            f"{prefix}_F_OPEN_END_TIMESTAMP": part.begins_s,
        }
        found |= opened | {f"{prefix}_F_CLOSE_START_TIMESTAMP": ends, f"{prefix}_F_CLOSE_END_TIMESTAMP": ends + 0.1}
    return found


def _times(part: Part, i: int, prefix: str) -> dict[str, float]:
    """When the reads and the writes begin and end: one after the other."""
    ways = [("WRITE", part.writes, part.write_s), ("READ", part.reads, part.read_s)]
    found, at = {}, part.begins_s
    for way, calls, took in reversed(ways) if part.reads_first else ways:
        if calls:
            found |= {f"{prefix}_F_{way}_START_TIMESTAMP": at, f"{prefix}_F_{way}_END_TIMESTAMP": at + _of(took, i)}
            at += _of(took, i)
    return found


def _bin(size: int) -> str:
    return next((name for name, end in zip(BINS, ENDS, strict=False) if size <= end), BINS[-1])


@lru_cache(1024)
def _joined(one: _Counters, other: _Counters) -> _Counters:
    """The two, added up; the largest of offsets, the commonest access of the one with most bytes."""
    found = _Counters(one)
    for name, value in other.items():
        if _is_largest(name):
            found[name] = max(found.get(name, 0), value)
        elif "START_TIME" in name:
            found[name] = min(found.get(name, value), value)
        elif "ACCESS1" in name:
            taken = one.get(name.replace("ACCESS1_ACCESS", "ACCESS1_COUNT"), 0)
            found[name.replace("ACCESS1", "ACCESS2") if taken else name] = value
        else:
            found[name] = found.get(name, 0) + value
    return found


@cache
def _is_largest(name: str) -> bool:
    """Whether of several values of the counter Darshan keeps the largest."""
    return any(part in name for part in ("MAX_BYTE", "_F_MAX_", "_TIME_SIZE", "ALIGNMENT", "END_TIME"))


@cache
def _over_ranks(name: str) -> np.ufunc:
    """What Darshan makes of a counter's values where it reduces the records of all ranks to one."""
    if _is_largest(name) or name.endswith("_ACCESS"):
        return np.maximum
    return np.minimum if "START_TIME" in name else np.add


def _over_all(kinds: Sequence[dict[str, float]], times: Sequence[int]) -> dict[str, float]:
    """The counters of all ranks reduced to one record: of each kind of rank, and how many there are of it."""
    of_names: dict[tuple[str, ...], list[int]] = {}
    for at, counters in enumerate(kinds):
        of_names.setdefault(tuple(counters), []).append(at)
    found: dict[str, float] = {}
    for names, alike in of_names.items():
        values = np.array([list(kinds[at].values()) for at in alike])
        added = np.array([times[at] for at in alike]) @ values
        for i, name in enumerate(names):
            over = _over_ranks(name)
            value = float(added[i] if over is np.add else over.reduce(values[:, i]))
            found[name] = float(over(found[name], value)) if name in found else value
    return found


def _reduced(of_rank: dict[int, _Counters], prefix: str) -> dict[str, float]:
    # Ranks that do the same have their counters in common: each is asked once, however many ranks there are.
    ranks, times = list(of_rank), Counter(of_rank.values())
    kinds = list(times)
    place = {counters: at for at, counters in enumerate(kinds)}
    kind_of = np.array(list(map(place.__getitem__, of_rank.values())))

    def column(name: str) -> NDArray[np.float64]:
        return np.array([counters.get(name, 0.0) for counters in kinds], dtype=np.float64)[kind_of]

    found = _over_all(kinds, list(times.values()))
    moved = column(f"{prefix}_BYTES_READ") + column(f"{prefix}_BYTES_WRITTEN")
    took = sum((column(f"{prefix}_F_{way}_TIME") for way in ("READ", "WRITE", "META")), np.zeros(len(ranks)))
    slow, fast = int(took.argmax()), int(took.argmin())
    return found | {
        f"{prefix}_SLOWEST_RANK": ranks[slow],
        f"{prefix}_FASTEST_RANK": ranks[fast],
        f"{prefix}_SLOWEST_RANK_BYTES": moved[slow],
        f"{prefix}_FASTEST_RANK_BYTES": moved[fast],
        f"{prefix}_F_SLOWEST_RANK_TIME": took[slow],
        f"{prefix}_F_FASTEST_RANK_TIME": took[fast],
        f"{prefix}_F_VARIANCE_RANK_TIME": took.var(),
        f"{prefix}_F_VARIANCE_RANK_BYTES": moved.var(),
    }
