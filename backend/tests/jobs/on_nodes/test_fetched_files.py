"""Files that are fetched from tape at their first read: one read of each waits, and the others take nothing."""

from __future__ import annotations

import pytest
from described import GIB, MIB, Part, Work, document


def read_once(
    *,
    files: int = 20,
    longest_s: float = 90.0,
    size: int = MIB,
    on: str = "lustre",
    beside: tuple[Part, ...] = (),
) -> str:
    """One process reads files of 2,000 pieces in 92 s each."""
    parts = (
        Part(f"/arch/run_{k:02}.nc", range(1), reads=2000, size=size, read_s=92.0, longest_s=longest_s)
        for k in range(files)
    )
    found = document(Work((*parts, *beside), 1, 100.0 * files, mounts=(("/arch", on), ("/work", "lustre"))))
    return f"{found.headline.action} {found.headline.command}"


def test_who_waits_once_for_each_file_asks_whether_they_are_on_tape() -> None:
    said = read_once()
    assert "98 % of the time in reads is one read of each of 20 files, which took 90.0 s on average" in said
    assert "lfs hsm_state /arch/run_00.nc" in said
    assert "lfs " not in read_once(on="gpfs")


@pytest.mark.parametrize("larger", [{"writes": 20_000, "write_s": 60.0}, {"reads": 20_000, "read_s": 40.0}])
@pytest.mark.parametrize("folder", ["/arch", "/work"])
def test_one_that_waited_is_looked_at_whatever_larger_file_there_is(larger: dict[str, float], folder: str) -> None:
    beside = (Part(f"{folder}/all.nc", range(1), **larger),)  # type: ignore[arg-type]
    assert "lfs hsm_state /arch/run_00.nc" in read_once(beside=beside)
    assert "lfs " not in read_once(on="gpfs", beside=beside)


@pytest.mark.parametrize(
    "said",
    [read_once(files=1), read_once(longest_s=3.0), read_once(longest_s=90.0, size=GIB // 8)],
    ids=["one file", "all reads wait", "a large piece"],
)
def test_other_reads_are_not_said_to_be(said: str) -> None:
    assert "tape" not in said
