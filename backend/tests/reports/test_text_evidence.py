"""What a report says of the texts among the sources."""

from __future__ import annotations

from io import BytesIO
from pathlib import Path

from iotriage.analysis.engine import diagnose
from iotriage.analysis.inputs import ReadSource
from iotriage.reports.text_evidence import text_evidence_lines
from iotriage_parsers.detect import read

SAMPLES = Path(__file__).parents[3] / "sample-logs"


def lines_of(text: str) -> list[str]:
    data = text.encode()
    return text_evidence_lines(diagnose([ReadSource("a.txt", "0" * 64, len(data), read(BytesIO(data)))]))


def test_a_rate_of_less_than_one_a_second_is_not_none() -> None:
    mdtest = (SAMPLES / "mdtest/shared-directory/mdtest-fjord.txt").read_text()
    row = next(line for line in mdtest.splitlines() if line.strip().startswith("Tree creation"))
    slow = f"   Tree creation {' ' * 12}:          0.407          0.407          0.407          0.000"
    assert "  tree creation: 0.407 operations/s" in lines_of(mdtest.replace(row, slow))


def test_a_block_of_which_nothing_was_read_says_so() -> None:
    (path,) = (SAMPLES / "mpich_timers/healthy-collective").glob("*.txt")
    text = path.read_text()
    cut = text[: text.index("clock ticks")]
    said = [line for line in lines_of(cut[: cut.rindex("\n") + 1]) if " phases of " in line]
    assert said
    assert all(line.endswith(": none was read") for line in said)
