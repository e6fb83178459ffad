"""What qstat -f, seff, and sacct as spreadsheets and chats give it back, say of a job."""

from __future__ import annotations

from io import BytesIO

import pytest
from job_context_text import only
from stats_text import block, codes, message, read

from iotriage_parsers import detect
from iotriage_parsers.evidence import Failure, JobContext
from iotriage_parsers.readers.job_context.accounts.sacct import MOST_ROWS

QSTAT = """Job Id: 1234567.pbs-01.hsn.example.org
    Job_Name = plume
    resources_used.cput = 12:09:11
    resources_used.walltime = 00:12:34
    job_state = F
    queue = prod
    Account_Name = z19
    exec_host = x3005c0s13b0n0/0*64+x3005c0s13b1n0/0*64+x3005c0s19b0n0/0*64+x30
\t05c0s19b1n0/0*64+x3005c0s13b0n0/1*64
    Resource_List.nodect = 5
    Resource_List.select = 4:ncpus=64:mpiprocs=32
    Resource_List.walltime = 01:00:00
    stime = Tue May 14 10:05:00 2024
    obittime = Tue May 14 10:17:40 2024
    Variable_List = PBS_O_HOME=/home/u,PBS_O_SECRET=x,
\tPBS_O_WORKDIR=/eagle/p/run 1,PBS_O_HOST=ln1
    Exit_status = 0
    project = z19
"""


@pytest.mark.parametrize("text", [QSTAT, QSTAT.replace("\n", "\r\n"), QSTAT.replace("\n\t", "\n        ")])
def test_qstat(text: str) -> None:
    job = only(text)
    assert (job.source, job.scheduler, job.job_id, job.job_name) == ("qstat", "pbs", "1234567", "plume")
    assert (job.elapsed_s, job.time_limit_s, job.state) == (754, 3600, "COMPLETED")
    assert (job.nnodes, job.ntasks, job.ranks_per_node) == (4, 128, 32), "a node may have several chunks"
    assert (job.start_local, job.end_local) == ("2024-05-14T10:05:00", "2024-05-14T10:17:40")
    assert (job.partition, job.account, job.work_dir) == ("prod", "z19", "/eagle/p/run 1")
    assert (job.line_of("nnodes"), job.line_of("elapsed_s")) == (8, 4)
    assert "PBS_O_SECRET" not in str(job)


EPILOGUE = """wave: step 400 done
======================================================================================
                  Resource Usage on 2026-11-20 18:30:00:
   Job Id:             63900001.gadi-pbs
   Project:            ab12
   Exit Status:        {status}
   Service Units:      288.00
   NCPUs Requested:    96                     NCPUs Used: 96
                                           CPU Time Used: 120:30:00
   Memory Requested:   190.0GB               Memory Used: 123.2GB
   Walltime requested: 02:00:00            Walltime Used: {used}
   JobFS requested:    100.0MB                JobFS used: 0B
======================================================================================
"""


def epilogue(status: str = "0", used: str = "01:30:30") -> str:
    return EPILOGUE.format(status=status, used=used)


@pytest.mark.parametrize(
    "text",
    [
        epilogue(),
        "".join(f"> {line}\n" for line in epilogue().splitlines()),
        "\n".join(" ".join(line.split()) for line in epilogue().splitlines()),
    ],
    ids=["as printed", "quoted", "blanks lost"],
)
def test_the_epilogue_of_pbs_at_nci(text: str) -> None:
    job = only(text)
    assert (job.source, job.scheduler, job.job_id, job.account) == ("epilogue", "pbs", "63900001", "ab12")
    assert (job.elapsed_s, job.time_limit_s, job.state) == (5430, 7200, "COMPLETED")
    assert (job.end_local, job.ntasks, job.nnodes) == ("2026-11-20T18:30:00", None, None), "CPUs are no ranks"
    assert job.line_of("elapsed_s") == 11


