"""Blocks of any format in the comments of a script: told, and not read."""

from __future__ import annotations

from io import BytesIO

import pytest
from stats_text import REPOSITORY, read

from iotriage_parsers import detect
from iotriage_parsers.evidence import Evidence, Failure, JobContext, MpiioStats

SAMPLES = REPOSITORY / "sample-logs"
HEAD = "#!/bin/bash\n#SBATCH --nodes=2\n# the last run:\n"
END = "#SBATCH --ntasks=64\nexport OMP_NUM_THREADS=4\nsrun ./sea\n"
FORMATS = {
    "benchio": "benchio output",
    "craypat": "CrayPAT report",
    "dlio": "DLIO or MLPerf Storage metrics",
    "elbencho": "elbencho output",
    "fio": "fio output",
    "io500": "IO500 result",
    "ior": "IOR output",
    "lfs_getstripe": "lfs getstripe output",
    "mdtest": "mdtest output",
    "mpich_hints": "MPI-IO hints",
    "mpich_stats": "MPICH_MPIIO_STATS output",
    "mpich_timers": "MPICH_MPIIO_TIMERS output",
    "storage_layout": "layout of storage",
}
SUMMARY = """# darshan log version: 3.41
# exe: ./sea
# uid: 1000
# jobid: 5145
# start_time: 1426266325
# end_time: 1426266425
# nprocs: 8
# run time: 101.0000

# POSIX module data
# performance
# -----------
# total_bytes: 1073741824
# agg_time_by_slowest: 1.000000
# agg_perf_by_slowest: 1024.000000 # MiB/s
"""
NO_FILES = "\n".join((*SUMMARY.replace("3.41", "2.06").splitlines()[:8], "", "# no files opened.", ""))


def samples_of(reader: str) -> list[str]:
    """The texts of a sample folder in which that reader finds something."""
    found = []
    for path in sorted((SAMPLES / reader).rglob("*")):
        text = path.read_text(errors="replace") if path.is_file() and path.suffix != ".json" else ""
        whole = detect.read(BytesIO(text.encode()))
        if isinstance(whole, Evidence) and whole.reader == reader and 0 < len(text) < 20_000:
            found.append(text)
    return found[:2]


@pytest.mark.parametrize("sign", ["# ", "#", "##  "])
@pytest.mark.parametrize("reader", sorted(FORMATS))
def test_what_an_earlier_run_gave_is_told_in_a_scripts_comments_and_not_read(reader: str, sign: str) -> None:
    texts = samples_of(reader)
    assert texts
    for text in texts:
        script = HEAD + "".join(f"{sign}{line}\n" for line in text.splitlines()) + END
        evidence = read(script)
        (job,) = evidence.of(JobContext)
        assert evidence.parts == (job,)
        assert (job.nnodes, job.ntasks, len(job.launches)) == (2, 64, 1)
        notes = [p for p in evidence.problems if p.message.startswith(f"{FORMATS[reader]}")]
        assert notes
        assert all("in comments (lines " in p.message and not p.loses_data for p in notes)


@pytest.mark.parametrize("reader", ["darshan_parser_text", "ipm"])
def test_a_text_whose_head_has_signs_is_read_between_a_script_and_its_next_line(reader: str) -> None:
    """As in a ticket: the signs are its own, and its head says of which run it is."""
    texts = [text for text in samples_of(reader) if all(line.startswith("#") for line in text.split("\n") if line)]
    for text in (*texts, SUMMARY, NO_FILES):
        wanted = [part.kind for part in read(text).parts]
        evidence = read(f"{HEAD}srun ./sea\n\n{text}\n{END}")
        assert sorted(part.kind for part in evidence.parts) == sorted([*wanted, "job_context"])
        assert not [p for p in evidence.problems if "in comments" in p.message]


def test_one_line_in_a_comment_is_called_a_line() -> None:
    warning = "MPIIO WARNING: DVS stripe width of 32 was requested but DVS set it to 28"
    (noted,) = [p.message for p in read(f"{HEAD}# {warning}\n{END}").problems if "in comments" in p.message]
    assert "in comments (line 4)" in noted


def test_comments_beside_output_take_nothing_from_it() -> None:
    (text, *_) = samples_of("mpich_stats")
    commented = "".join(f"# {line}\n" for line in text.splitlines())
    alone, beside = read(text).of(MpiioStats), read(HEAD + commented + END + text).of(MpiioStats)
    assert alone
    assert [(s.file, s.direction, s.collective_accesses) for s in beside] == [
        (s.file, s.direction, s.collective_accesses) for s in alone
    ]


def test_a_text_that_has_nothing_but_comments_says_so() -> None:
    (text, *_) = samples_of("ior")
    notes = "the run of Monday was slow\n" * 300 + "".join(f"# {line}\n" for line in text.splitlines())
    failed = detect.read(BytesIO(notes.encode()))
    assert isinstance(failed, Failure)
    assert "IOR output in comments (lines 301-" in failed.message


def test_a_module_that_a_script_does_not_load_is_not_the_runs() -> None:
    script = f"{HEAD}# module load cray-mpich/7.7.1\n#module load cray-mpich/7.7.2\n{END}"
    for text in (script, "".join(f"> {line}\n" for line in script.splitlines())):
        assert [part.kind for part in read(text).parts] == ["job_context"]


DOCUMENTS = ("cat <<EOF > notes.md\n{}EOF\n", ": <<'END OF NOTES'\n{}END OF NOTES\n", 'tee old.txt <<-"X"\n{}\tX\n')


@pytest.mark.parametrize("reader", sorted({*FORMATS, "darshan_parser_text", "ipm"}))
def test_what_a_script_writes_by_a_here_document_is_told_and_not_read(reader: str) -> None:
    for text, document in zip(samples_of(reader), DOCUMENTS, strict=False):
        evidence = read(HEAD + document.format(f"the run of Monday:\n{text}\n") + END)
        (job,) = evidence.parts
        assert isinstance(job, JobContext)
        assert (job.nnodes, job.ntasks, len(job.launches)) == (2, 64, 1)
        notes = [p for p in evidence.problems if "in a here-document (line" in p.message]
        assert notes
        assert not any(p.loses_data for p in evidence.problems)


def test_a_here_document_takes_nothing_from_what_the_job_printed() -> None:
    (text, *_) = samples_of("mpich_stats")
    cut = text[: text.rindex("|")]
    alone, beside = read(text).of(MpiioStats), read(HEAD + DOCUMENTS[0].format(f"{cut}\n") + END + text).of(MpiioStats)
    assert alone
    assert [(s.file, s.direction, s.collective_accesses) for s in beside] == [
        (s.file, s.direction, s.collective_accesses) for s in alone
    ]


def test_what_stands_behind_a_here_document_without_an_end_is_read() -> None:
    (text, *_) = samples_of("mpich_stats")
    assert read(f"{HEAD}cat <<EOF\nnotes\n{END}{text}").of(MpiioStats)
