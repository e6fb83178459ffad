"""Which of the three digests a change of the program moves."""

from __future__ import annotations

import shutil
from dataclasses import asdict
from pathlib import Path

import pytest

import iotriage
import iotriage_parsers
from iotriage.digests import DECIDES, WORDS, digests_of, program_digests

PARSERS, PACKAGE = Path(iotriage_parsers.__path__[0]), Path(iotriage.__path__[0])


@pytest.fixture
def copied(tmp_path: Path) -> tuple[Path, Path]:
    nothing_compiled = shutil.ignore_patterns("__pycache__")
    shutil.copytree(PARSERS, tmp_path / "parsers", ignore=nothing_compiled)
    shutil.copytree(PACKAGE, tmp_path / "package", ignore=nothing_compiled)
    return tmp_path / "parsers", tmp_path / "package"


def test_the_same_content_elsewhere_and_uncompiled_has_the_same_digests(copied: tuple[Path, Path]) -> None:
    assert digests_of(*copied) == program_digests()


def test_what_the_interpreter_is_just_writing_is_not_the_program(copied: tuple[Path, Path]) -> None:
    compiled = copied[1] / "metrics/__pycache__"
    compiled.mkdir()
    (compiled / "formula.cpython-311.pyc.140223372").write_bytes(b"half of it")
    assert digests_of(*copied) == program_digests()


@pytest.mark.parametrize("name", [*DECIDES, *WORDS])
def test_every_place_is_there(name: str) -> None:
    assert (PACKAGE / name).exists()


@pytest.mark.parametrize(
    ("file", "moved"),
    [
        ("parsers/detect.py", {"readers"}),
        ("package/metrics/__init__.py", {"decides"}),
        ("package/rules/access/small_io.py", {"decides"}),
        ("package/rules/core/rule.py", {"decides"}),
        ("package/analysis/engine.py", {"decides"}),
        ("package/sites/site.py", {"decides"}),
        ("package/sites/archer2.toml", set()),
        ("package/rules/core/words.py", {"words"}),
        ("package/reports/blocks.py", {"words"}),
        ("package/api/app.py", set()),
    ],
)
def test_a_change_moves_the_digest_of_its_part(
    copied: tuple[Path, Path], tmp_path: Path, file: str, moved: set[str]
) -> None:
    before = asdict(digests_of(*copied))
    with (tmp_path / file).open("a") as changed:
        changed.write("# changed\n")
    after = asdict(digests_of(*copied))
    assert {name for name in before if before[name] != after[name]} == moved


def test_a_new_file_and_a_renamed_one_are_changes(copied: tuple[Path, Path]) -> None:
    parsers, package = copied
    before = digests_of(parsers, package)
    (package / "rules/access/new_rule.py").touch()
    assert digests_of(parsers, package).decides != before.decides
    (parsers / "reader.py").rename(parsers / "renamed.py")
    assert digests_of(parsers, package).readers != before.readers
