"""Whether the slowest rank waited in one call."""

import pytest
from evidence_by_hand import job, log, metric, table, value

READS = {"POSIX_READS": 512, "POSIX_BYTES_READ": 2**31, "POSIX_OPENS": 1, "POSIX_F_READ_TIME": 3.0}
LATE = {"POSIX_F_READ_TIME": 60.0, "POSIX_F_MAX_READ_TIME": 57.0}
OPENED_LATE = {"POSIX_F_META_TIME": 55.0, "POSIX_F_OPEN_START_TIMESTAMP": 1.0, "POSIX_F_OPEN_END_TIMESTAMP": 56.0}


def given(of_rank_3):
    return job(log(table("POSIX", *((1 + r, r, READS | (of_rank_3 if r == 3 else {})) for r in range(8)))))


@pytest.mark.parametrize(
    ("slow", "kind", "seconds"), [(LATE, "read", 57.0), (OPENED_LATE, "open", 55.0)], ids=["read", "open"]
)
def test_the_longest_call_of_the_slowest_rank(slow, kind, seconds):
    s = given(slow)
    assert value(s, "balance.longest_call_kind") == kind
    assert value(s, "balance.longest_call") == seconds


def test_of_one_large_read_the_longest_is_the_rate_of_the_storage():
    assert value(given(LATE | {"POSIX_READS": 1}), "balance.longest_call") is None


def test_of_several_opens_none_is_known():
    assert value(given(OPENED_LATE | {"POSIX_OPENS": 2}), "balance.longest_call_kind") is None


def test_a_file_that_all_share_has_no_calls_of_its_slowest_rank():
    shared = READS | {"POSIX_F_SLOWEST_RANK_TIME": 60.0, "POSIX_F_MAX_READ_TIME": 57.0, "POSIX_F_READ_TIME": 80.0}
    assert "all ranks share" in metric(job(log(table("POSIX", (1, -1, shared)))), "balance.longest_call").reason
