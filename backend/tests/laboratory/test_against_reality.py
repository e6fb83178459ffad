"""The laboratory's model held against real logs and documented measurements."""

from __future__ import annotations

from pathlib import Path

import pytest
from bench.laboratory.documented import archer, cache_demo, interleaved, small_files
from bench.laboratory.own_programs import NOT_COMPARED, OWN
from bench.laboratory.readback import Reading, counters_of, differences
from bench.laboratory.running import run
from bench.laboratory.written import log_of, records_of

SAMPLES = Path(__file__).parents[3] / "sample-logs" / "darshan_log"


TAKES_LONG = "03-fpp-many-small-files"
"""2,000 records that pydarshan reads one by one: `python -m bench.laboratory` holds it against its log."""


def integer_counters(reading: Reading) -> dict[tuple[str, int], list[tuple[tuple[str, float], ...]]]:
    """By module and rank, each record's counters without the file's name."""
    found: dict[tuple[str, int], list[tuple[tuple[str, float], ...]]] = {}
    for (module, _, rank), counters in reading.items():
        kept = {
            name: value
            for name, value in counters.items()
            if "_F_" not in name and not any(part in name for part in NOT_COMPARED)
        }
        found.setdefault((module, rank), []).append(tuple(sorted(kept.items())))
    return {key: sorted(records) for key, records in found.items()}


@pytest.mark.parametrize("name", [name for name in OWN if name != TAKES_LONG])
def test_a_described_program_gives_the_integer_counters_of_its_real_log(name: str, tmp_path: Path) -> None:
    ran = run(OWN[name]())
    log = tmp_path / "written.darshan"
    log.write_bytes(log_of(ran))
    read = counters_of(log)
    assert differences(records_of(ran), [file.path for file in ran.program.files], read) == []
    assert integer_counters(read) == integer_counters(counters_of(SAMPLES / name / f"{name}.darshan"))


@pytest.mark.parametrize("measurements", [archer, cache_demo, small_files, interleaved])
def test_documented_measurements_come_out_within_their_factor(measurements) -> None:
    apart = {one.what: one.apart for one in measurements() if one.apart > one.factor}
    assert not apart