@pytest.mark.parametrize(
    ("status", "used", "said"),
    [
        ("0", "02:00:30", None),
        ("271 (Linux Signal 15 SIGTERM Termination)", "02:00:30", "ran into its time limit"),
        ("271 (Linux Signal 15 SIGTERM Termination)", "01:30:30", "was killed"),
        ("-17 (Job execution failed due to hook rejection)", "00:00:00", "did not run"),
        ("1", "01:30:30", "failed"),
    ],
)
def test_how_an_epilogue_says_that_a_job_ended(status: str, used: str, said: str | None) -> None:
    ended = [p.message for p in read(epilogue(status, used)).problems if p.code == "ended"]
    by = f"by its epilogue (exit status {status.split()[0]})"
    assert [m.partition(": ")[0] for m in ended] == ([] if said is None else [f"job 63900001 {said}, {by}"])


TORQUE = """Job Id: 179.host
    Job_Name = STDIN
    job_state = C
    exec_host = node1/0+node1/1+node2/0+node2/1
    Resource_List.nodes = 2:ppn=2
    resources_used.walltime = 00:00:20
    exit_status = {}
"""


def test_qstat_of_torque() -> None:
    job = only(TORQUE.format(0))
    assert (job.job_id, job.nnodes, job.ntasks, job.elapsed_s, job.state) == ("179", 2, 4, 20, "COMPLETED")


@pytest.mark.parametrize(
    ("status", "said"),
    [
        ("0", None),
        ("-29", "job 179 ran into its time limit, by qstat (Exit_status = -29)"),
        ("-27", "job 179 ran out of memory and was killed, by qstat (Exit_status = -27)"),
        ("271", "job 179 was killed, by qstat (Exit_status = 271)"),
        ("143", "job 179 was killed, by qstat (Exit_status = 143)"),
        ("1", "job 179 failed, by qstat (Exit_status = 1)"),
        ("-11", "job 179 failed, by qstat (Exit_status = -11)"),
    ],
)
def test_how_qstat_says_that_a_job_ended(status: str, said: str | None) -> None:
    problems = read(TORQUE.format(status)).problems
    assert [(p.code, p.message.split(": ")[0]) for p in problems] == ([] if said is None else [("ended", said)])


def test_a_job_under_way_has_no_time() -> None:
    text = QSTAT.replace("job_state = F", "job_state = R").replace("    Exit_status = 0\n", "")
    job = only(text)
    assert (job.state, job.took_s) == ("RUNNING", None)
    assert codes(read(text)) == ["note"]


def test_the_next_job_of_qstat_is_another() -> None:
    jobs = read(QSTAT + TORQUE.format(0) + "\n" + QSTAT.replace("1234567", "1234568")).of(JobContext)
    assert [job.job_id for job in jobs] == ["1234567", "179", "1234568"]


def test_the_words_alone_are_no_answer_of_qstat() -> None:
    assert read("Job Id: 12\nnothing\n" + QSTAT).of(JobContext)[0].job_id == "1234567"


SEFF = """Job ID: 8812346
Array Job ID: 8812340_6
Cluster: fjord
User/Group: u/g
State: {} (exit code 0)
Nodes: 4
Cores per node: 128
CPU Utilized: 20-01:00:00
CPU Efficiency: 95.00% of 21-00:00:00 core-walltime
Job Wall-clock time: 1-00:59:10
Memory Utilized: 100.00 GB
Memory Efficiency: 10.00% of 1.00 TB
"""


def test_seff() -> None:
    job = only(SEFF.format("COMPLETED"))
    assert (job.source, job.job_id, job.job_id_raw, job.cluster) == ("seff", "8812340_6", "8812346", "fjord")
    assert (job.nnodes, job.took_s, job.ntasks) == (4, 89_950, None)
    warned = SEFF.replace(
        "State:", "Use of uninitialized value $user in concatenation (.) at /bin/seff line 154.\nState:"
    )
    one, other = read(warned.format("COMPLETED") + SEFF.format("FAILED").replace("_6", "_7")).of(JobContext)
    assert (one.nnodes, one.took_s, one.job_id, other.job_id) == (4, 89_950, "8812340_6", "8812340_7")


@pytest.mark.parametrize("other", ["sea model 4.2 begins\nNodes: 90000\n", "mesh\nstate\nNodes: 90000\nState: wet\n"])
def test_what_a_program_prints_behind_seff_is_none_of_it(other: str) -> None:
    lines = SEFF.format("COMPLETED").replace("Nodes: 4\nCores per node: 128", "Cores: 1")
    job, alone = only(lines + other), only(lines)
    assert (job.nnodes, job.lines) == (None, alone.lines)


