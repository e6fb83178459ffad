"""What is advised against missing evidence: memory where memory ran out, and never where that would not help."""

from __future__ import annotations

import io
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

import pytest
from declared import context

from iotriage.analysis.document import Finding
from iotriage.analysis.engine import diagnose
from iotriage.analysis.inputs import ReadSource
from iotriage.metrics import all_metrics
from iotriage.metrics.core.registry import compute
from iotriage.metrics.tables.gaps import Gaps, gaps_of
from iotriage.metrics.tables.selecting import select_job
from iotriage.rules import all_rules
from iotriage.rules.core import Advice
from iotriage_parsers import detect
from iotriage_parsers.evidence import CounterTable, DarshanLog, Evidence

SAMPLES = Path(__file__).parents[4] / "sample-logs"
OVERFLOW = SAMPLES / "darshan_log/43-record-overflow-partial/43-record-overflow-partial.darshan"


def finding_of(name: str, data: bytes) -> Finding:
    document = diagnose([ReadSource(name, "00", len(data), detect.read(io.BytesIO(data)))])
    (found,) = (f for f in document.findings if f.rule == "partial-evidence")
    return found


def advised(gaps: Gaps, **values: str) -> tuple[Advice, ...]:
    metrics = {f"evidence.{name}": v for name, v in values.items()}
    return all_rules()["partial-evidence"].advise(context(metrics, gaps=gaps))


def commands(finding: Finding) -> str:
    assert finding.verdict == "triggered"
    return "\n".join(f"{a.text}\n{a.command}" for a in finding.advice)


def test_as_many_records_as_darshan_keeps_need_a_larger_number_of_them() -> None:
    """2 ranks of 1,500 files each, of which 1,024 each were kept: memory alone would keep no more."""
    found = commands(finding_of("a.darshan", OVERFLOW.read_bytes()))
    assert "MAX_RECORDS 16384 POSIX" in found
    assert "> darshan.conf.$$ && mv darshan.conf.$$ darshan.conf" in found
    assert "DARSHAN_MODMEM" in found


@pytest.mark.parametrize(("kept", "full"), [(1024, "POSIX"), (1023, None)])
def test_a_module_is_full_by_the_records_of_one_process(kept: int, full: str | None) -> None:
    with OVERFLOW.open("rb") as data:
        evidence = detect.read(data)
    assert isinstance(evidence, Evidence)
    (log,) = evidence.of(DarshanLog)
    assert log.posix is not None
    of_rank_0 = (log.posix.ranks == 0).nonzero()[0][:kept]
    fewer = replace(log, posix=log.posix.rows(of_rank_0))
    s = select_job([(0, fewer)])
    assert compute(all_metrics()["evidence.overflowed_modules"], s).value == "POSIX"
    assert compute(all_metrics()["evidence.full_modules"], s).value == full


@pytest.mark.parametrize(("unused", "full"), [(2, "STDIO"), (1, None)])
def test_streams_that_were_not_used_took_a_record_each(unused: int, full: str | None) -> None:
    """Darshan begins a record for each standard stream: 1,022 kept and two dropped are the 1,024 it has room for."""
    with OVERFLOW.open("rb") as data:
        evidence = detect.read(data)
    assert isinstance(evidence, Evidence)
    (log,) = evidence.of(DarshanLog)
    assert log.posix is not None
    kept = log.posix.rows((log.posix.ranks == 0).nonzero()[0][:1022])
    counts, times = (tuple(n.replace("POSIX", "STDIO") for n in names) for names in (kept.int_names, kept.float_names))
    streams = CounterTable("STDIO", counts, times, kept.ids, kept.ranks, kept.ints, kept.floats, partial=True)
    names = dict(log.names) | dict(enumerate(("<STDIN>", "<STDERR>")[:unused]))
    module = replace(next(m for m in log.modules if m.name == "POSIX"), name="STDIO")
    s = select_job([(0, replace(log, posix=None, stdio=streams, names=names, modules=(module,)))])
    assert compute(all_metrics()["evidence.full_modules"], s).value == full


def test_memory_that_ran_out_before_the_count_is_the_remedy() -> None:
    (advice,) = advised(Gaps(overflowed=("DXT_POSIX", "H5D")))
    assert "DXT_POSIX and H5D" in advice.text
    assert advice.command == "export DARSHAN_MODMEM=64\nexport DARSHAN_NAMEMEM=16"


@pytest.mark.parametrize(
    ("version", "settable"), [("3.1.8", False), ("3.3.1", False), ("3.4.0", True), ("3.10.1", True)]
)
def test_the_number_of_records_can_be_set_since_3_4(version: str, settable: bool) -> None:
    (advice,) = advised(Gaps(overflowed=("POSIX",), full=("POSIX",)), darshan=version)
    assert ("MAX_RECORDS" in (advice.command or "")) is settable
    assert ("DARSHAN_EXCLUDE_DIRS" in (advice.command or "")) is not settable


@pytest.mark.parametrize(
    ("source", "words"),
    [
        ("darshan_log/50-truncated-heat2d-legacy", "Fetch the file again"),
        ("darshan_log/51-killed-rank0-mmap-raw", "darshan-merge"),
        ("mpich_stats/cut-by-scancel", "came to its end"),
        ("mpich_hints/cut-by-timeout", "came to its end"),
    ],
)
def test_memory_is_not_advised_where_it_would_not_help(source: str, words: str) -> None:
    (path,) = (f for f in (SAMPLES / source).iterdir() if f.suffix != ".json" and f.name != "origin.md")
    found = commands(finding_of(path.name, path.read_bytes()))
    assert words in found
    assert "MODMEM" not in found
    assert "MAX_RECORDS" not in found


