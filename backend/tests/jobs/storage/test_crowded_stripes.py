"""Many aggregators on few stripes: more stripes are named where documents ask for them."""

import pytest
from described import MIB, Part, Work, above_info, document, osts

RANKS = range(2048)


def collective(movers: int, stripes: int, nodes: int, below_s: float = 190.0) -> Work:
    """160 GiB in 200 s, at 205 MiB/s or less of each OST."""
    below = Part(
        "/scratch/e/o.nc", RANKS[:: 2048 // movers], writes=20 * 2048 // movers, size=4 * MIB, write_s=below_s,
        in_order=0.3, osts=osts(stripes),
    )  # fmt: skip
    calls = Part("/scratch/e/o.nc", RANKS, "MPI-IO", writes=20, size=4 * MIB, write_s=200.0, collective=True)
    return Work((calls, below), nprocs=2048, runtime_s=900.0, nodes=nodes)


@pytest.mark.parametrize(
    ("work", "named"),
    [
        (collective(64, 4, 32), True),
        (collective(32, 4, 32), True),
        (collective(16, 16, 32), False),
        (collective(64, 16, 32), False),
        (collective(64, 4, 1), False),
        (collective(64, 4, 32, below_s=20.0), False),
    ],
    ids=["16 on each", "8 on each", "1 on each", "on a third of the OSTs", "of one node", "the library takes it"],
)
def test_where_many_write_each_stripe_and_most_osts_are_idle_there_are_too_few(work: Work, named: bool) -> None:
    assert ("ssf-understriped" in above_info(document(work))) == named
