"""Archives in a case: each file a source of its own, counted once, and nothing hidden."""

from __future__ import annotations

import hashlib
import io
import zipfile
from pathlib import Path

from iotriage.analysis.document import CaseDocument
from iotriage.analysis.engine import diagnose
from iotriage.analysis.inputs import ReadSource
from iotriage.reports.plain_json import as_json
from iotriage_parsers.detect import read_or_unpack
from iotriage_parsers.reader import Limits

SAMPLES = Path(__file__).resolve().parents[4] / "sample-logs"
DARSHAN = (SAMPLES / "darshan_log/06-shared-indep-1000b-unaligned/06-shared-indep-1000b-unaligned.darshan").read_bytes()
OTHER = (SAMPLES / "darshan_log/39-heat2d-legacy/39-heat2d-legacy.darshan").read_bytes()


def zipped(*files: bytes) -> bytes:
    packed = io.BytesIO()
    with zipfile.ZipFile(packed, "w") as archive:
        for number, data in enumerate(files):
            archive.writestr(f"{number}.log", data)
    return packed.getvalue()


def given(name: str, data: bytes, limits: Limits | None = None) -> ReadSource:
    return ReadSource(name, hashlib.sha256(data).hexdigest(), len(data), read_or_unpack(io.BytesIO(data), limits))


def figures(document: CaseDocument) -> dict[str, object]:
    return {id: m.value for id, m in document.metrics.items()}


def test_a_log_in_an_archive_says_what_it_says_alone() -> None:
    alone, packed = diagnose([given("log", DARSHAN)]), diagnose([given("a.zip", zipped(DARSHAN))])
    assert figures(packed) == figures(alone)
    assert packed.headline == alone.headline
    (report,) = packed.sources
    assert (report.name, report.given, report.member) == ("a.zip › 0.log", 0, 0)
    assert report.sha256 == alone.sources[0].sha256


def test_sources_after_an_archive_know_which_file_they_are() -> None:
    document = diagnose([given("a.zip", zipped(DARSHAN, OTHER)), given("job.err", b"step 1\n")])
    assert [(s.given, s.member) for s in document.sources] == [(0, 0), (0, 1), (1, None)]


def test_a_file_given_again_in_an_archive_is_counted_once() -> None:
    once, again = diagnose([given("log", DARSHAN)]), diagnose([given("log", DARSHAN), given("a.zip", zipped(DARSHAN))])
    assert figures(again) == figures(once)
    assert "the same file as log" in again.sources[1].warnings[-1].message


def test_logs_of_different_jobs_are_shown_to_be() -> None:
    document = diagnose([given("a.zip", zipped(DARSHAN, OTHER))])
    (differ,) = [a for a in document.agreement if a.quantity == "job id"]
    assert not differ.agrees
    assert {s.source for s in differ.statements} == {0, 1}


def test_what_an_archive_left_out_is_a_source_that_failed() -> None:
    document = diagnose([given("a.zip", zipped(DARSHAN, OTHER), Limits(members=1))])
    assert [s.status for s in document.sources] == ["complete", "failed"]
    assert document.sources[1].name == "a.zip"
    assert "more than 1 files" in (document.sources[1].failure or "")
    assert '"a.zip"' in as_json(document)


SCRIPT = b"#!/bin/bash\n#SBATCH --nodes=2\nexport MPICH_MPIIO_STATS=2\nexport MPICH_MPIIO_STATS_FILE=%s\nsrun ./a.out\n"


def test_files_of_statistics_for_each_rank_are_named_and_not_missed() -> None:
    """Their layout is not published: the name is all that can be told."""
    names = ["cray_mpiio_stats.3", "run/stats_mpiio_17.csv", "other.csv"]
    document = diagnose(
        [
            given("job.slurm", SCRIPT % b"out/stats_mpiio"),
            *(given(name, b"1,2\n3,4\n" + name.encode()) for name in names),
        ]
    )
    said = [s.failure or "" for s in document.sources[1:]]
    assert "MPICH_MPIIO_STATS=2 writes for one rank, number 3" in said[0]
    assert "number 17" in said[1]
    assert "MPICH_MPIIO_STATS=2" not in said[2]
    (finding,) = [f for f in document.findings if f.rule == "statistics-not-printed"]
    assert finding.verdict == "triggered"
    assert "went to files" in (finding.headline or "")


def test_a_file_that_is_read_is_not_told_by_its_name() -> None:
    document = diagnose([given("cray_mpiio_stats.darshan", DARSHAN)])
    assert document.sources[0].status == "complete"
