"""Where DuckDB is not installed, what needs it says so, and how it is had."""

from __future__ import annotations

import sys
from pathlib import Path

import pytest

from iotriage.cli import BAD_USE, main
from iotriage.cli.ingest import WITHOUT_DUCKDB


@pytest.mark.parametrize(
    "words",
    [
        ("ingest", "."),
        ("report",),
        ("warehouse", "export", "logs"),
        ("warehouse", "drop", "--keep-days", "30"),
    ],
    ids=" ".join,
)
def test_it_is_said_what_to_install(
    words: tuple[str, ...], tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setitem(sys.modules, "duckdb", None)
    with pytest.raises(SystemExit) as ended:
        main([*words, "--warehouse", str(tmp_path)])
    assert ended.value.code == BAD_USE
    assert WITHOUT_DUCKDB in capsys.readouterr().err
