"""One slow OST below a file that all ranks share."""

import pytest
from described import MIB, Part, Work, document, osts, own, uneven


@pytest.mark.parametrize(("stripes", "asks"), [(24, True), (1, False)])
def test_a_slow_ost_of_a_shared_file_is_looked_for_in_a_trace(stripes, asks):
    """Each rank uses all 24 OSTs alike, so that all are as slow as the slowest of them lets them be."""
    seconds, each = uneven(63, 70.0), 4800 if stripes > 1 else 300
    part = Part("/scratch/w.dat", range(63), writes=each, write_s=seconds, in_order=0.0, osts=osts(stripes))
    unexplained = document(Work((part,), nprocs=63, runtime_s=200, nodes=4, osts_in_fs=24)).unexplained
    said = (unexplained.experiment or "") if unexplained is not None else ""
    assert ("whether these are on one of the 24 OSTs of w.dat" in said) == asks


def test_the_file_on_several_osts_is_named_where_others_take_the_time():
    shared = Part("/scratch/o.dat", range(128), writes=8, size=16 * MIB, write_s=5.0, osts=osts(12))
    alone = Part("/scratch/p.{}", range(128), writes=20, size=4 * MIB, write_s=60.0, osts=own(128))
    unexplained = document(Work((shared, alone), nprocs=128, runtime_s=200.0, nodes=4)).unexplained
    assert unexplained is not None
    assert "one of the 12 OSTs of o.dat: the ranks that share it" in (unexplained.experiment or "")
