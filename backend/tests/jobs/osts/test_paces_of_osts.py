"""A file on one OST: whether it is the number of its stripes that its ranks wait for."""

import pytest
from described import GIB, KIB, MIB, Part, Work, above_info, document, uneven

RANKS = range(256)


def on_one_ost(moved: float, seconds: float, *, size: int = 4 * MIB, in_order: float = 1.0, files: int = 1) -> Work:
    """256 ranks on 8 nodes write so many bytes in these seconds of 1,000."""
    calls = max(1, int(moved / len(RANKS) / size / files))
    parts = (
        Part(
            f"/scratch/r/f{k}.dat",
            RANKS,
            writes=calls,
            size=size,
            write_s=uneven(256, seconds / files),
            in_order=in_order,
            forward=1.0,
            begins_s=1.0 + 1.2 * k * seconds / files,
            osts=(7,),
        )
        for k in range(files)
    )
    return Work(tuple(parts), 256, 1000.0, nodes=8)


@pytest.mark.parametrize(
    ("work", "stripes"),
    [
        (on_one_ost(1.2 * GIB, 400.0), False),
        (on_one_ost(3.5 * GIB, 400.0), False),
        (on_one_ost(10 * GIB, 400.0), True),
        (on_one_ost(100 * GIB, 400.0), True),
        (on_one_ost(16 * GIB, 400.0, files=4), True),
        (on_one_ost(4 * GIB, 500.0, files=2), False),
    ],
    ids=["2 MiB/s", "8 MiB/s", "23 MiB/s", "233 MiB/s", "37 MiB/s of a series", "7 MiB/s of two files"],
)
def test_stripes_are_blamed_from_a_rate_on_that_they_explain(work: Work, stripes: bool) -> None:
    assert ("ssf-understriped" in above_info(document(work))) == stripes


def test_what_explains_so_low_a_rate_is_named_instead() -> None:
    work = on_one_ost(2 * GIB, 400.0, size=64 * KIB, in_order=0.0)
    assert document(work).headline.rule == "lock-contention"
