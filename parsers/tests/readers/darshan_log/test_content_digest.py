"""One digest for one content, however the log is compressed."""

from __future__ import annotations

from dataclasses import replace
from io import BytesIO
from pathlib import Path

from darshan_writer import Counters, Job, Log, build, record_id

from iotriage_parsers.reader import Limits
from iotriage_parsers.readers.darshan_log.content_digest import content_digest

SAMPLES = Path(__file__).parents[4] / "sample-logs" / "darshan_log"
FILE = record_id("/scratch/a")
LOG = Log(
    job=Job(), names={FILE: "/scratch/a"}, modules=(Counters.of("POSIX", {"id": FILE, "rank": -1, "POSIX_WRITES": 4}),)
)


def digest(content: bytes) -> str | None:
    return content_digest(BytesIO(content), Limits())


def test_compression_changes_nothing() -> None:
    assert len({digest(build(replace(LOG, compression=c))) for c in ("zlib", "bzip2", "none")}) == 1


def test_a_log_that_is_written_again_is_the_same() -> None:
    """`darshan-convert` writes the addresses of its own memory into the heatmaps."""

    converted, original = (
        digest((SAMPLES / name / f"{name}.darshan").read_bytes())
        for name in ("49-bzip2-heat2d-tuned", "40-heat2d-tuned")
    )
    assert converted == original is not None


def test_another_content_has_another() -> None:
    other_job = replace(LOG, job=Job(job_id=2))
    other_name = replace(LOG, names={FILE: "/scratch/b"})
    flagged = replace(LOG, modules=(replace(LOG.modules[0], partial=True),))
    assert len({digest(build(log)) for log in (LOG, other_job, other_name, flagged)}) == 4


def test_damage_has_none() -> None:
    whole = build(LOG)
    assert digest(whole[:-10]) is None
    assert digest(b"x" * 2000) is None
    assert digest(whole[:16] + b"\x07" + whole[17:]) is None
