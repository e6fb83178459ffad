"""Which sources are of one job: told by ids, cluster and time, and by files; never by a program's or a file's name."""

from __future__ import annotations

import os
import random
from pathlib import Path

import pytest
from sources_of_jobs import ALONE, COLLECTIVE, ID_OF, LOGS, block, case_of, given, jobs, log

from iotriage.analysis.document import CaseDocument
from iotriage.analysis.engine import diagnose
from iotriage.analysis.inputs import ReadSource, unpack_archives
from iotriage.analysis.jobs import JobSources, group_by_job, select_job_parts, source_identity_of
from iotriage.analysis.jobs.source_identity import NamedJob, same_job
from iotriage_parsers.evidence import MpiioStats, MpiioTimers

ROOT = Path(__file__).resolve().parents[4]
CORPUS = Path(os.environ.get("IOTRIAGE_CORPUS", ROOT.parent / "shared"))

PATH_OF = {name: f"/scratch/proj01/run/{name[3:]}/cells.dat" for name in (COLLECTIVE, ALONE)}

SACCT = (
    "JobID|JobIDRaw|Cluster|Start|End|NNodes|NTasks|Elapsed\n"
    "4127088|4127088|fells|2026-11-20T18:48:59|2026-11-20T18:49:20|1||00:00:21\n"
    "4127088.0|4127088.0|fells|2026-11-20T18:49:00|2026-11-20T18:49:10|1|8|00:00:10\n"
    "4127122|4127122|fells|2026-11-20T18:49:08|2026-11-20T18:49:30|1||00:00:22\n"
)


def stats_of(document: CaseDocument) -> set[str]:
    return {text.part.file for text in document.texts if isinstance(text.part, MpiioStats)}


def test_one_output_of_several_programs_is_of_each_job_whose_files_it_tells_of() -> None:
    output = given("all.err", "loading modules\n" + "".join(block(path, 8_000_000) for path in PATH_OF.values()))
    sources = [log(ALONE), output, log(COLLECTIVE)]
    assert jobs(sources) == {
        ID_OF[ALONE]: {f"{ALONE}.darshan", "all.err"},
        ID_OF[COLLECTIVE]: {f"{COLLECTIVE}.darshan", "all.err"},
    }
    for name, job_id in ID_OF.items():
        document = case_of(sources, job_id)
        assert stats_of(document) == {PATH_OF[name]}
        (said,) = [w.message for s in document.sources for w in s.warnings if "other jobs" in w.message]
        assert all((path in said) == (path != PATH_OF[name]) for path in PATH_OF.values())


def test_the_order_in_which_they_are_given_changes_nothing() -> None:
    parts = [log(ALONE), log(COLLECTIVE), given("all.err", block(PATH_OF[ALONE], 8_000_000)), given("acct.txt", SACCT)]
    wanted = jobs(parts)
    assert set(wanted) == set(ID_OF.values())
    for seed in range(6):
        random.Random(seed).shuffle(parts)
        assert jobs(parts) == wanted


def test_an_account_of_many_jobs_says_of_each_its_own() -> None:
    sources = [log(ALONE), given("acct.txt", SACCT)]
    assert jobs(sources) == {ID_OF[ALONE]: {f"{ALONE}.darshan", "acct.txt"}}
    document = case_of(sources, ID_OF[ALONE])
    assert [t.part.job_id for t in document.texts if t.part.kind == "job_context"] == [ID_OF[ALONE]]
    assert all(a.agrees for a in document.agreement if a.quantity == "job id")


def test_the_same_program_and_the_same_file_are_not_the_same_job() -> None:
    """Every job of this user writes the same path with the same program and ranks: the file's name says which job its
    output is of, and where it does not, the bytes; where these fit several, it is of none of them."""
    names = ["lustre-ssf-few-aggregators", "lustre-ssf-shared-lock"]
    logs = [log(name) for name in names]
    errs = [given(p.name, p.read_bytes()) for name in names for p in (LOGS / name).glob("*.stderr.txt")]
    assert len(errs) == 2
    found = jobs([*logs, *errs], many=True)
    assert found == {
        "7204633": {"lustre-ssf-few-aggregators.darshan", "plume-7204633.stderr.txt"},
        "7204662": {"lustre-ssf-shared-lock.darshan", "plume-7204662.stderr.txt"},
    }
    unnamed = jobs([*logs, ReadSource("job.err", *_rest(errs[0]))], many=True)
    assert unnamed[None] == {"job.err"}


