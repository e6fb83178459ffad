"""Which of the three digests a change of the program moves."""

from __future__ import annotations

import shutil
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import asdict
from pathlib import Path

import pytest

import iotriage
import iotriage_parsers
from iotriage.digests import DECIDES, WORDS, digests_of, program_digests

PARSERS, PACKAGE = Path(iotriage_parsers.__path__[0]), Path(iotriage.__path__[0])


@pytest.fixture(scope="module")
def copied(tmp_path_factory: pytest.TempPathFactory) -> tuple[Path, Path]:
    """A thousand files, copied once: who changes one puts it back."""
    folder, nothing_compiled = tmp_path_factory.mktemp("copied"), shutil.ignore_patterns("__pycache__")
    shutil.copytree(PARSERS, folder / "parsers", ignore=nothing_compiled)
    shutil.copytree(PACKAGE, folder / "package", ignore=nothing_compiled)
    return folder / "parsers", folder / "package"


@contextmanager
def changed(file: Path) -> Iterator[None]:
    """It has another line for so long, or is there at all."""
    before = file.read_bytes() if file.exists() else None
    file.write_bytes((before or b"") + b"# changed\n")
    try:
        yield
    finally:
        file.unlink() if before is None else file.write_bytes(before)


def test_the_same_content_elsewhere_and_uncompiled_has_the_same_digests(copied: tuple[Path, Path]) -> None:
    assert digests_of(*copied) == program_digests()


def test_what_the_interpreter_is_just_writing_is_not_the_program(copied: tuple[Path, Path]) -> None:
    compiled = copied[1] / "metrics/__pycache__"
    compiled.mkdir()
    with changed(compiled / "formula.cpython-311.pyc.140223372"):
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
def test_a_change_moves_the_digest_of_its_part(copied: tuple[Path, Path], file: str, moved: set[str]) -> None:
    before = asdict(program_digests())
    with changed(copied[0].parent / file):
        after = asdict(digests_of(*copied))
    assert {name for name in before if before[name] != after[name]} == moved


def test_a_new_file_and_a_renamed_one_are_changes(copied: tuple[Path, Path]) -> None:
    parsers, package = copied
    before, renamed = program_digests(), parsers / "renamed.py"
    with changed(package / "rules/access/new_rule.py"):
        (parsers / "reader.py").rename(renamed)
        try:
            after = digests_of(parsers, package)
        finally:
            renamed.rename(parsers / "reader.py")
    assert (after.decides != before.decides, after.readers != before.readers) == (True, True)
