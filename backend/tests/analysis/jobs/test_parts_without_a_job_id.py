"""What names no job is joined with the run whose file it tells of, or offered, or neither; in either order."""

from __future__ import annotations

from dataclasses import replace
from io import BytesIO

import pytest
from darshan_writer import Counters, Job, Log, build, record_id
from parts_of_a_job import ior_output, lfs_getstripe

from iotriage.analysis.inputs import ReadSource, unpack_archives
from iotriage.analysis.jobs import CaseIdentity, Joinable, NotJoinable, are_incompatible, case_identity_of, match_cases
from iotriage_parsers.detect import read

PATH = "/scratch/bay/field.h5"
JOB = Job(job_id=4127001, start_s=1_760_000_000, end_s=1_760_000_100, nprocs=512)
"""It began at 08:53:20 UTC."""


def log(job: Job = JOB) -> bytes:
    row = {"id": record_id(PATH), "rank": -1, "POSIX_OPENS": 4, "POSIX_WRITES": 9, "POSIX_BYTES_WRITTEN": 2**30}
    return build(Log(job=job, names={record_id(PATH): PATH}, modules=(Counters.of("POSIX", row),)))


def said(data: bytes) -> CaseIdentity:
    return case_identity_of(unpack_archives([ReadSource("given", "0" * 64, len(data), read(BytesIO(data)))]))


LOG = log()
DIRECTORY = (
    b"$ lfs getstripe -d /scratch/bay\n/scratch/bay\nstripe_count:  4 stripe_size:   1048576 stripe_offset: -1\n"
)


def script(program: str = "sim", ranks: int = 512) -> bytes:
    return f"#!/bin/bash\n#SBATCH --ntasks={ranks}\nsrun ./{program} input.nml\n".encode()


JOINED = {
    "the striping of its file": (LOG, lfs_getstripe(PATH), f"the striping of {PATH}"),
    "a result of the same minute": (LOG, ior_output(PATH), "began in the same minute"),
    "a result of the same minute in India": (
        LOG,
        ior_output(PATH, "Thu Oct  9 14:23:05 2025"),
        "began in the same minute",
    ),
    "the striping of a result's file": (ior_output(PATH), lfs_getstripe(PATH), f"the striping of {PATH}"),
}
OFFERED = {
    "a script that starts its program": (LOG, script(), "names alone do not say"),
    "the striping of its directory": (LOG, DIRECTORY, f"where {PATH} of the other lies"),
    "a result without a time": (LOG, ior_output(PATH, "at noon"), "nothing says that it is the same run"),
}
OF_OTHERS = {
    "a result of another minute": ior_output(PATH, "Thu Oct  9 10:58:25 2025"),
    "a result of another day": ior_output(PATH, "Fri Oct 10 10:53:25 2025"),
    "a result of other ranks": ior_output(PATH, ranks=256),
    "a result on another file": ior_output("/scratch/bay/other"),
    "a result on a file of that name alone": ior_output("field.h5"),
    "the striping of another file": lfs_getstripe("/scratch/bay/other"),
    "the striping of a name alone": lfs_getstripe("field.h5"),
    "a script of the same program on other ranks": script(ranks=256),
    "a script of another program": script("other"),
}


@pytest.mark.parametrize(("run", "text", "because"), JOINED.values(), ids=JOINED)
def test_a_file_of_both_joins(run: bytes, text: bytes, because: str) -> None:
    for one, other in ((run, text), (text, run)):
        told = match_cases(said(one), said(other))
        assert isinstance(told, Joinable)
        assert because in told.because


@pytest.mark.parametrize(("run", "text", "because"), OFFERED.values(), ids=OFFERED)
def test_less_than_that_is_offered(run: bytes, text: bytes, because: str) -> None:
    for one, other in ((run, text), (text, run)):
        told = match_cases(said(one), said(other))
        assert isinstance(told, NotJoinable)
        assert not told.differ
        assert because in told.because


@pytest.mark.parametrize("text", OF_OTHERS.values(), ids=OF_OTHERS)
def test_what_is_of_another_job_is_neither(text: bytes) -> None:
    assert match_cases(said(LOG), said(text)) is None
    assert match_cases(said(text), said(LOG)) is None


def test_two_runs_are_never_told_together_by_their_file() -> None:
    unnamed = said(log(replace(JOB, job_id=0)))
    other = said(log(replace(JOB, job_id=0, start_s=JOB.start_s + 900, end_s=JOB.end_s + 900)))
    assert not isinstance(match_cases(unnamed, other), Joinable)


def test_which_of_several_may_be_one_with_a_third() -> None:
    striping, directory, result = said(lfs_getstripe(PATH)), said(DIRECTORY), said(ior_output(PATH))
    later = said(ior_output(PATH, "Thu Oct  9 10:58:25 2025"))
    assert not are_incompatible(striping, directory)
    assert not are_incompatible(striping, result)
    assert are_incompatible(result, later)
    assert are_incompatible(said(LOG), said(log(replace(JOB, job_id=4127002))))
