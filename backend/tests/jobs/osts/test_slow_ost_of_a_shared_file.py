"""One slow OST below a file that all ranks share."""

import pytest
from described import Part, Work, document, osts, uneven


@pytest.mark.parametrize(("stripes", "asks"), [(24, True), (1, False)])
def test_a_slow_ost_of_a_shared_file_is_looked_for_in_a_trace(stripes, asks):
    """Each rank uses all 24 OSTs alike, so that all are as slow as the slowest of them lets them be."""
    seconds, each = uneven(63, 70.0), 4800 if stripes > 1 else 300
    part = Part("/scratch/w.dat", range(63), writes=each, write_s=seconds, in_order=0.0, osts=osts(stripes))
    unexplained = document(Work((part,), nprocs=63, runtime_s=200, nodes=4, osts_in_fs=24)).unexplained
    said = (unexplained.experiment or "") if unexplained is not None else ""
    assert ("whether these are on one of the 24 OSTs of the file" in said) == asks