@pytest.mark.parametrize("remark", ["      <===", "   <=== !!!", " # long", " <-- here"])
def test_what_somebody_wrote_behind_a_figure_of_seff(remark: str) -> None:
    text = SEFF.format("COMPLETED")
    job, whole = only("".join(f"{line}{remark}\n" for line in text.splitlines())), only(text)
    assert (job.job_id, job.cluster, job.state) == (whole.job_id, whole.cluster, whole.state)
    assert (job.nnodes, job.took_s) == (whole.nnodes, whole.took_s)


@pytest.mark.parametrize(("state", "found"), [("RUNNING", ["note"]), ("TIMEOUT", ["ended"]), ("COMPLETED", [])])
def test_how_seff_says_that_a_job_ended_is_told_once(state: str, found: list[str]) -> None:
    assert codes(read(SEFF.format(state))) == found


@pytest.mark.parametrize("sign", ["\t", ",", ";", "|"])
def test_sacct_parted_by_any_sign(sign: str) -> None:
    rows = ("JobID JobName NNodes NTasks Elapsed State", "77 app 4  01:00:00 ", "77.0 app 4 512 00:59:10 ")
    job = only("".join(f"{row.replace(' ', sign)}\n" for row in rows))
    assert (job.nnodes, job.ntasks, job.elapsed_s) == (4, 512, 3600)
    assert [s.elapsed_s for s in job.steps] == [3550]


@pytest.mark.parametrize(
    "first", ["0|hostname|1|1|00:00:00", "0|prepare|1|4|00:00:00", "interactive|bash|1|1|00:09:59"]
)
def test_of_steps_that_took_no_whole_second_the_largest_ran_the_program(first: str) -> None:
    job = only(f"JobID|JobName|NNodes|NTasks|Elapsed\n77|a|4||00:00:02\n77.{first}\n77.1|app|4|512|00:00:00\n")
    assert job.ntasks == 512


def test_a_row_of_sacct_with_more_cells_than_columns_is_said() -> None:
    text = "JobID,NNodes,NodeList\n77,2,nid[1,3]\n78,1,nid1\n"
    assert [job.job_id for job in read(text).of(JobContext)] == ["78"]
    assert codes(read(text)) == ["torn"]


@pytest.mark.parametrize("text", ["JobID, State and more are columns of sacct\n77, RUNNING and more\n"])
def test_prose_with_commas_is_none(text: str) -> None:
    assert read(text + SEFF.format("COMPLETED")).of(JobContext)[0].source == "seff"


@pytest.mark.parametrize(
    ("subject", "job_id", "seconds", "state", "ended"),
    [
        ("Name=sea Ended, Run time 01:02:03, COMPLETED, ExitCode 0", "1034", 3723, "COMPLETED", []),
        ("Name=my sea Failed, Run time 2-00:00:13, TIMEOUT, ExitCode 0", "1034", 172_813, "TIMEOUT", ["ended"]),
        ("Name=sea Failed, Run time 00:20:13, OUT_OF_MEMORY", "1034", 1213, "OUT_OF_MEMORY", ["ended"]),
    ],
)
def test_the_subject_of_slurms_mail(subject: str, job_id: str, seconds: float, state: str, ended: list[str]) -> None:
    for before in ("", "Subject: ", "> Subject: ", "Betreff: AW: ", "件名: "):
        slurm = "SLURM" if before == "Subject: " else "Slurm"
        evidence = read(f"{before}{slurm} Job_id={job_id} {subject}\n")
        (job,) = evidence.of(JobContext)
        assert (job.source, job.job_id, job.elapsed_s, job.state) == ("epilogue", job_id, seconds, state)
        assert [code for code in codes(evidence) if code != "stripped"] == ended


def test_a_mail_that_a_job_has_begun_is_no_account_of_it() -> None:
    began = "Slurm Job_id=1034 Name=sea Began, Queued time 00:00:07\n"
    told = "Slurm Array Task Job_id=41_7 (48) Name=sea Ended, Run time 00:00:50, COMPLETED, ExitCode 0\n"
    assert [(job.job_id, job.job_id_raw) for job in read(began + told).of(JobContext)] == [("41_7", "48")]


