"""CrayPAT reports for tests, and ways to read them."""

from __future__ import annotations

import io
import os
from functools import cache
from pathlib import Path

from iotriage_parsers import detect
from iotriage_parsers.evidence import CrayPatReport, Evidence, Failure, PatIoRow
from iotriage_parsers.evidence.mpiio_stats import Direction
from iotriage_parsers.reader import Limits

REPOSITORY = Path(__file__).parents[2]
SAMPLES = REPOSITORY / "sample-logs" / "craypat"

OLD_HEAD = """\
     Write |      Write | Write Rate |   Writes |     Bytes/ |File Name[max10]
      Time |     MBytes | MBytes/sec |          |       Call | PE=HIDE
"""
OLD_ROWS = """\
  4.500000 | 192.000000 |  42.666667 |  6,144.0 |  32,768.00 |Total
|----------------------------------------------------------------------
|  4.000000 | 128.000000 |  32.000000 |  4,096.0 |  32,768.00 |out/a.dat
|  0.500000 |  64.000000 | 128.000000 |  2,048.0 |  32,768.00 |/dev/shm/b.tmp
|======================================================================
"""
OLD_TABLE = f"Table 4:  File Output Stats by Filename (maximum 10 shown)\n\n{OLD_HEAD}\n{OLD_ROWS}"

NEW_TABLE = """\
Table 6:  File Output Stats by Filename

      Avg |      Avg |  Write Rate | Number |    Avg |    Bytes/ | File Name=!x/^/(proc|sys)/
    Write |    Write | MiBytes/sec |     of | Writes |      Call |  PE=HIDE
 Time per |  MiBytes |             | Writer |    per |           |
   Writer |      per |             |  Ranks | Writer |           |
     Rank |   Writer |             |        |   Rank |           |
          |     Rank |             |        |        |           |
|-----------------------------------------------------------------------------
| 0.250000 | 8.000000 |   32.000000 |     16 |  128.0 | 65,536.00 | out/a|b.dat
| 0.000500 |       -- |    0.000000 |     16 |    4.0 |      0.00 | _UnknownFile_
|=============================================================================
"""
LITE_HEAD = """\
#################################################################
#                                                               #
#            CrayPat-lite Performance Statistics                #
#                                                               #
#################################################################

CrayPat/X:  Version 20.10.0 Revision 00aa11bb2  09/01/20 12:00:01
Experiment:                  lite  lite-samples
Number of PEs (MPI ranks):     16
Numbers of PEs per Node:        8  PEs on each of  2  Nodes
Execution start time:  Fri Jan  1 00:00:07 2021

Avg Process Time:      61.25 secs
I/O Write Rate:    32.000000 MiBytes/sec

"""
LITE_END = "================  End of CrayPat-lite output  ==========================\n"
LITE = f"{LITE_HEAD}{NEW_TABLE}Program invocation:  ./toy in.nml\n\n{LITE_END}"


def answer(data: str | bytes, limits: Limits | None = None) -> Evidence | Failure:
    return detect.read(io.BytesIO(data.encode() if isinstance(data, str) else data), limits)


def read(data: str | bytes, limits: Limits | None = None) -> Evidence:
    """The evidence of a text that holds some."""
    found = answer(data, limits)
    assert isinstance(found, Evidence), found
    return found


def reports(data: str | bytes) -> tuple[CrayPatReport, ...]:
    return read(data).of(CrayPatReport)


def only(data: str | bytes) -> CrayPatReport:
    (report,) = reports(data)
    return report


def row(report: CrayPatReport, direction: Direction, file: str, rank: int | None = None) -> PatIoRow:
    """The one row of this file, of all ranks together or of one."""
    (found,) = (
        r
        for t in report.tables(direction)
        for r in (t.rows if rank is None else t.rank_rows)
        if (r.file, r.rank) == (file, rank)
    )
    return found


def codes(evidence: Evidence) -> list[str]:
    return [p.code for p in evidence.problems]


def figures(report: CrayPatReport) -> tuple[object, ...]:
    """Everything but where it stands, and how many blanks there are."""
    tables = (
        (
            (t.direction, t.complete, t.aggregation, t.columns, t.excluded, t.rank_selection, t.row_limit),
            tuple((r.file, r.rank, r.noise, r.texts, r.printed_mib, r.ranks) for r in (*t.rows, *t.rank_rows)),
        )
        for t in report.io_tables
    )
    return (
        (report.form, report.complete, report.version, report.ranks, report.nodes, report.process_time_average_s),
        tuple((f.key, " ".join(f.text.split())) for f in report.fields),
        tuple(tables),
        tuple((f.path, f.stripe_size_bytes, f.stripe_count, f.osts) for f in report.lustre),
        tuple((t.rank, t.process_time_s) for t in report.rank_times),
        tuple((p.group, p.function, p.percent) for p in report.profile),
        tuple(o.title for o in report.observations),
    )


@cache
def samples() -> tuple[Path, ...]:
    return tuple(sorted(p for p in SAMPLES.glob("*/*") if p.suffix in (".out", ".rpt", ".txt")))


@cache
def corpus() -> Path | None:
    """The folder of texts of others: IOTRIAGE_CORPUS, else `../shared` beside the repository, else None."""
    folder = Path(os.environ.get("IOTRIAGE_CORPUS", REPOSITORY.parent / "shared")) / "samples" / "text"
    return folder if folder.is_dir() else None


def corpus_files(craypat: bool) -> tuple[Path, ...]:
    folder = corpus()
    found = sorted(folder.glob("*.txt")) if folder is not None else []
    return tuple(p for p in found if ("-craypat-" in p.name) == craypat)
