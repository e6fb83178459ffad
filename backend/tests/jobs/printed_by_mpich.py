"""What Cray MPICH prints of a job's files, and profiles, made from what happened."""

from __future__ import annotations

import hashlib
from collections.abc import Mapping
from io import BytesIO
from pathlib import Path

from described import MIB, Work, log_of

from iotriage.analysis.document import CaseDocument
from iotriage.analysis.engine import diagnose
from iotriage.analysis.inputs import ReadSource
from iotriage_parsers.detect import read
from iotriage_parsers.evidence import Evidence

SAMPLES = Path(__file__).parents[3] / "sample-logs"


GIB = 2**30


CLOCK_HZ = 2.25e9


RANKS = range(512)


MOVERS = range(0, 512, 43)


LATE = {"imbalance": 0.3, "wait for coll": 0.85, "data send (*)": 0.02, "file write": 0.03}


STORAGE = {"wait for coll": 0.06, "data send (*)": 0.05, "file write": 0.85}


def statistics(file: str, moved: int, **changed: object) -> str:
    """What MPICH_MPIIO_STATS prints: whole stripes on 12 OSTs by 12 aggregators, but for what is `changed`."""
    fields: dict[str, object] = {
        "independent writes": 0,
        "collective writes": 5120,
        "independent writers": 0,
        "aggregators": 12,
        "stripe count": 12,
        "stripe size": MIB,
        "system writes": moved // MIB,
        "stripe sized writes": moved // MIB,
        "aggregators active": "0,0,0,5120 (1, <= 6, > 6, 12)",
        "total bytes for writes": f"{moved} = {moved // MIB} MiB",
        "ave system write size": MIB,
        "read-modify-write count": 0,
        "read-modify-write bytes": 0,
        "number of write gaps": 0,
        "ave write gap size": "NA",
    } | {name.replace("_", " "): value for name, value in changed.items()}
    rule = f"+{'-' * 56}+"
    lines = [f"|   {name:<23} = {value}" for name, value in fields.items()]
    return "\n".join((rule, f"| MPIIO write access patterns for {file}", *lines, rule)) + "\n"


PHASES = (
    "imbalance", "open/close/trunc", "local compute", "wait for coll", "collective", "exchange/write", "data send (*)",
    "file write", "other",
)  # fmt: skip


def phases(
    file: str,
    moved: int,
    took_s: float,
    shares: Mapping[str, float],
    least: Mapping[str, float] | None = None,
    most: Mapping[str, float] | None = None,
) -> str:
    """What MPICH_MPIIO_TIMERS prints of the same close: 12 of 512 ranks access the file."""
    rule, ticks = f"+{'-' * 74}+", took_s * CLOCK_HZ / 2**6
    rows = [
        f"|   {name:<30} = {int((least or {}).get(name, 0.0) * ticks):10d}  "
        f"{int((most or {}).get(name, min(1.0, 1.3 * share)) * ticks):10d}  {int(share * ticks):10d} {share:.0%}"
        for name in PHASES
        for share in [shares.get(name, 0.0)]
    ]
    rates = {"data send": shares.get("data send (*)", 0.01), "raw write": shares["file write"], "net write": 1.0}
    return (
        "\n".join(
            (
                rule,
                f"| MPIIO write by phases, all ranks, for {file}",
                "|   number of ranks writing        =    12",
                "|   number of ranks not writing    =   500",
                "|   time scale: 1 = 2**6     clock ticks    min         max         ave",
                f"|   total                          =                         {int(ticks):10d}",
                *rows,
                *(
                    f"|   {f'{name} BW (MiB/s)':<30} =                           {moved / MIB / took_s / share:10.3f}"
                    for name, share in rates.items()
                ),
                rule,
            )
        )
        + "\n"
    )


def printed(*blocks: str) -> bytes:
    return "".join(("+ srun --nodes=4 --ntasks=512 ./app\n", *blocks, " app: done\n")).encode()


def written(file: str, took_s: float, shares: Mapping[str, float], moved: int = 24 * GIB) -> str:
    return statistics(file, moved) + phases(file, moved, took_s, shares)


def profile(
    *rows: tuple[str, float, float, int, float], way: str = "Write", run_s: float = 100.0, more: str = ""
) -> bytes:
    """A report of perftools-lite of 512 ranks; of each file the mean seconds, MiB, ranks and calls of a rank that used
    it."""
    who, table = {"Write": "Writer", "Read": "Reader"}[way], {"Write": "Output", "Read": "Input"}[way]
    header = (
        (f"Avg {way}", f"Avg {way}", f"{way} Rate", "Number", "Avg", "Bytes/", "File Name=!x/^/(proc|sys)/"),
        ("Time per", "MiBytes", "MiBytes/sec", "of", f"{way}s", "Call", " PE=HIDE"),
        (who, "per", "", who, "per", "", ""),
        ("Rank", who, "", "Ranks", who, "", ""),
        ("", "Rank", "", "", "Rank", "", ""),
    )
    lines = [" " + " | ".join(cell.rjust(12) for cell in cells[:6]) + " | " + cells[6] for cells in header]
    lines += ["|" + "-" * 90]
    lines += [
        f"| {s:12.6f} | {mib:12,.6f} | {mib / s:12.6f} | {ranks:12,} | {n:12,.1f} | {mib * MIB / n:12,.2f} | {file}"
        for file, s, mib, ranks, n in rows
    ]
    return "\n".join(
        (
            "CrayPat/X:  Version 21.09.0 Revision 5d1e07ab3  07/29/21 11:02:47",
            "Experiment:                  lite  lite-samples",
            "Number of PEs (MPI ranks):    512",
            "Numbers of PEs per Node:      128  PEs on each of  4  Nodes",
            f"Avg Process Time:       {run_s:.2f} secs",
            "",
            more,
            f"Table 2:  File {table} Stats by Filename",
            "",
            *lines,
            "|" + "=" * 90,
            "Program invocation:  ./app",
            "",
            "================  End of CrayPat-lite output  ==========================",
            "",
        )
    ).encode()


def case(*texts: bytes, work: Work | None = None) -> CaseDocument:
    sources = [ReadSource("job.darshan", "0" * 64, 1, Evidence("darshan_log", (log_of(work),)))] if work else []
    for i, text in enumerate(texts):
        digest = hashlib.sha256(text).hexdigest()
        sources.append(ReadSource(f"{i}.txt", digest, len(text), read(BytesIO(text))))
    return diagnose(sources)


def takes(document: CaseDocument, rule: str) -> float | None:
    return next(f.takes_s for f in document.findings if f.rule == rule and f.verdict == "triggered")


WAITED = {"wait for coll": 0.78, "data send (*)": 0.18, "file write": 0.10}


def hinted(file: str, **hints: str) -> str:
    """What MPICH_MPIIO_HINTS_DISPLAY prints of the file."""
    lines = [f"          {name:<24} = {value}" for name, value in ({"romio_cb_read": "automatic"} | hints).items()]
    return "\n".join((f"PE 0: MPIIO hints for {file}:", *lines)) + "\n"
