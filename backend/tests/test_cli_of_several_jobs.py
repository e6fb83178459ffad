"""`iotriage diagnose` of sources of several jobs: one report a job, of files and of folders."""

from __future__ import annotations

import json
import os
import shutil
import subprocess
import sys
import zipfile
from pathlib import Path

import pytest

from iotriage import cli

LOGS = Path(__file__).resolve().parents[2] / "sample-logs" / "darshan_log"
TWO = ("06-shared-indep-1000b-unaligned", "08-shared-strided-collective")


def run(capsys: pytest.CaptureFixture[str], *arguments: str) -> tuple[int, str, str]:
    with pytest.raises(SystemExit) as ended:
        cli.main(["diagnose", *arguments])
    printed = capsys.readouterr()
    assert isinstance(ended.value.code, int)
    return ended.value.code, printed.out, printed.err


def two_jobs(folder: Path) -> Path:
    for name in TWO:
        (folder / "jobs" / name).mkdir(parents=True)
        shutil.copy(LOGS / name / f"{name}.darshan", folder / "jobs" / name / "run.darshan")
    (folder / "jobs" / TWO[0] / "job.sh").write_text("#!/bin/bash\n#SBATCH --nodes=1\nsrun -n 8 ./patterns\n")
    (folder / "jobs" / ".hidden").write_text("not looked at")
    (folder / "jobs" / "picture.png").write_bytes(b"\x89PNG\r\n\x1a\n\0\0")
    return folder / "jobs"


def test_a_folder_is_a_report_for_each_job(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    status, out, err = run(capsys, str(two_jobs(tmp_path)), "--format", "json")
    documents = [json.loads(line) for line in out.splitlines()]
    assert [d["job"]["job_id"] for d in documents] == ["4127088", "4127122"]
    assert [[s["name"].rpartition("/")[2] for s in d["sources"]] for d in documents] == [
        ["job.sh", "run.darshan"],
        ["run.darshan"],
    ]
    assert err.splitlines() == [
        "iotriage diagnose: 4 files, 2 jobs",
        "iotriage diagnose: not read: jobs/picture.png: a PNG picture, not a log that we know",
    ]
    assert status == cli.DONE


def test_files_of_a_folder_stand_as_a_person_counts(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    for i in (10, 2, 1):
        (tmp_path / f"part{i}²").mkdir()
        (tmp_path / f"part{i}²" / "job.sh").write_text(f"#!/bin/bash\n#SBATCH --nodes={i}\nsrun -n 8 ./patterns\n")
    _, out, _ = run(capsys, str(tmp_path), "--format", "json")
    names = [source["name"] for line in out.splitlines() for source in json.loads(line)["sources"]]
    assert [name.split("/")[-2] for name in names] == ["part1²", "part2²", "part10²"]


def test_logs_of_two_jobs_are_two_reports(capsys: pytest.CaptureFixture[str]) -> None:
    logs = [str(LOGS / name / f"{name}.darshan") for name in TWO]
    status, out, _ = run(capsys, *logs, "--fail-on", "high")
    assert out.startswith("1 of 2: job 4127088\n")
    assert "\n2 of 2: job 4127122\n" in out
    assert status == cli.FINDINGS
    _, alone, _ = run(capsys, *logs, "--job", "4127122")
    assert "4127088" not in alone
    status, _, err = run(capsys, *logs, "--job", "1")
    assert (status, err) == (
        cli.BAD_USE,
        "iotriage diagnose: no source is of job '1'; they are of: 4127088, 4127122\n",
    )
    _, both, _ = run(capsys, *logs, "--together", "--format", "json")
    assert [job["id"] for job in json.loads(both)["jobs"]] == ["4127088", "4127122"]
    status, _, err = run(capsys, *logs, "--format", "html")
    assert status == cli.BAD_USE
    assert "--job" in err


def test_a_terminal_is_told_how_far_it_is(tmp_path: Path) -> None:
    """On a line that is empty in the end; in pipes, as above, there is none of it."""
    ours, theirs = os.openpty()
    command = [sys.executable, "-c", "from iotriage.cli import main; main()", "diagnose", str(two_jobs(tmp_path))]
    subprocess.run(command, stdout=subprocess.DEVNULL, stderr=theirs, check=True)
    os.close(theirs)
    said = os.read(ours, 65536).decode().replace("\r\n", "\n")
    os.close(ours)
    told = [line.removesuffix("\r") for line in said.split("\x1b[K")]
    assert "0 of 2 jobs diagnosed" in told
    assert any(line.endswith(" found") for line in told)
    assert any(
        said.startswith("iotriage diagnose: 4 files, 2 jobs\niotriage diagnose: not read: jobs/pic") for said in told
    )
    assert told[-1] == ""


def test_an_empty_folder_is_said(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    status, _, err = run(capsys, str(tmp_path))
    assert (status, err) == (cli.BAD_USE, "iotriage diagnose: there are no files in what was given\n")


@pytest.mark.parametrize("beside", [(), ("notes.pdf",)])
def test_an_archive_of_nothing_that_can_be_read_is_told_of(
    beside: tuple[str, ...], tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    with zipfile.ZipFile(tmp_path / "pictures.zip", "w") as archive:
        archive.writestr("a.png", b"\x89PNG\r\n\x1a\n\0\0")
    for name in beside:
        (tmp_path / name).write_bytes(b"%PDF-1.5\n")
    status, out, _ = run(capsys, *(str(tmp_path / name) for name in ("pictures.zip", *beside)))
    assert status == cli.NOTHING_READ
    assert "pictures.zip › a.png: could not be read" in out
    assert all(f"{name}: could not be read" in out for name in beside)
    folder, out, err = run(capsys, str(tmp_path))
    assert (folder, out) == (cli.NOTHING_READ, "")
    assert "not read: " in err
