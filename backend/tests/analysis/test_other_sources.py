"""Sources beside logs and statistics, each alone: what is said of them is true, and what is missing is named."""

from __future__ import annotations

import hashlib
from dataclasses import replace
from io import BytesIO
from pathlib import Path

import pytest

from iotriage.analysis.decision.evidence_headlines import (
    ADD_EVIDENCE,
    ADD_LOG,
    BENCHMARK_ALONE,
    COMPARE,
    IO_TRACED,
    MEASURE,
    NO_IO,
    NOT_ENOUGH,
    NOTHING_TO_JUDGE,
    OF_ONE_OST,
    TRACE_IO,
)
from iotriage.analysis.document import CaseDocument
from iotriage.analysis.engine import diagnose
from iotriage.analysis.inputs import FROM_STANDARD_INPUT, ReadSource
from iotriage_parsers.detect import read
from iotriage_parsers.evidence import (
    BenchmarkRates,
    CrayPatReport,
    DarshanPerf,
    DarshanSummary,
    Evidence,
    Job,
    Lines,
    ModuleSummary,
    Part,
    PatIoRow,
    PatIoTable,
    PatProfileRow,
    PhaseRate,
)

SAMPLES = Path(__file__).resolve().parents[3] / "sample-logs"
MIB = 2**20


def given(name: str) -> ReadSource:
    path = SAMPLES / name
    with path.open("rb") as stream:
        digest = hashlib.file_digest(stream, "sha256").hexdigest()
        return ReadSource(path.name, digest, path.stat().st_size, read(stream))


def case(*names: str) -> CaseDocument:
    return diagnose([given(name) for name in names])


def verdicts(document: CaseDocument) -> dict[str, str]:
    return {f.rule: f.verdict for f in document.findings}


ONE_WRITER = "craypat/pat-report-one-writer/wave3d.pe.rpt"
FILE_PER_PROCESS = "craypat/lite-file-per-process/slurm-40417.out"
SACCT = "job_context/sacct/sacct-7204411.txt"
LAYOUT = "lfs_getstripe/plain/plume-7204411.getstripe.txt"
LOG = "darshan_log/lustre-ssf-one-stripe/lustre-ssf-one-stripe.darshan"


def test_one_writer_is_found_by_craypat_alone_and_not_called_high_without_a_time() -> None:
    document = case(ONE_WRITER)
    first = document.findings[0]
    assert (first.rule, first.verdict, first.severity) == ("serial-io", "triggered", "high")
    assert first.could_save_s is None
    # rank 0: 3,920 + 0.25 written, 4 read; all: 4,000 + 0.25 + 8 · 4
    assert document.metrics["balance.slowest_rank_share"].value == pytest.approx(3924.25 / 4032.25)
    assert document.metrics["file.stripe_count"].value == 1
    assert document.job.executable == "/lus/h2/pr31/wave3d/bin/wave3d"


def test_a_file_for_each_process_is_told_by_craypat_and_one_ranks_rate_is_no_bandwidth() -> None:
    document = case(FILE_PER_PROCESS)
    assert document.metrics["io.pattern"].value == "file-per-process"
    assert document.metrics["io.bytes_written"].value == 32 * 96 * MIB
    assert document.metrics["io.bandwidth"].value is None
    assert verdicts(document)["serial-io"] == "clear"
    assert {f.ranks for f in document.files if "ckpt" in f.path} == {1}


def test_totals_say_whether_io_matters() -> None:
    document = case("darshan_parser_text/totals-shared-aligned/totals.txt")
    assert document.headline.rule == "io-not-the-bottleneck"
    assert document.metrics["job.io_time_fraction"].value == pytest.approx(0.109097 / 1.7286)
    assert document.metrics["mpiio.independent_writes"].value == 128
    assert document.job.job_id == "4127071"


@pytest.mark.parametrize(
    ("name", "sentence"),
    [
        ("lfs_getstripe/pfl/field.getstripe.txt", NOTHING_TO_JUDGE),
        (LAYOUT, NOTHING_TO_JUDGE),
        (SACCT, NOTHING_TO_JUDGE),
    ],
)
def test_where_no_rule_could_judge_the_io_nothing_is_called_right(name: str, sentence: str) -> None:
    """A report without I/O tables, or a layout, does not even show that there was I/O."""
    document = case(name)
    top = document.headline
    assert (top.sentence, top.action, top.severity) == (sentence, ADD_EVIDENCE, "unknown")
    assert {f.verdict for f in document.findings if f.rule in ("io-errors", "dvs-striping-warning")} == {
        "not_applicable"
    }
    assert "MPICH_MPIIO_STATS=1" in (top.command or "")