def test_a_log_that_overflowed_and_was_cut_gets_both() -> None:
    data = OVERFLOW.read_bytes()
    found = commands(finding_of("a.darshan", data[: len(data) - 64]))
    assert "Fetch the file again" in found
    assert "DARSHAN_MODMEM" in found


def test_what_darshan_flags_in_two_logs_of_a_job_is_named_once_and_is_nothing_else() -> None:
    with OVERFLOW.open("rb") as data:
        evidence = detect.read(data)
    assert isinstance(evidence, Evidence)
    (log,) = evidence.of(DarshanLog)
    s = select_job([(0, log), (1, replace(log, job=replace(log.job, start_time=(log.job.start_time or 0) + 3600)))])
    assert gaps_of(s).overflowed == ("POSIX",)
    assert compute(all_metrics()["evidence.partial_modules"], s).value == 2
    words = all_rules()["partial-evidence"].says(context({"evidence.partial_modules": 2.0}, gaps=gaps_of(s)))
    assert "could be read in part" not in words.summary


def test_lines_of_several_writers_are_to_be_labelled() -> None:
    """The block of one file, begun a second time within itself."""
    text = (SAMPLES / "mpich_stats/good-collective-write/meander-7311862.stderr.txt").read_text()
    lines = text.splitlines(keepends=True)
    title = next(i for i, line in enumerate(lines) if "MPIIO write access patterns" in line)
    other = lines[title].replace("patterns for ", "patterns for other-")
    found = commands(finding_of("job.err", "".join([*lines[: title + 5], other, *lines[title + 5 :]]).encode()))
    assert "--label" in found
    assert "MODMEM" not in found


@pytest.mark.parametrize(
    ("site", "started"),
    [("lumi", "srun --ntasks=64 --nodes=2 --label"), ("aurora", "mpiexec -n 64 -ppn 32 --label"), ("theta", "")],
)
def test_they_are_labelled_in_a_run_of_the_same_size(site: str, started: str) -> None:
    sized = context({"job.nprocs": 64, "job.nnodes": 2}, site=site, gaps=Gaps(losses=("lines mixed",)))
    (said,) = all_rules()["partial-evidence"].advise(sized)
    assert (said.command or "").partition(' "${PROGRAM[@]:?')[0] == started


def test_a_text_that_leaves_a_module_out_is_to_be_printed_again() -> None:
    (advice,) = advised(Gaps(losses=("not printed",)))
    assert "--show-incomplete" in (advice.command or "")


@pytest.mark.parametrize(
    "left",
    [
        lambda lines: [line for line in lines if line.startswith("#") or "BYTES" in line],
        lambda lines: lines[: len(lines) // 3],
    ],
    ids=["searched for", "broken off"],
)
def test_a_text_of_darshan_parser_that_lacks_lines_is_asked_for_whole(left: Callable[[list[str]], list[str]]) -> None:
    text = (SAMPLES / "darshan_parser_text/shared-indep-unaligned/cells.darshan.txt").read_text()
    found = finding_of("cells.txt", "".join(left(text.splitlines(keepends=True))).encode())
    (advice,) = found.advice
    assert advice.text.startswith("Give the log itself, or all that darshan-parser prints of it")


@pytest.mark.parametrize("wrong", ["-2147483648 = -2048 MiB = -2 GiB", "10000000000000000000000000 = 1 MiB", "inf"])
def test_a_counter_that_ran_over_is_counted_by_darshan(wrong: str) -> None:
    text = (SAMPLES / "mpich_stats/good-collective-write/meander-7311862.stderr.txt").read_text()
    lines = text.splitlines(keepends=True)
    at = next(i for i, line in enumerate(lines) if "total bytes for writes" in line)
    lines[at] = f"|   total bytes for writes  = {wrong}\n"
    found = commands(finding_of("job.err", "".join(lines).encode()))
    assert "module load darshan-runtime" in found
    assert "LD_PRELOAD" in found


def test_values_of_a_log_that_cannot_be_are_traced_again() -> None:
    (advice,) = advised(Gaps(losses=("impossible values",)), darshan="3.2.1")
    assert advice.command == "module avail darshan"


def test_calls_of_two_traces_in_one_text_are_to_be_given_apart_and_not_traced_with_darshan() -> None:
    """Nobody who gives what darshan-dxt-parser printed is told to use Darshan."""
    text = (
        "# darshan log version: 3.21\n# exe: ./app\n# uid: 1000\n# jobid: 178\n# start_time: 1607906702\n"
        "# end_time: 1607906703\n# nprocs: 2\n# run time: 2\n\n"
        "# ***************************************************\n# DXT_MPIIO module data\n"
        "# ***************************************************\n\n"
        "# DXT, file_id: 13200110357831048887, file_name: /scratch/out.dat\n# DXT, rank: 0, hostname: nid000001\n"
        "# DXT, write_count: 2, read_count: 0\n# DXT, mnt_pt: /scratch, fs_type: lustre\n"
        "# Module    Rank  Wt/Rd  Segment          Offset       Length    Start(s)      End(s)\n"
        " X_MPIIO       0  write        0               0          524288      1.0053      1.0301\n"
        " X_MPIIO       0  write        0              -1        15625000      0.7247     38.8942\n"
    )
    found = finding_of("trace.txt", text.encode())
    said = [one.text for one in found.advice]
    assert any("Where lines of several logs stand in one text" in one for one in said)
    assert not any("64 bits" in one for one in said)
