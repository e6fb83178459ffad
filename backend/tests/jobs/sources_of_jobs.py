"""Sources of jobs, grouped and diagnosed as the command line does."""

from __future__ import annotations

import hashlib
import io
from pathlib import Path

from iotriage.analysis.document import CaseDocument
from iotriage.analysis.engine import diagnose
from iotriage.analysis.inputs import ReadSource, unpack_archives
from iotriage.analysis.jobs import group_by_job, select_job_parts, source_identity_of
from iotriage_parsers.detect import read_or_unpack

COLLECTIVE, ALONE = "08-shared-strided-collective", "06-shared-indep-1000b-unaligned"
ID_OF = {COLLECTIVE: "4127122", ALONE: "4127088"}
LOGS = Path(__file__).resolve().parents[3] / "sample-logs" / "darshan_log"


def log(name: str, shown: str | None = None) -> ReadSource:
    return given(shown or f"{name}.darshan", (LOGS / name / f"{name}.darshan").read_bytes())


def given(name: str, data: bytes | str) -> ReadSource:
    data = data.encode() if isinstance(data, str) else data
    return ReadSource(name, hashlib.sha256(data).hexdigest(), len(data), read_or_unpack(io.BytesIO(data)))


def block(path: str, written: int, ranks: int = 8, calls: int = 8) -> str:
    return (
        "+--------------------------------------------------------+\n"
        f"| MPIIO write access patterns for {path}\n"
        f"|   ranks in communicator   = {ranks}\n"
        "|   independent writes      = 0\n"
        f"|   collective writes       = {calls}\n"
        "|   independent writers     = 0\n"
        "|   aggregators             = 2\n"
        "|   stripe count            = 1\n"
        "|   stripe size             = 1048576\n"
        "|   system writes           = 64\n"
        "|   stripe sized writes     = 0\n"
        f"|   total bytes for writes  = {written} = {written >> 20} MiB\n"
        "|   ave system write size   = 1048576\n"
        "|   read-modify-write count = 0\n"
        "|   read-modify-write bytes = 0\n"
        "|   number of write gaps    = 0\n"
        "|   ave write gap size      = NA\n"
        "+--------------------------------------------------------+\n"
    )


def jobs(sources: list[ReadSource], many: bool = False) -> dict[str | None, set[str]]:
    found = group_by_job([source_identity_of(s) for s in unpack_archives(sources)], many=many)
    names = [s.name for s in unpack_archives(sources)]
    return {job.id: {names[i] for i in job.sources} for job in found.jobs}


def case_of(sources: list[ReadSource], job_id: str) -> CaseDocument:
    (job,) = [j for j in group_by_job([source_identity_of(s) for s in unpack_archives(sources)]).jobs if j.id == job_id]
    mine = [sources[i] for i in job.sources]
    return diagnose(select_job_parts(mine, [job.id if job.among_others else None] * len(mine)))