def test_the_mail_of_pbs() -> None:
    mail = (
        "PBS Job Id: 123456.pbs01\nJob Name:   sea\nExecution terminated\nExit_status=0\nresources_used.cput=10:00:00\n"
    )
    job = only(f"{mail}resources_used.walltime=02:00:12\n\nregards\n")
    assert (job.job_id, job.job_name, job.elapsed_s, job.state) == ("123456", "sea", 7212, "COMPLETED")
    assert read(mail.replace("=0\n", "=271\n")).of(JobContext)[0].state == "FAILED"


LSF_MAIL = """Sender: LSF System <lsfadmin@n1>
Subject: Job 51451: <sea> in cluster <hill> Done

Job <sea> was submitted from host <login1> by user <u> in cluster <hill> at Mon Nov 16 10:00:00 2026
Started at Mon Nov 16 10:00:10 2026
Terminated at Mon Nov 16 11:00:12 2026

# LSBATCH: User input
#!/bin/bash
#BSUB -nnodes 2
jsrun -n 12 -a 7 ./sea
------------------------------------------------------------
Successfully completed.

Resource usage summary:

    CPU time :                                   7200.00 sec.
    Max Memory :                                 1000 MB
    Run time :                                   3602 sec.
    Turnaround time :                            3612 sec.

The output (if any) follows:

    Run time :                                   12 sec.
"""


def test_the_mail_of_lsf_has_its_script_between() -> None:
    account, script = sorted(read(LSF_MAIL).of(JobContext), key=lambda job: job.source)
    assert (account.source, account.job_id, account.elapsed_s) == ("epilogue", "51451", 3602)
    assert (account.start_local, account.end_local) == ("2026-11-16T10:00:10", "2026-11-16T11:00:12")
    assert (script.source, script.nnodes, script.launches[0].ranks) == ("script", 2, 84)
    alone = only(LSF_MAIL[LSF_MAIL.index("Resource") :])
    assert (alone.job_id, alone.elapsed_s) == (None, 3602)


def test_lsf_may_name_the_script_alone() -> None:
    at, end = LSF_MAIL.index("#!/bin/bash"), LSF_MAIL.index("------")
    named = read(f"{LSF_MAIL[:at]}./sea.lsf\n{LSF_MAIL[end:]}")
    assert [(p.code, p.line, "./sea.lsf" in p.message) for p in named.problems] == [("note", 9, True)]
    assert "note" not in [p.code for p in read(LSF_MAIL).problems]


@pytest.mark.parametrize("quote", ["", "> "])
def test_sacct_as_a_table_of_markdown(quote: str) -> None:
    table = """| JobID          | JobName | Elapsed  | NNodes | NTasks | State     |
|:---------------|---------|---------:|-------:|--------|-----------|
| 77             | sea     | 01:02:03 |      4 |        | COMPLETED |
| 77.batch       | batch   | 01:02:03 |      1 |      1 | COMPLETED |
| 77.0           | sea     | 01:01:50 |      4 |    512 | COMPLETED |
"""
    job = only("".join(f"{quote}{line}\n" for line in ("So it ran:", "", *table.splitlines(), "", "Thanks")))
    assert (job.job_id, job.elapsed_s, job.nnodes, job.ntasks, job.state) == ("77", 3723, 4, 512, "COMPLETED")


def test_a_first_row_of_sacct_that_was_moved_is_told() -> None:
    moved = (
        "JobID           JobName    Elapsed   NNodes   NTasks      State\n"
        "------------ ---------- ---------- -------- -------- ----------\n"
        "77         sea   00:10:00        2           COMPLETED\n"
    )
    outcome = detect.read(BytesIO(moved.encode()))
    assert isinstance(outcome, Failure)
    assert "line 3 is a row whose cells cross columns" in outcome.message


def test_cells_of_sacct_longer_than_their_columns_push_the_others() -> None:
    text = (
        "JobID           JobName   NNodes   NTasks    Elapsed      State\n"
        "------------ ---------- -------- -------- ---------- ----------\n"
        "7204411           plume        2          10-02:11:40  COMPLETED\n"
        "7204411.0         plume        2      256 10-02:11:38  COMPLETED\n"
        "7204412        M\u00fcller        3            02:11:38  COMPLETED\n"
        "7204413.1234567         sea        4      512   00:11:38  COMPLETED\n"
    )
    evidence = read(text)
    first, second, third = evidence.of(JobContext)
    assert (first.job_id, first.nnodes, first.ntasks, first.elapsed_s) == ("7204411", 2, 256, 871_900.0)
    assert (second.job_name, second.nnodes, second.elapsed_s) == ("M\u00fcller", 3, 7_898.0)
    assert [(s.step, s.nnodes, s.ntasks, s.elapsed_s) for s in third.steps] == [("1234567", 4, 512, 698.0)]
    assert codes(evidence) == []


