"""What `iotriage ingest` says where something is not as it was meant: what happened, and what to do."""

from __future__ import annotations

import errno
import os
from collections.abc import Iterator
from datetime import date
from pathlib import Path

import pytest

from iotriage.centre.last_runs import last_runs
from iotriage.centre.log_files import logs_in
from iotriage.centre.warehouse.manifest import BadManifestError, day_folder, manifest_of
from iotriage.cli import main

SAMPLE = Path(__file__).parents[4] / "sample-logs/darshan_log/14-balanced/14-balanced.darshan"


def said(arguments: list[str | Path], capsys: pytest.CaptureFixture[str]) -> tuple[object, str]:
    with pytest.raises(SystemExit) as ended:
        main([str(a) for a in ("ingest", *arguments)])
    return ended.value.code, capsys.readouterr().err


def refused_to_list(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """As for somebody who may not: the superuser, who runs tests in a container, may."""
    listed = os.scandir

    def scandir(path: Path | int) -> Iterator[os.DirEntry[str]]:
        if path in (folder, str(folder)):
            raise PermissionError(errno.EACCES, os.strerror(errno.EACCES), str(path))
        return listed(path)

    monkeypatch.setattr(os, "scandir", scandir)


def tree(root: Path) -> Path:
    for day in (17, 18):
        folder = root / f"2026/11/{day}"
        folder.mkdir(parents=True)
        (folder / f"user_code_id{day}_11-{day}-1-1_1.darshan").write_bytes(SAMPLE.read_bytes() if day == 17 else b"")
    return root


@pytest.mark.parametrize("made", ["none", "file"])
def test_a_folder_of_logs_that_is_none(made: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    folder = tmp_path / "logs"
    if made == "file":
        folder.touch()
    code, words = said([folder, "--warehouse", tmp_path / "w"], capsys)
    assert code == 2
    assert f"{folder}" in words
    assert "name the one that" in words


def test_a_folder_that_may_not_be_listed(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    logs = tree(tmp_path / "logs")
    refused_to_list(logs, monkeypatch)
    code, words = said([logs, "--warehouse", tmp_path / "w"], capsys)
    assert code == 2
    assert "cannot be listed: Permission denied; whoever runs this" in words


def test_a_day_that_may_not_be_listed_is_said_and_looked_for_again(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    logs, warehouse = tree(tmp_path / "logs"), tmp_path / "w"
    closed = logs / "2026/11/17"
    with monkeypatch.context() as patched:
        refused_to_list(closed, patched)
        code, words = said([logs, "--warehouse", warehouse, "--workers", "1"], capsys)
    assert code == 0
    assert f"{closed} could not be listed (Permission denied): their logs are missing" in words
    assert [(run.unlisted, run.first_unlisted) for run in last_runs(tmp_path / "w")] == [(1, f"{closed}")]
    assert not list(warehouse.glob("watermark-*.json"))
    _, words = said([logs, "--warehouse", warehouse, "--workers", "1"], capsys)
    assert "1 known; 1 read" in words
    assert list(warehouse.glob("watermark-*.json"))
    _, words = said([logs, "--warehouse", warehouse, "--workers", "1"], capsys)
    assert "nothing was looked for before 2026-11-11 (--everything does)" in words


def test_nothing_was_found(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    code, words = said([tmp_path, "--warehouse", tmp_path / "w", "--again", "1999-01-01"], capsys)
    assert code == 0
    assert f"no file below {tmp_path} is called *.darshan" in words
    assert "no log of 1999-01-01 was found" in words


@pytest.mark.parametrize(
    ("number", "words"),
    [
        (errno.ENOSPC, "make room, and the next run goes on from there"),
        (errno.EACCES, "must be able to write to the warehouse"),
        (errno.EEXIST, "is not a folder: --warehouse, or IOTRIAGE_WAREHOUSE, names one"),
        (errno.EIO, "cannot be written"),
    ],
)
def test_a_warehouse_that_cannot_be_written(
    number: int, words: str, tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    def mkdir(_: Path, **__: bool) -> None:
        raise OSError(number, os.strerror(number), str(tmp_path / "w"))

    monkeypatch.setattr(Path, "mkdir", mkdir)
    code, told = said([tmp_path, "--warehouse", tmp_path / "w"], capsys)
    assert code == 2
    assert f"{tmp_path / 'w'}" in told
    assert words in told
    assert "[Errno" not in told


@pytest.mark.parametrize(
    "wrong", [("--workers", "0"), ("--workers", "-3"), ("--deadline", "0"), ("--deadline", "nan"), ("--deadline", "x")]
)
def test_numbers_that_nothing_can_be_done_with(
    wrong: tuple[str, str], tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    code, words = said([tmp_path, "--warehouse", tmp_path / "w", *wrong], capsys)
    assert code == 2
    assert f"{wrong[1]!r} is not a number of" in words


def test_a_manifest_that_may_not_be_read_is_named(tmp_path: Path) -> None:
    folder = day_folder(tmp_path, date(2026, 11, 20))
    (folder / "manifest-0-of-1.json").mkdir(parents=True)
    with pytest.raises(BadManifestError, match=r"manifest-0-of-1\.json cannot be read: Is a directory"):
        manifest_of(folder, "0-of-1")


def test_who_lists_is_told_of_each_folder_that_cannot_be(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    logs = tree(tmp_path / "logs")
    refused_to_list(logs / "2026/11/18", monkeypatch)
    told: list[Path] = []
    found = list(logs_in(logs, unlisted=lambda folder, _: told.append(folder)))
    assert (told, len(found)) == ([logs / "2026/11/18"], 1)