@pytest.mark.parametrize(
    "name",
    [
        "ior/ssf-collective/ior-ssf-collective.txt",
        "benchio/striped/benchio-2-nodes.txt",
        "mdtest/shared-directory/mdtest-fjord.txt",
    ],
)
def test_a_benchmarks_result_alone_is_told_what_it_is_good_for(name: str) -> None:
    top = case(name).headline
    assert (top.sentence, top.action) == (BENCHMARK_ALONE, MEASURE)
    assert top.command == f"iotriage sites measure {SITE} {name.rpartition('/')[2]}"


def test_many_results_and_those_in_an_archive_are_filled_in() -> None:
    text = (SAMPLES / "ior/ssf-collective/ior-ssf-collective.txt").read_text(encoding="utf-8")
    each = [text.replace("96", str(ranks)) for ranks in range(32, 41)]
    sources = [
        ReadSource(f"{n}.txt", hashlib.sha256(t.encode()).hexdigest(), len(t), read(BytesIO(t.encode())))
        for n, t in enumerate(each)
    ]
    results = '"${RESULT:?the file of the result}"'
    assert diagnose(sources).headline.command == f"iotriage sites measure {SITE} {results}"
    assert (diagnose(sources[:2]).headline.command or "").endswith(" 0.txt 1.txt")
    without_name = replace(sources[0], name=FROM_STANDARD_INPUT)
    assert (diagnose([without_name]).headline.command or "").endswith(results)
    known = diagnose(sources[:1], "archer2").headline.command
    assert known == "iotriage sites measure archer2 0.txt"


@pytest.mark.parametrize("order", [1, -1])
@pytest.mark.parametrize("folder", ["fio", "elbencho"])
def test_of_a_result_and_the_layout_of_its_file_the_result_is_compared(folder: str, order: int) -> None:
    layout = next((SAMPLES / "lfs_getstripe").rglob("*.getstripe.txt"))
    result = next((SAMPLES / folder).rglob("*.txt"))
    names = [str(path.relative_to(SAMPLES)) for path in (layout, result)]
    found = case(*names[::order]).headline
    assert (found.action, found.command) == (
        COMPARE,
        f'iotriage compare {result.name} "${{ANOTHER_RESULT:?the file of another result}}"',
    )


@pytest.mark.parametrize(
    ("names", "figure", "ranks", "differ"),
    [
        (["ior/ssf-collective/ior-ssf-collective.txt"], "At best it wrote 3.08 GiB/s and read 5.26 GiB/s.", 96, []),
        # What is tried is of no one size, and contradicts nobody.
        (
            [f"ior/shared-at-four-sizes/ior-{ranks}-ranks.txt" for ranks in ("032", "064", "128", "256")],
            "At best it wrote 1.16 GiB/s with 32 ranks.",
            None,
            [],
        ),
        (["io500/summary-and-result/result_summary.txt"], "At best it wrote 20.0 GiB/s and read 40.0 GiB/s.", None, []),
        (["mdtest/shared-directory/mdtest-fjord.txt"], None, None, []),
    ],
)
def test_a_benchmarks_result_alone_has_its_rates_on_top(
    names: list[str], figure: str | None, ranks: int | None, differ: list[str]
) -> None:
    document = case(*names)
    assert (document.headline.figure, document.job.nprocs) == (figure, ranks)
    assert [a.quantity for a in document.agreement if not a.agrees] == differ


SITE = '"${SITE:?a short name of the centre}"'
MEASURED = f"iotriage sites measure {SITE} a.txt"
IN_A_NEW_ONE = (
    'mkdir "${NEW_DIRECTORY:?a directory that is not there yet}" && lfs setstripe -c 8 -S 1M "$NEW_DIRECTORY"'
)
STRIPES_OF = "{path}\nstripe_count:  {count} stripe_size:   1048576 pattern:       raid0 stripe_offset: -1\n\n"