def test_rows_of_sacct_beyond_the_most_that_are_read_are_said() -> None:
    rows = "".join(f"{n}|a|2|00:10:00\n" for n in range(1, MOST_ROWS + 4))
    answer = read(f"JobIDRaw|JobName|NNodes|Elapsed\n{rows}")
    assert len(answer.of(JobContext)) == MOST_ROWS
    assert message(answer, "limit") == "3 rows of sacct behind the first 20,000 were not read"


def test_a_row_of_sacct_whose_cells_cross_columns_is_said() -> None:
    text = (
        "JobID           JobName   NNodes   NTasks    Elapsed\n"
        "------------ ---------- -------- -------- ----------\n"
        "7204411           plume        2            02:11:40\n"
        "7204411.0    a much longer name    2   256   02:11:38\n"
    )
    evidence = read(text)
    assert [c.job_id for c in evidence.of(JobContext)] == ["7204411"]
    assert [(p.code, p.line, p.loses_data) for p in evidence.problems] == [("torn", 4, True)]


def with_tabs(text: str) -> str:
    """As `unexpand -a`, and editors, write blanks before a stop of tabs."""

    def unexpanded(line: str) -> str:
        chunks = [line[at : at + 8] for at in range(0, len(line), 8)]
        return "".join(f"{c.rstrip()}\t" if len(c) == 8 and c.endswith("  ") else c for c in chunks)

    return "\n".join(map(unexpanded, text.split("\n")))


@pytest.mark.parametrize(
    "table",
    [
        """       JobID    JobName    Elapsed   NNodes   NTasks      State
------------ ---------- ---------- -------- -------- ----------
11                  sea   01:02:03        4           COMPLETED
11.batch          batch   01:02:03        1        1  COMPLETED
11.0              sea.x   01:01:00        4      256     FAILED
""",
        """JobID           JobName   NNodes    Elapsed      State   NTasks
------------ ---------- -------- ---------- ---------- --------
11                  sea        4   01:02:03  COMPLETED
11.0              sea.x        4   01:01:00     FAILED      256
""",
    ],
)
def test_a_table_of_sacct_whose_blanks_became_tabs_has_its_own_columns(table: str) -> None:
    (plain,), (tabs,) = read(table).of(JobContext), read(with_tabs(table)).of(JobContext)
    assert "\t" in with_tabs(table)
    assert tabs == plain
    assert (tabs.nnodes, tabs.ntasks, tabs.elapsed_s, tabs.state) == (4, 256, 3723, "COMPLETED")


@pytest.mark.parametrize(
    "printed",
    [
        "real\t1m2.345s\nuser\t0m50.100s\nsys\t0m3.200s\n",
        "real\t1m2,345s\nuser\t0m50,100s\nsys\t0m3,200s\n",
        "réel\t1m2,345s\nutilisateur\t0m50,100s\nsys\t0m3,200s\n",
        "réel\t1m2,345s\nutilisateur\t0m50,100s\nsystème\t0m3,200s\n",
    ],
)
def test_what_a_shell_says_of_the_time_in_the_language_of_its_user(printed: str) -> None:
    times = [job.elapsed_s for job in read(f"{block()}\n{printed}").of(JobContext)]
    assert times == [62.345]


@pytest.mark.parametrize(("took", "seconds"), [("0:05.12", 5.12), ("2:05.50", 125.5), ("1:02:03", 3723.0)])
def test_what_gnu_time_says(took: str, seconds: float) -> None:
    brief = f"1.20user 0.30system {took}elapsed 29%CPU (0avgtext+0avgdata 2048maxresident)k\n"
    verbose = f"\tElapsed (wall clock) time (h:mm:ss or m:ss): {took}\n"
    for printed in (brief, verbose):
        assert [job.elapsed_s for job in read(f"{block()}\n{printed}").of(JobContext)] == [seconds]
