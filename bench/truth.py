"""`python bench/truth.py`: what IOtriage says of real logs whose truth somebody stated, as docs/truth.md shows it.

The publishers' logs and the crafted cases lie outside this repository (`IOTRIAGE_CORPUS`, else ../shared beside the
checkout); what is not there is left out and said to be. `--write` puts the tables into docs/truth.md, with the day.
"""

from __future__ import annotations

import argparse
import csv
import datetime
import os
import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

from iotriage import diagnose

ROOT = Path(__file__).parents[1]
SAMPLES = ROOT / "sample-logs" / "darshan_log"
PAGE = ROOT / "docs" / "truth.md"
BEGIN, END = "<!-- real logs: bench/truth.py --write -->", "<!-- real logs end -->"
ABOVE_INFO = ("high", "medium", "low")


@dataclass(frozen=True)
class Stated:
    """A log, what is true of it by whom, the rules that name it (none: nothing above info), and whether only that a
    finding is there counts, at info too: the runs of two seconds, where I/O costs little, are told quietly."""

    log: str
    truth: str
    rules: tuple[str, ...] = ()
    quietly: bool = False


PUBLISHED = (
    Stated(
        "imbalanced-io",
        "a shared file on one stripe: one rank's server carries all",
        ("ssf-understriped", "single-aggregator"),
    ),
    Stated("sample-badost", "one OST about 40 times slower than the others", ("slow-ost", "straggler-rank")),
    Stated("e3sm_io_heatmap_only", "holes in collective writes make the library read first", ("read-modify-write",)),
    Stated("cache_demo.4", "64 ranks on one stripe: 219 s, on eight 45 s", ("ssf-understriped",)),
    Stated(
        "jeanbez_8_benchmark_parallel",
        "122,862 independent small reads are HDF5 metadata",
        ("hdf5-independent-metadata",),
    ),
    Stated(
        "eclipse-ior-memory-stress",
        "the same run takes 105 s without the memory stress beside it",
        ("slow-ost", "straggler-rank"),
    ),
    Stated("empty_log", "no I/O"),
    Stated("treddy_runtime_heatmap_inactive_ranks", "nothing wrong: ranks without I/O"),
    Stated("eclipse-ior-none", "IOR as it should run"),
)
"""What the publishers say of their logs."""

TWINS = (
    Stated("01-serial-gather", "rank 0 gathers and writes; 02 writes from every rank", ("serial-io",), True),
    Stated(
        "03-fpp-many-small-files",
        "2,000 files of 700 bytes: 5.4 s, in one file (04) 0.2 s",
        ("fpp-many-files", "metadata-bound", "small-io"),
        True,
    ),
    Stated(
        "06-shared-indep-1000b-unaligned",
        "pieces of 1,000 bytes: 4.6 s, collective (08) 2.1 s",
        ("independent-shared", "small-io"),
        True,
    ),
    Stated(
        "07-shared-strided-sieving",
        "data sieving under locks: 2.7 s, collective (08) 2.1 s",
        ("read-modify-write", "independent-shared"),
        True,
    ),
    Stated(
        "10-coll-subarray-cb-disable",
        "buffering off: 2.5 s, on (09) 2.1 s",
        ("collective-disabled", "read-modify-write"),
        True,
    ),
    Stated(
        "11-coll-subarray-cb-ds-disable",
        "buffering and sieving off: 8.3 s, on (09) 2.1 s",
        ("collective-disabled",),
        True,
    ),
    Stated(
        "13-imbalanced-rank0", "rank 0 has ten times the data: 1.8 s, balanced (14) 1.3 s", ("straggler-rank",), True
    ),
    Stated(
        "15-random-small-reads",
        "small reads at random: 1.1 s, one sweep (16) 0.4 s",
        ("random-access", "small-io"),
        True,
    ),
    Stated(
        "17-stdio-flush-per-line", "a flush for each line: 5.8 s, none (18) 0.8 s", ("sync-heavy", "stdio-heavy"), True
    ),
    Stated("19-config-all-ranks-read", "all ranks read the deck; 20 broadcasts it", ("redundant-reads",), True),
    Stated(
        "21-ckpt-reopen-fsync", "opened and synced for each variable; 22 once", ("sync-heavy", "metadata-bound"), True
    ),
    Stated(
        "23-hdf5-indep-rows",
        "HDF5 independent by rows: 4.5 s, collective (24) 2.6 s",
        ("independent-shared", "small-io", "hdf5-independent-metadata"),
        True,
    ),
    Stated(
        "26-pnetcdf-indep-small",
        "PnetCDF independent: 2.5 s, collective (27) 1.7 s",
        ("independent-shared", "small-io"),
        True,
    ),
    Stated("33-redundant-reads", "all ranks read all: 0.65 s, each its part (34) 0.24 s", ("redundant-reads",), True),
    *(
        Stated(log, "the better twin of a pair")
        for log in (
            "02-fpp-posix",
            "04-packed-one-file-collective",
            "05-shared-indep-1m-aligned",
            "08-shared-strided-collective",
            "09-coll-subarray-cb-enable",
            "12-subfile-per-node",
            "14-balanced",
            "16-sequential-reads",
            "18-stdio-buffered",
            "20-config-broadcast",
            "22-ckpt-keep-open",
            "24-hdf5-collective",
            "25-hdf5-collective-metadata-aligned",
            "27-pnetcdf-collective",
            "28-pnetcdf-nonblocking",
            "34-partitioned-collective-reads",
            "36-nonblocking-iwrite",
            "37-nonblocking-iwrite-all",
            "38-split-collective",
            "40-heat2d-tuned",
        )
    ),
)
"""Pairs of this project's own programs: what the worse of two was made to do. Seconds are of the whole run."""


