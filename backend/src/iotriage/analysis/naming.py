"""Gives a name to a text that was pasted or piped and so has none."""

from __future__ import annotations

from iotriage.analysis.document import CaseDocument
from iotriage_parsers.evidence import AggregatorPlacement, BenchmarkRun, MpiioHints, MpiioStats, MpiioTimers

PASTED = "pasted-text.txt"
"""The name that the page gives to pasted text."""


def name_of_text(document: CaseDocument) -> str | None:
    """ "MPICH_MPIIO_STATS output of job 4021377, cfd_les.x": what was read of it first, the job, and the program or,
    where no source names one, the first file that it tells of. None where nothing was read."""
    kind = next((source.title for source in document.sources if source.title is not None), None)
    if kind is None:
        return None
    job = document.job
    of_job = "" if job.job_id is None else f" of job {job.job_id}"
    about = job.executable or next((file for file in _files(document) if file), None)
    return f"{kind}{of_job}" if about is None else f"{kind}{of_job}, {about.rsplit('/', 1)[-1]}"


def _files(document: CaseDocument) -> list[str | None]:
    naming_file = MpiioStats | MpiioTimers | MpiioHints | AggregatorPlacement | BenchmarkRun
    return [text.part.file for text in document.texts if isinstance(text.part, naming_file)]
