"""`docs/deploy/new-secrets`, called again for whoever comes later."""

from __future__ import annotations

import os
import shutil
import subprocess
from collections.abc import Mapping
from pathlib import Path

import pytest

SCRIPT = Path(__file__).parents[3] / "docs/deploy/new-secrets"
pytestmark = pytest.mark.skipif(shutil.which("openssl") is None, reason="there is no openssl")


def _made(folder: Path, person: str, typed: str) -> int:
    return subprocess.run([SCRIPT, folder, person], input=f"{typed}\n", text=True, check=False).returncode


def _people(folder: Path) -> Mapping[str, str]:
    lines = (folder / "htpasswd").read_text("utf-8").splitlines()
    return dict(line.split(":") for line in lines)


def _is_password(hashed: str, typed: str) -> bool:
    _, scheme, salt, _ = hashed.split("$")
    again = subprocess.run(
        ["openssl", "passwd", f"-{scheme}", "-salt", salt, "-stdin"],
        input=f"{typed}\n",
        capture_output=True,
        text=True,
        check=True,
    )
    return again.stdout.strip() == hashed


def test_a_second_person_comes_beside_the_first_and_the_database_keeps_its_password(tmp_path: Path) -> None:
    assert _made(tmp_path, "jdoe", "first") == 0
    database = {name: (tmp_path / name).read_bytes() for name in ("database_url", "database_password")}
    before = _people(tmp_path)
    assert _made(tmp_path, "ada", " with spaces ") == 0
    assert _people(tmp_path)["jdoe"] == before["jdoe"]
    assert _is_password(_people(tmp_path)["ada"], " with spaces ")
    assert {name: (tmp_path / name).read_bytes() for name in database} == database


def test_somebody_who_is_there_gets_another_password_in_the_file_that_the_container_has(tmp_path: Path) -> None:
    assert _made(tmp_path, "jdoe", "first") == 0
    file = (tmp_path / "htpasswd").stat().st_ino
    assert _made(tmp_path, "jdoe", "second") == 0
    people = _people(tmp_path)
    assert list(people) == ["jdoe"]
    assert _is_password(people["jdoe"], "second")
    assert (tmp_path / "htpasswd").stat().st_ino == file


def test_names_of_digits_are_no_numbers(tmp_path: Path) -> None:
    people = ["100", "0100", "1e2"]
    assert [_made(tmp_path, person, "word") for person in people] == [0, 0, 0]
    assert list(_people(tmp_path)) == people


def test_who_is_there_stays_where_no_password_can_be_hashed(tmp_path: Path) -> None:
    assert _made(tmp_path / "secrets", "jdoe", "first") == 0
    before = _people(tmp_path / "secrets")
    (tmp_path / "openssl").symlink_to("/bin/false")
    path = f"{tmp_path}:{os.environ['PATH']}"
    failed = subprocess.run([SCRIPT, tmp_path / "secrets", "ada", "word"], env={"PATH": path}, check=False)
    assert failed.returncode != 0
    assert _people(tmp_path / "secrets") == before


@pytest.mark.parametrize(("person", "typed"), [("jdoe", ""), ("", "word"), ("a:b", "word"), ("a b", "word")])
def test_nobody_comes_in_without_a_password_or_under_half_a_name(tmp_path: Path, person: str, typed: str) -> None:
    assert _made(tmp_path, person, typed) == 2
    assert not (tmp_path / "htpasswd").exists()