@dataclass(frozen=True)
class Said:
    truth: str
    log: str
    found: Sequence[str]
    right: bool


def asked(path: Path, stated: Stated) -> Said:
    document = diagnose(path).document
    findings = [f for f in document.findings if f.verdict == "triggered"]
    above = [f.rule for f in findings if f.severity in ABOVE_INFO and not f.explained_by]
    if not stated.rules:
        return Said(stated.truth, stated.log, above, not above)
    if not stated.quietly:
        return Said(stated.truth, stated.log, above, document.headline.rule in stated.rules)
    found = [f.rule for f in findings]
    return Said(stated.truth, stated.log, found, not set(found).isdisjoint(stated.rules))


def crafted(folder: Path) -> Iterator[Said]:
    """The cases of expected.tsv by their own columns: what must lead, what must not be above info."""
    with (folder / "expected.tsv").open() as lines:
        for row in csv.reader(list(lines)[1:], delimiter="\t", quoting=csv.QUOTE_NONE):
            name, must, never = row[:3]
            document = diagnose(folder / name).document
            above = {
                f.rule: f.severity
                for f in document.findings
                if f.verdict == "triggered" and f.severity in ABOVE_INFO and not f.explained_by
            }
            leads = not must or document.headline.rule in must.split("|")
            unwanted = [one.partition(":") for one in never.split(";") if one]
            wrong = any(rule in above and severity in ("", above[rule]) for rule, _, severity in unwanted)
            yield Said("", name, list(above), leads and not wrong)


def tables() -> Iterator[str]:
    corpus = Path(os.environ.get("IOTRIAGE_CORPUS", ROOT.parent / "shared"))
    yield f"As of {datetime.datetime.now(tz=datetime.UTC):%d %B %Y}, `python bench/truth.py --write`.\n"
    if (corpus / "logs").is_dir():
        said = [asked(corpus / "logs" / f"{stated.log}.darshan", stated) for stated in PUBLISHED]
        yield from _table("Real logs of others, with what their publishers say", said)
    else:
        yield "Real logs of others: not there.\n"
    twins = [asked(SAMPLES / one.log / f"{one.log}.darshan", one) for one in TWINS]
    yield from _table("Real twins: the same program, worse and better", twins)
    if (corpus / "cases" / "expected.tsv").exists():
        said = list(crafted(corpus / "cases"))
        wrong = ", ".join(one.log for one in said if not one.right) or "none"
        right = sum(one.right for one in said)
        yield f"Logs crafted by others around one fact: {right} of {len(said)} right; wrong: {wrong}.\n"


def _table(title: str, said: Sequence[Said]) -> Iterator[str]:
    yield f"### {title}: {sum(one.right for one in said)} of {len(said)} right\n"
    yield "| log | truth | findings, the first first | |\n|---|---|---|---|"
    for one in said:
        found, right = ", ".join(one.found) or "none", "right" if one.right else "**wrong**"
        yield f"| {one.log} | {one.truth} | {found} | {right} |"
    yield ""


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--write", action="store_true")
    made = "\n".join(tables())
    if parser.parse_args().write:
        page = PAGE.read_text()
        PAGE.write_text(re.sub(f"{BEGIN}.*{END}", lambda _: f"{BEGIN}\n{made}\n{END}", page, flags=re.DOTALL))
    else:
        print(made)


if __name__ == "__main__":
    main()