@pytest.mark.parametrize(
    ("path", "count", "changed", "says", "command"),
    [
        ("@", 1, ("", ""), OF_ONE_OST, IN_A_NEW_ONE),
        ("@", 1, ("@", "/lustre/orion/a"), OF_ONE_OST, None),
        ("@", 8, ("", ""), BENCHMARK_ALONE, MEASURED),
        ("@/elsewhere", 1, ("", ""), BENCHMARK_ALONE, MEASURED),
        ("@", 1, ("single-shared-file", "file-per-process"), BENCHMARK_ALONE, MEASURED),
    ],
)
def test_of_a_file_on_one_ost_a_benchmark_says_what_that_gives(
    path: str, count: int, changed: tuple[str, str], says: str, command: str | None
) -> None:
    text = (SAMPLES / "ior/ssf-collective/ior-ssf-collective.txt").read_text(encoding="utf-8")
    (directory,) = {line.split(" : ")[1].rpartition("/")[0] for line in text.splitlines() if line.startswith("test fi")}
    before, after = (word.replace("@", directory) for word in changed)
    texts = [STRIPES_OF.format(path=path.replace("@", directory), count=count), text]
    texts = [one.replace(before, after) if before else one for one in texts]
    alone = of_texts("".join(texts)).headline
    assert (alone.sentence, alone.command) == (says, command)
    assert of_texts(*texts).headline == alone


def of_texts(*texts: str) -> CaseDocument:
    contents = [text.encode() for text in texts]
    sources = (ReadSource("a.txt", hashlib.sha256(c).hexdigest(), len(c), read(BytesIO(c))) for c in contents)
    return diagnose(list(sources))


def test_of_other_benchmarks_no_sites_profile_is_made() -> None:
    top = case("fio/text-and-json/fio-seq.txt").headline
    assert (top.sentence, top.action) == (BENCHMARK_ALONE, COMPARE)
    assert top.command == 'iotriage compare fio-seq.txt "${ANOTHER_RESULT:?the file of another result}"'


def test_a_result_that_does_not_say_its_ranks_is_compared_alone() -> None:
    """No job can be held against it, and no profile of a site takes it."""
    rates = (PhaseRate("file creation", "ops/s", 4, 8000.0),)
    of_known = by_hand(BenchmarkRates("mdtest", Lines(1, 9), True, rates, nprocs=16), "mdtest").headline
    unknown = by_hand(BenchmarkRates("mdtest", Lines(1, 9), True, rates), "mdtest").headline
    assert (of_known.action, unknown.sentence, unknown.action) == (MEASURE, BENCHMARK_ALONE, COMPARE)


def test_bytes_alone_are_not_enough_to_judge() -> None:
    row = PatIoRow("run.dat", None, None, "sum-over-ranks", 9, None, 300.0, None, None, None, None, ())
    table = PatIoTable("write", "File Output Stats", Lines(5, 10), True, "sum-over-ranks", (), (row,))
    silent = by_hand(CrayPatReport("fragment", Lines(1, 10), False, io_tables=(table,)), "craypat")
    assert silent.headline.sentence == NOT_ENOUGH


def test_a_fragment_without_ranks_leaves_open_whether_small_calls_took_long() -> None:
    """1,966,080 calls of 128 bytes took 38.4 s of nobody knows how many ranks."""
    document = case("craypat/pasted-fragment/ticket-2211.txt")
    of_group = {f.scope.label: f.verdict for f in document.findings if f.rule == "small-io"}
    assert of_group == {"restart.0003.bin": "clear", "trace.txt": "unknown"}
    assert document.metrics["io.bytes_written"].value == (240 + 1500) * MIB
    assert document.metrics["job.nprocs"].value is None


def by_hand(part: Part, reader: str) -> CaseDocument:
    return diagnose([ReadSource("given", "0" * 64, 1, Evidence(reader, (part,)))])


def test_one_writer_of_a_few_bytes_is_not_worth_a_word() -> None:
    row = PatIoRow("run.log", None, None, "average-per-rank", 9, 0.1, 0.0003, 9.0, 0.01, 35.0, 1, ())
    table = PatIoTable("write", "File Output Stats", Lines(5, 10), True, "average-per-rank", (), (row,))
    profile = (PatProfileRow("USER", None, 100.0, None, None, None, 3),)
    report = CrayPatReport("lite", Lines(1, 10), True, ranks=96, io_tables=(table,), profile=profile)
    document = by_hand(report, "craypat")
    serial = next(f for f in document.findings if f.rule == "serial-io")
    assert (serial.verdict, serial.severity) == ("not_applicable", "info")