def _rest(source: ReadSource) -> tuple[str, int, object]:
    return source.sha256, source.size_bytes, source.outcome  # type: ignore[return-value]


def test_more_ranks_than_the_job_had_are_another_run() -> None:
    other = given("all.err", block(PATH_OF[ALONE], 8_000_000) + block(PATH_OF[COLLECTIVE], 8_000_000, ranks=64))
    assert "all.err" not in jobs([log(ALONE), log(COLLECTIVE), other])[ID_OF[COLLECTIVE]]


def test_of_two_closes_of_one_file_each_run_has_the_one_with_its_bytes() -> None:
    sources = [log(ALONE), given("all.err", block(PATH_OF[ALONE], 8_000_000) + block(PATH_OF[ALONE], 99 << 20))]
    document = diagnose(select_job_parts(sources, [ID_OF[ALONE]] * 2))
    assert [t.part.total_bytes for t in document.texts if isinstance(t.part, MpiioStats)] == [8_000_000]


@pytest.mark.parametrize(
    ("one", "other", "same"),
    [
        (NamedJob("7", start=1_000.0), NamedJob("7", start=90_000.0), True),
        (NamedJob("7", start=1_000.0), NamedJob("7", start=40 * 86_400.0), False),
        (NamedJob("7", "fells", 1_000.0, 5_000.0, local=True), NamedJob("7", start=4_000.0), True),
        (NamedJob("7", "fells", 1_000.0, 5_000.0, local=True), NamedJob("7", start=80_000.0), False),
        (NamedJob("7", "fells"), NamedJob("7", "moors"), False),
        (NamedJob("7"), NamedJob("8"), False),
    ],
)
def test_ids_are_counted_anew_and_clusters_count_their_own(one: NamedJob, other: NamedJob, same: bool) -> None:
    assert same_job(one, other) is same
    assert same_job(other, one) is same


def test_a_folder_has_a_case_for_each_job_and_what_lies_beside_it() -> None:
    script = "#!/bin/bash\n#SBATCH --nodes=1\nmodule load cray-hdf5\nsrun -n 8 ./patterns\n"
    sources = [
        log(ALONE, "runs/a/a.darshan"),
        given("runs/a/job.sh", script),
        log(COLLECTIVE, "runs/b/b.darshan"),
        given("runs/b/job.sh", script + "# the other\n"),
        given("runs/c/ior.json", b"\x00\x01\x02"),
    ]
    found = group_by_job([source_identity_of(s) for s in unpack_archives(sources)], many=True)
    assert found.jobs == (JobSources(ID_OF[ALONE], (0, 1), True), JobSources(ID_OF[COLLECTIVE], (2, 3), True))
    assert found.left_out == (4,)


def test_a_benchmark_and_the_striping_of_its_file_are_joined() -> None:
    ior = (ROOT / "sample-logs" / "ior").glob("*/*")
    text = next(p for p in sorted(ior) if "mpiio" in p.read_text("utf-8", "replace").lower() and p.suffix != ".md")
    path = "/lustre/fells/run/ior.dat"
    getstripe = f"{path}\nlmm_stripe_count:  4\nlmm_stripe_size:   1048576\nlmm_pattern:       raid0\nlmm_layout_gen:    0\nlmm_stripe_offset: 2\n\tobdidx\t\t objid\t\t objid\t\t group\n\t     2\t  1\t 0x1\t 0\n\t     3\t  2\t 0x2\t 0\n\t     4\t  3\t 0x3\t 0\n\t     5\t  4\t 0x4\t 0\n"  # noqa: E501
    stats = block(path, 8_000_000)
    sources = [
        log(ALONE, "all/a.darshan"),
        log(COLLECTIVE, "all/b.darshan"),
        given("all/run.err", stats),
        given("all/stripes.txt", getstripe),
        given("all/other.txt", text.read_bytes()),
    ]
    assert {"all/run.err", "all/stripes.txt"} in jobs(sources, many=True).values()


