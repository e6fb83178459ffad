"""What diff prints of two texts is of neither run, and says so."""

from __future__ import annotations

import difflib
import io

import pytest
from stats_text import block, read

from iotriage_parsers import detect
from iotriage_parsers.evidence import Failure, MpiioStats

OLD = block(
    "run/out.dat", total_bytes_for_writes="1048576 = 1 MiB", stripe_count="1", system_writes="1", aggregators="1"
)
NEW = block(
    "run/out.dat", total_bytes_for_writes="2097152 = 2 MiB", stripe_count="8", system_writes="2", aggregators="8"
)


def plain(old: str, new: str) -> str:
    """As one hunk."""
    before, after = old.splitlines(), new.splitlines()
    head = f"1,{len(before)}c1,{len(after)}"
    return "\n".join([head, *(f"< {line}" for line in before), "---", *(f"> {line}" for line in after)]) + "\n"


def unified(old: str, new: str) -> str:
    lines = difflib.unified_diff(old.splitlines(), new.splitlines(), "old.err", "new.err", lineterm="")
    return "\n".join(lines) + "\n"


@pytest.mark.parametrize("form", [plain, unified])
@pytest.mark.parametrize("ends", ["\n", "\r\n"])
def test_lines_of_two_runs_are_not_one(form: object, ends: str) -> None:
    assert callable(form)
    found = detect.read(io.BytesIO(form(OLD, NEW).replace("\n", ends).encode()))
    assert isinstance(found, Failure)
    assert "diff" in found.message
    assert "iotriage compare" in found.next_step


def test_quoted_mail_and_a_new_file_in_a_patch_are_no_two_texts() -> None:
    quoted = "".join(f"> {line}\n" for line in OLD.splitlines())
    assert len(read("How it was:\n---\n" + quoted + "Thank you\n").of(MpiioStats)) == 1
    added = unified("", OLD)
    assert len(read(added).of(MpiioStats)) == 1


def test_one_line_that_differs_is_enough_beside_the_head_of_a_hunk() -> None:
    found = detect.read(io.BytesIO(unified(OLD, OLD.replace("= 1\n", "= 2\n", 1)).encode()))
    assert isinstance(found, Failure)
    assert "diff" in found.message