def test_a_share_of_the_run_without_anything_of_how_is_told_with_what_would_show_it() -> None:
    perf = DarshanPerf(total_bytes=2**30, agg_time_by_slowest_s=90.0, agg_perf_by_slowest=2**30 / 90.0)
    posix = ModuleSummary("POSIX", Lines(1, 9), perf=perf)
    summary = DarshanSummary("3.41", Job("1", nprocs=4, runtime_s=100.0), (), (), (posix,))
    document = by_hand(summary, "darshan_parser_text")
    assert document.metrics["job.io_time_fraction"].value == 0.9
    assert document.metrics["io.bytes"].value == 2**30
    assert document.headline.sentence == "I/O takes 90 % of the run, and these sources do not show why."
    assert document.headline.action == ADD_EVIDENCE


def test_a_rule_that_saw_no_figure_is_not_clear() -> None:
    assert verdicts(case(FILE_PER_PROCESS))["misaligned-io"] != "clear"
    assert verdicts(case(LOG))["misaligned-io"] == "clear"


def test_a_job_that_was_judged_and_is_well_is_still_told_so() -> None:
    document = case("mpich_stats/good-collective-write/" + stats_file("good-collective-write"))
    assert document.headline.sentence not in (NOTHING_TO_JUDGE, NOT_ENOUGH)


def stats_file(name: str) -> str:
    said = {"evidence.json", "findings.json", "metrics.json", "origin.md"}
    return next(p.name for p in sorted((SAMPLES / "mpich_stats" / name).iterdir()) if p.name not in said)


def test_benchmarks_give_their_own_bandwidth_and_the_jobs_ranks() -> None:
    document = case("benchio/striped/benchio-2-nodes.txt")
    best = document.metrics["benchmark.write_bandwidth"]
    assert best.value == pytest.approx(5.7592168817995981 * 2**30)
    assert (document.job.nprocs, document.job.nnodes) == (256, 2)


def test_the_scheduler_and_the_file_system_complete_a_log() -> None:
    alone, both = case(LOG), case(LOG, SACCT, LAYOUT)
    assert (alone.job.nnodes, both.job.nnodes) == (None, 2)
    assert both.metrics["job.runtime"].value == alone.metrics["job.runtime"].value
    said = {a.quantity: a for a in both.agreement}
    assert {"job id", "ranks", "run time"} <= set(said)
    assert all(a.agrees for a in said.values())


def test_the_job_is_named_by_the_scheduler_where_nobody_else_does() -> None:
    document = case(SACCT, "job_context/slurm-script/plume.slurm")
    assert (document.job.job_id, document.job.executable) == ("7204411", "./bin/plume")
    assert (document.job.nprocs, document.job.nnodes, document.job.runtime_s) == (256, 2, 7202.0)


@pytest.mark.parametrize(
    ("variable", "library", "asked"),
    [
        ("export I_MPI_PIN_DOMAIN=omp", "intel-mpi", ADD_LOG),
        ("export OMPI_MCA_io=romio321", "openmpi", ADD_LOG),
        ("unset I_MPI_ROOT", None, ADD_EVIDENCE),
        ("export MPICH_MPIIO_HINTS_DISPLAY=1", None, ADD_EVIDENCE),  # what was set may do nothing
        ("export I_MPI_DEBUG=5\nmodule load cray-mpich", "cray-mpich", ADD_EVIDENCE),
    ],
)
def test_statistics_of_crays_library_are_asked_of_no_other(variable: str, library: str | None, asked: str) -> None:
    script = f"#!/bin/bash\n#SBATCH --nodes=4\n{variable}\nsrun --ntasks=128 ./app\n"
    document = diagnose([ReadSource("job.sh", "0" * 64, len(script), read(BytesIO(script.encode())))])
    assert (document.metrics["mpi.library"].value, document.headline.action) == (library, asked)
    assert ("MPICH_MPIIO_STATS" in (document.headline.command or "")) == (asked == ADD_EVIDENCE)


def test_a_profile_of_the_terminal_alone_shows_no_io_and_is_not_asked_for_again() -> None:
    """The group io was traced, for its tables are there."""
    text = (SAMPLES / "craypat/lite-file-per-process/slurm-40417.out").read_text()
    of_files = ("input/deck.nml", "ckpt/icefield")
    alone = "".join(f"{line}\n" for line in text.splitlines() if not any(f" {name}" in line for name in of_files))
    document = diagnose([ReadSource("a.rpt", "0" * 64, len(alone), read(BytesIO(alone.encode())))])
    assert (document.headline.sentence, document.headline.command) == (NO_IO, None)
    assert document.metrics["io.bytes"].value == 0