@pytest.mark.skipif(not (CORPUS / "samples" / "found").is_dir(), reason="the logs of others are not here")
def test_three_programs_in_one_output_with_their_logs() -> None:
    output = CORPUS / "samples" / "found" / "io-sleuthing-hdf5-compare.e456684"
    logs = {"16426": "h5par-comparison", "16536": "h5par-comparison-collio", "16619": "h5par-comparison-collmd"}
    paths = [output, *(CORPUS / "logs" / f"{name}.darshan" for name in logs.values())]
    sources = [given(p.name, p.read_bytes()) for p in paths]
    assert set(jobs(sources)) == set(logs)
    file_of = {"16426": "output-default.h5", "16536": "output-collio.h5", "16619": "output-collmd.h5"}
    for job_id, name in file_of.items():
        document = case_of(sources, job_id)
        own = {path.rpartition("/")[2] for path in stats_of(document)}
        assert name in own
        assert len(own) == 2
        assert f"_id{job_id}-{job_id}_" in "".join(own)
        assert all(a.agrees for a in document.agreement), document.agreement
        assert any(t.part.kind == "mpich_environment" for t in document.texts)
        timers = [t.part for t in document.texts if isinstance(t.part, MpiioTimers)]
        assert len(timers) == (4 if job_id == "16426" else 5)
    slowest = case_of(sources, "16426").metrics["timers.slowest_access_rank"]
    late = case_of(sources, "16536").metrics["timers.late_arriver_rank"]
    assert (slowest.value, late.value) == (306, 289)


def test_one_text_of_two_jobs_says_so_as_two_sources_do() -> None:
    """darshan-parser's output of two logs, one behind the other."""
    folder = LOGS.parent / "darshan_parser_text"
    texts = [
        (folder / name).read_text()
        for name in ("shared-indep-unaligned/cells.darshan.txt", "subfile-per-node/subfiles.darshan.txt")
    ]
    document = diagnose([given("both.txt", "".join(texts))])
    ids = [next(line.split()[-1] for line in text.splitlines() if line.startswith("# jobid:")) for text in texts]
    assert [(job.id, job.given, job.among_others) for job in document.jobs] == [(i, (0,), True) for i in ids]
    assert diagnose([given("one.txt", texts[0])]).jobs == ()


LIMIT = "slurmstepd: error: *** JOB {} ON nid001 CANCELLED AT 2026-11-20T18:49:20 DUE TO TIME LIMIT ***\n"


def test_outputs_of_jobs_that_were_ended_are_told_apart_by_the_numbers_that_end_them() -> None:
    one, other = (given(f"{n}.txt", block(f"/s/{n}/o.dat", 1 << 30) + LIMIT.format(n)) for n in (7311862, 7311904))
    assert jobs([one, other]) == {"7311862": {one.name}, "7311904": {other.name}}
    again = given("again.txt", "step 1\n" + LIMIT.format(7311862))
    assert list(jobs([one, again]).values()) == [{one.name, again.name}]
    assert len(jobs([one, given("script", "#!/bin/bash\n#SBATCH --nodes=1\nsrun -n 8 ./patterns\n")])) == 1


def test_the_end_of_another_job_is_not_the_end_of_the_one_whose_log_is_given() -> None:
    mine, its_own = log(ALONE), given("own.txt", LIMIT.format(ID_OF[ALONE]))
    assert jobs([mine, its_own]) == {ID_OF[ALONE]: {mine.name, its_own.name}}
    of_another = given("other.txt", LIMIT.format(7311862))
    assert jobs([mine, of_another]) == {ID_OF[ALONE]: {mine.name}, "7311862": {of_another.name}}


def test_outputs_that_a_scheduler_named_are_of_the_jobs_of_their_names() -> None:
    """A rerun writes the same files: of two outputs the numbers tell that they are two runs."""
    text = block("/s/o.dat", 1 << 30)
    one, other = given("slurm-7311862.out", text), given("slurm-7311904.out", text)
    for many in (False, True):
        assert jobs([one, other], many) == {"7311862": {one.name}, "7311904": {other.name}}
    # What names no job, as their script, makes none of them one, wherever it stands.
    script = given("run.sh", "#!/bin/bash\n#SBATCH --nodes=4\nexport MPICH_MPIIO_STATS=1\nsrun ./sea\n")
    for sources in ([script, one, other], [one, other, script]):
        assert jobs(sources) == {"7311862": {one.name, script.name}, "7311904": {other.name, script.name}}
    streams = [given(f"sea.{stream}7311862", text) for stream in "oe"]
    assert list(jobs(streams).values()) == [{s.name for s in streams}]


