"""A list of several jobs beside the output of one: nothing of another job's time, nodes or end is the run's."""

from __future__ import annotations

import pytest
from sources_of_jobs import ALONE, ID_OF, block, case_of, given, jobs, log

from iotriage.analysis.document import CaseDocument
from iotriage.analysis.engine import diagnose
from iotriage.analysis.inputs import unpack_archives
from iotriage.analysis.jobs import listed_job, select_job_parts, source_identity_of

LIST = (
    "JobID|JobName|State|Elapsed|NNodes|NTasks\n"
    "8140|prep|COMPLETED|00:02:11|1|\n"
    "8142|waves|COMPLETED|00:41:10|4|\n"
    "8142.0|waves|COMPLETED|00:40:00|4|64\n"
    "8149|post|TIMEOUT|02:00:09|2|\n"
)
TASKS = (
    "JobID|JobName|State|Elapsed|NNodes\n"
    "900_1|waves|COMPLETED|00:41:10|4\n"
    "900_2|waves|COMPLETED|00:04:10|4\n"
    "900_3|waves|TIMEOUT|02:00:10|4\n"
)
OUTPUT = block("/s/waves.dat", 8 << 30, ranks=64)


def said_of_the_list(document: CaseDocument) -> str:
    return " ".join(w.message for w in document.sources[0].warnings)


def test_of_several_listed_jobs_that_nothing_names_no_figure_is_the_runs() -> None:
    document = diagnose([given("list.txt", LIST), given("job.err", OUTPUT)])
    assert (document.job.job_id, document.job.runtime_s, document.job.nnodes) == (None, None, None)
    assert document.headlines.end is None
    assert "ran into its time limit" not in document.headline.sentence
    assert "several jobs (8140, 8142, 8149)" in said_of_the_list(document)
    assert [t.part.job_id for t in document.texts if t.part.kind == "job_context"] == ["8140", "8142", "8149"]


def test_a_list_alone_is_of_no_job() -> None:
    document = diagnose([given("list.txt", LIST)])
    assert (document.job.job_id, document.job.runtime_s) == (None, None)
    one = diagnose([given("one.txt", "".join(LIST.splitlines(keepends=True)[i] for i in (0, 2, 3)))])
    assert (one.job.job_id, one.job.runtime_s) == ("8142", 2400.0)


@pytest.mark.parametrize("name", ["slurm-8142.out", "waves-8142.err"])
def test_the_name_of_the_output_tells_which_is_meant(name: str) -> None:
    sources = [given("list.txt", LIST), given(name, OUTPUT)]
    assert jobs(sources) == {"8142": {"list.txt", name}}
    document = case_of(sources, "8142")
    assert (document.job.job_id, document.job.runtime_s, document.job.nnodes) == ("8142", 2400.0, 4)
    assert document.headlines.end is None
    assert "8149" not in said_of_the_list(document)


def test_the_end_that_an_output_tells_of_says_which_is_meant() -> None:
    ended = OUTPUT + "slurmstepd: error: *** JOB 8149 ON n1 CANCELLED AT 2026-11-20T18:49:20 DUE TO TIME LIMIT ***\n"
    document = case_of([given("list.txt", LIST), given("job.err", ended)], "8149")
    assert (document.job.job_id, document.job.runtime_s) == ("8149", 7209.0)
    assert document.headlines.end is not None


def test_outputs_of_tasks_of_an_array_are_jobs_of_their_own() -> None:
    outputs = [given(f"slurm-900_{n}.err", block(f"/s/{n}/waves.dat", n << 30, ranks=64)) for n in (1, 3)]
    sources = [*outputs, given("list.txt", TASKS)]
    found = jobs(sources)
    assert found["900_1"] == {outputs[0].name, "list.txt"}
    assert found["900_3"] == {outputs[1].name, "list.txt"}
    first = case_of(sources, "900_1")
    assert (first.job.runtime_s, first.metrics["io.bytes_written"].value) == (2470.0, 1 << 30)
    assert first.headlines.end is None
    assert case_of(sources, "900_3").headlines.end is not None


def test_somebody_may_choose_one_of_a_list() -> None:
    sources = [given("list.txt", LIST), given("job.err", OUTPUT)]
    identities = [source_identity_of(s) for s in unpack_archives(sources)]
    own = listed_job(identities, "8142")
    assert own is not None
    document = diagnose(select_job_parts(sources, [own.id] * 2))
    assert document.job.runtime_s == 2400.0
    assert listed_job(identities, "8143") is None


def test_beside_a_log_a_list_of_other_jobs_says_nothing_of_its_run() -> None:
    document = diagnose([given("list.txt", LIST), log(ALONE)])
    assert document.headlines.end is None
    assert not {"nodes", "job id"} & {a.quantity for a in document.agreement}


OTHER = "JobID|JobName|State|Elapsed|NNodes\n{}|other|TIMEOUT|02:00:10|9\n"


def test_an_account_of_another_job_than_the_outputs_number_is_not_of_its_run() -> None:
    output, account = given("slurm-8142.out", OUTPUT), given("acct.txt", OTHER.format(8200))
    assert jobs([account, output]) == {"8200": {account.name}, "8142": {output.name}}
    assert jobs([given("acct.txt", OTHER.format(8142)), output]) == {None: {"acct.txt", output.name}}
    unsure = given("run-2048.out", OUTPUT)
    assert jobs([account, unsure]) == {None: {account.name, unsure.name}}, "that may be its ranks"


def test_an_account_of_another_job_than_the_logs_is_not_of_its_run() -> None:
    mine, own = log(ALONE), given("own.txt", OTHER.format(ID_OF[ALONE]))
    account = given("acct.txt", OTHER.format(4127999))
    assert jobs([mine, account]) == {ID_OF[ALONE]: {mine.name}, "4127999": {account.name}}
    assert jobs([mine, own]) == {ID_OF[ALONE]: {mine.name, own.name}}
    document = diagnose([mine, own, account])
    assert [t.part.job_id for t in document.texts if t.part.kind == "job_context"] == [ID_OF[ALONE], "4127999"]
    assert "other jobs (4127999)" in document.sources[2].warnings[-1].message