def test_a_profile_without_its_io_is_asked_for_with_it() -> None:
    headline = case("craypat/lite-no-io/RUNTIME.rpt").headline
    assert (headline.sentence, headline.action, headline.command) == (NOTHING_TO_JUDGE, TRACE_IO, IO_TRACED)
    # Beside another source that is another question.
    assert case("craypat/lite-no-io/RUNTIME.rpt", LAYOUT).headline.action == ADD_EVIDENCE


def case_of(text: str) -> CaseDocument:
    return diagnose([ReadSource("a.out", "0" * 64, len(text), read(BytesIO(text.encode())))])


def test_what_a_program_says_of_a_failed_write_is_not_told_to_be_well() -> None:
    """Nor is the library's switch advised to who has no failed call of the library."""
    statistics = next((SAMPLES / "mpich_stats/good-collective-write").glob("*.txt")).read_text()
    text = f"{statistics}OSError: [Errno 28] No space left on device: 'o.npz'\n"
    document = case_of(text)
    assert (document.headline.rule, document.headline.command) == ("io-errors", "lfs df -h .")
    (found,) = (f for f in document.findings if f.rule == "io-errors")
    assert "says that writes failed in 1 line" in (found.summary or "")
    assert not any("MPICH_MPIIO_ABORT" in (a.command or "") for a in found.advice)


def test_what_the_library_says_of_the_same_calls_is_counted_once() -> None:
    text = next((SAMPLES / "mpich_warnings/quota-while-writing").glob("*.txt")).read_text()
    before = case_of(text).metrics["errors.failed_calls"].value
    after = case_of(f"{text}Couldn't write output: Disk quota exceeded\n").metrics["errors.failed_calls"].value
    assert before == after


@pytest.mark.parametrize(
    ("line", "sentence", "first"),
    [
        (
            "OSError: [Errno 5] Input/output error",
            "Reads or writes failed with an input/output error: data is missing.",
            "Ask your centre's support",
        ),
        (
            "Fortran runtime error: Stale file handle",
            "Files went away under the job: its file handles were stale.",
            "Let nothing remove",
        ),
        (
            "ADIOI_Set_lock:: Function not implemented",
            "Files could not be locked: the file system or its mount gives no locks.",
            "Put the files on a file system that locks",
        ),
    ],
)
def test_other_reasons_of_the_system_are_told_with_what_helps_against_them(
    line: str, sentence: str, first: str
) -> None:
    statistics = next((SAMPLES / "mpich_stats/good-collective-write").glob("*.txt")).read_text()
    top = case_of(f"{statistics}{line}\n").headline
    assert (top.rule, top.sentence, top.severity) == ("io-errors", sentence, "high")
    assert (top.action or "").startswith(first)


def test_letters_that_were_changed_are_no_output_without_statistics() -> None:
    statistics = next((SAMPLES / "mpich_stats/good-collective-write").glob("*.txt")).read_text()
    read_off = case_of(statistics.replace("|", "l").replace("+---", "+—--"))
    assert "letters in it were changed" in read_off.headline.sentence
    assert case_of(statistics).headline.severity == "clear"


@pytest.mark.parametrize(
    ("account", "run_s", "other"),
    [("100", None, True), ("99", 2000.0, False), ("100_3", 2000.0, False)],
)
def test_the_end_of_one_job_and_the_account_of_another_are_not_of_one(
    account: str, run_s: float | None, other: bool
) -> None:
    """A task of an array ends with a number that its account does not have."""
    document = case_of(
        "slurmstepd: error: Detected 1 oom-kill event(s) in StepId=99.0. Some of your processes may have been killed.\n"
        "JobID           JobName    Elapsed   NNodes      State \n"
        "------------ ---------- ---------- -------- ---------- \n"
        f"{account:<12}      model   00:33:20        4  COMPLETED \n"
    )
    assert document.metrics["job.runtime"].value == run_s
    assert ("other-job" in [p.code for p in document.sources[0].warnings]) == other
    assert any(p.message.startswith("job 99 ran out of memory") for p in document.sources[0].warnings)