@pytest.mark.parametrize("name", ["job_{}.slurm", "{}.pbs", "run/submit-{}.sh", "getstripe.{}.txt"])
def test_a_text_that_has_the_number_of_one_of_the_jobs_in_its_name_is_of_that_one(name: str) -> None:
    script = "#!/bin/bash\n#SBATCH --nodes={}\nsrun ./patterns\n"
    logs = [log(which, f"run/{which}.darshan") for which in (ALONE, COLLECTIVE)]
    texts = [given(name.format(ID_OF[which]), script.format(n)) for n, which in enumerate((ALONE, COLLECTIVE), 1)]
    of_each = {ID_OF[which]: {logs[i].name, texts[i].name} for i, which in enumerate((ALONE, COLLECTIVE))}
    for many in (False, True):
        assert jobs([*logs, *texts], many) == of_each
    other = given(name.format("1024"), script.format(4))
    of_both = jobs([*logs, other])
    assert list(of_both) == [ID_OF[ALONE], ID_OF[COLLECTIVE]]
    assert all(other.name in sources for sources in of_both.values())


@pytest.mark.parametrize("name", ["after-{}.o{}", "restart_of_{}.e{}", "run/{}.o{}"])
def test_a_number_in_a_name_is_no_more_than_that_which_a_scheduler_put_behind_it(name: str) -> None:
    logs = [log(which, f"run/{which}.darshan") for which in (ALONE, COLLECTIVE)]
    script = "#!/bin/bash\n#SBATCH --nodes=1\nsrun ./patterns\n"
    own = given(name.format(ID_OF[ALONE], ID_OF[COLLECTIVE]), script)
    assert own.name in jobs([*logs, own])[ID_OF[COLLECTIVE]]
    other = given(name.format(ID_OF[ALONE], "4127999"), script)
    going = jobs([*logs, other])
    assert (other.name in going[ID_OF[ALONE]]) == (other.name in going[ID_OF[COLLECTIVE]])


def test_the_number_that_a_scheduler_gave_an_output_goes_before_others_in_its_name() -> None:
    logs = [log(which, f"run/{which}.darshan") for which in (ALONE, COLLECTIVE)]
    output = given(f"after-{ID_OF[ALONE]}.o4127900", "step 1\n" + block("/s/o.dat", 1 << 30))
    for many in (False, True):
        grouped = jobs([*logs, output], many)
        assert grouped[ID_OF[ALONE]] == {logs[0].name}


def test_an_output_of_another_number_is_not_that_of_the_log() -> None:
    mine, name = log(ALONE), f"slurm-{ID_OF[ALONE]}.out"
    assert jobs([mine, given(name, "step 1\n" + LIMIT.format(ID_OF[ALONE]))]) == {ID_OF[ALONE]: {mine.name, name}}
    other = given("slurm-7311862.out", block(PATH_OF[ALONE], 8_000_000))
    assert jobs([mine, other]) == {ID_OF[ALONE]: {mine.name}, "7311862": {other.name}}


def test_the_number_of_a_process_in_a_name_tells_of_no_job() -> None:
    """It may be any, as that of the ranks."""
    number = ID_OF[ALONE]
    of_process = log(ALONE, f"u_a.out_id{number}-{number}_11-20-67739-123_1.darshan")
    of_job = log(ALONE, f"u_a.out_id{number}-31337_11-20-67739-123_1.darshan")
    script = given(f"ranks_{number}.sh", "#!/bin/bash\n#SBATCH --nodes=2\nsrun ./patterns\n")
    for mine, count in ((of_process, 2), (of_job, 1)):
        assert sum(script.name in of for of in jobs([mine, log(COLLECTIVE), script]).values()) == count


def test_a_task_of_an_array_has_another_number_than_its_output() -> None:
    mine, task = log(ALONE), given("slurm-4127000_8.out", block(PATH_OF[ALONE], 8_000_000))
    assert jobs([mine, task]) == {ID_OF[ALONE]: {mine.name, task.name}}


def test_a_number_that_is_the_process_is_not_that_of_another_job() -> None:
    """Where no variable names the job Darshan writes the process for it, as the two numbers of the log's name say."""
    number = ID_OF[ALONE]
    of_process = log(ALONE, f"u_a.out_id{number}-{number}_11-20-67739-123_1.darshan")
    of_job = log(ALONE, f"u_a.out_id{number}-31337_11-20-67739-123_1.darshan")
    output = given("slurm-7311862.out", block(PATH_OF[ALONE], 8_000_000))
    assert jobs([of_process, output]) == {number: {of_process.name, output.name}}
    assert jobs([of_job, output]) == {number: {of_job.name}, "7311862": {output.name}}
    no_count_of_one = given("slurm-45668.out", block(PATH_OF[ALONE], 8_000_000))
    assert jobs([of_job, no_count_of_one]) == {number: {of_job.name, no_count_of_one.name}}
