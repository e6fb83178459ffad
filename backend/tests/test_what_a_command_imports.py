"""What is asked of the command line alone is answered at once: without the server, and what it is made of."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest

LOGS = Path(__file__).parents[2] / "sample-logs" / "darshan_log"

_RUN = """
import gc, sys
from iotriage.cli import main
collections = []
gc.callbacks.append(lambda phase, _: collections.append(phase))
try:
    main()
finally:
    print("collections:", len(collections))
    print("imported:", *sorted({"numpy", "numpy.ma", "pydantic", "sqlalchemy", "iotriage.api.app"} & set(sys.modules)))
"""


def _lines(*arguments: str) -> list[str]:
    done = subprocess.run([sys.executable, "-c", _RUN, *arguments], capture_output=True, text=True, check=False)
    return done.stdout.splitlines()


def _imported(*arguments: str) -> list[str]:
    return _lines(*arguments)[-1].split()[1:]


@pytest.mark.parametrize("arguments", [("--version",), ("--help",), ()], ids=" ".join)
def test_what_every_command_has_needs_no_command(arguments: tuple[str, ...]) -> None:
    assert _imported(*arguments) == []


def test_who_is_let_into_the_server_is_said_without_starting_it() -> None:
    assert "iotriage.api.app" not in _imported("access", "--help")


@pytest.mark.parametrize("sample", ["lustre-shared-log", "09-coll-subarray-cb-enable"])
def test_a_small_log_is_diagnosed_without_the_server_and_before_garbage_is_looked_for(sample: str) -> None:
    log = LOGS / sample / f"{sample}.darshan"
    assert _lines("diagnose", str(log))[-2:] == ["collections: 0", "imported: numpy"]


def test_what_duckdb_leaves_is_not_listed_when_a_command_ends() -> None:
    run = "import duckdb; from iotriage.cli import main; duckdb.connect().execute('SELECT 1'); main()"
    done = subprocess.run([sys.executable, "-c", run, "sites"], capture_output=True, text=True, check=False)
    assert (done.returncode, done.stderr) == (0, "")
