"""What is asked of the command line alone is answered at once: without the server, and what it is made of."""

from __future__ import annotations

import subprocess
import sys

import pytest

_RUN = """
import sys
from iotriage.cli import main
try:
    main()
finally:
    print("imported:", *sorted({"numpy", "pydantic", "sqlalchemy", "iotriage.api.app"} & set(sys.modules)))
"""


def _imported(*arguments: str) -> list[str]:
    done = subprocess.run([sys.executable, "-c", _RUN, *arguments], capture_output=True, text=True, check=False)
    return done.stdout.splitlines()[-1].split()[1:]


@pytest.mark.parametrize("arguments", [("--version",), ("--help",), ()], ids=" ".join)
def test_what_every_command_has_needs_no_command(arguments: tuple[str, ...]) -> None:
    assert _imported(*arguments) == []


def test_who_is_let_into_the_server_is_said_without_starting_it() -> None:
    assert "iotriage.api.app" not in _imported("access", "--help")


def test_a_log_is_diagnosed_without_the_server() -> None:
    assert not {"pydantic", "sqlalchemy", "iotriage.api.app"} & set(_imported("diagnose", "--help"))
