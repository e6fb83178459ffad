"""What holds for every metric without being told its name."""

import inspect
import math
import re

import pytest
from evidence_by_hand import block, job, log, table
from hypothesis import given
from hypothesis import strategies as st

from iotriage.metrics import all_metrics, lazy_metrics
from iotriage.metrics.core.about import PARTS
from iotriage.metrics.core.metric import Outcome
from iotriage.metrics.core.missing_evidence import EVIDENCE
from iotriage.metrics.core.registry import MetricSpec, compute
from iotriage.metrics.core.selection import Selection
from iotriage_parsers.readers.darshan_log import counters
from iotriage_parsers.readers.darshan_log.records import ALL_NAMES

COUNTS = st.integers(-1, 2**40)
SAID_OF_NOTHING = (
    "balance.gathered_evenly",
    "balance.ranks_uncounted",
    "evidence.partial_modules",
    "evidence.lower_bound",
    "evidence.records_missing",
    "file.lies_on",
    "file.one_stripe",
    "file.ost_pace",
    "file.other_osts",
    "file.served",
    "io.timed",
    "job.ranks_told",
    "mpiio.one_mover_each",
)
"""Whose answer is one also where there is no evidence: none of it was cut, or "unknown"."""
OF_ANOTHER = re.compile(r"\b(that|this|these) (rank|file|run|node|call|block|phase)s?\b|\bthere\b")
"""What tells nothing in a title that stands alone."""
OF_A_DIRECTION = re.compile(r"(?<![a-z])(re)?(read|write)(e?r)?s?(?![a-z])|writ(ten|ing)")
SECONDS = st.floats(-1, 1e6) | st.just(math.nan)


@pytest.mark.parametrize("id", all_metrics())
def test_declares_what_it_is(id: str) -> None:
    spec = all_metrics()[id]
    assert spec.title
    assert not OF_ANOTHER.search(spec.title)
    assert spec.formula
    assert spec.needs
    assert spec.scopes
    # Whoever looks for a metric's formula looks for its name. A function made in a loop serves several metrics, and an
    # expression has no name: it stands beside the id.
    formula = inspect.unwrap(spec.compute)
    if "<l" not in formula.__qualname__:
        assert formula.__name__ in (id.partition(".")[2], id.replace(".", "_"))
    # Of what is beyond the whole the name may not say that it is a part of it.
    assert spec.unit == "share" or not spec.id.endswith(("_fraction", "_share"))
    # A view of the page opens by what a metric is about, whatever rule compares it.
    if spec.scopes != {"run-set"}:
        assert (spec.about.time is not None) == (spec.unit in PARTS), "a share or a ratio: whether of seconds"
        assert spec.about.direction or not OF_A_DIRECTION.search(spec.id), "whether it is of reads or of writes"


def test_how_often_something_is_read_is_no_time() -> None:
    specs = all_metrics()
    assert [specs[id].of_time for id in ("posix.times_read", "group.later_times", "io.bandwidth")] == [
        False,
        True,
        True,
    ]


def test_without_evidence_a_metric_is_absent_with_a_reason() -> None:
    for found in lazy_metrics(job()).values():
        if found.id not in SAID_OF_NOTHING:
            assert found.value is None, found.id
            assert found.reason, found.id
            assert "the formula failed" not in found.reason, found.id
            assert set(found.settled_by) <= set(EVIDENCE)


@given(st.data())
def test_no_evidence_makes_a_metric_fail_or_give_what_json_cannot_hold(data: st.DataObject) -> None:
    def row(record: int, rank: int, names: tuple[str, ...], floats: tuple[str, ...]) -> object:
        some = data.draw(st.dictionaries(st.sampled_from(names), COUNTS, max_size=12))
        times = data.draw(st.dictionaries(st.sampled_from(floats), SECONDS, max_size=6))
        return record, rank, {**some, **times}

    ranks = data.draw(st.lists(st.integers(-1, 5), min_size=1, max_size=4))
    posix = table(
        "POSIX", *(row(i % 2, r, counters.POSIX_COUNTERS, counters.POSIX_F_COUNTERS) for i, r in enumerate(ranks))
    )
    mpiio = table(
        "MPI-IO", *(row(i % 2, r, counters.MPIIO_COUNTERS, counters.MPIIO_F_COUNTERS) for i, r in enumerate(ranks))
    )
    selection = job(
        log(
            posix,
            mpiio,
            nprocs=data.draw(st.none() | st.integers(1, 6)),
            runtime_s=data.draw(st.none() | st.floats(0, 9)),
        )
    )
    for found in lazy_metrics(selection).values():
        assert found.value is not None or found.reason
        assert "the formula failed" not in (found.reason or "")
        if isinstance(found.value, float):
            assert math.isfinite(found.value), found.id
        if isinstance(found.value, int | float):
            assert found.value >= 0, found.id
            assert found.value <= 1 or found.unit != "share", found.id


@pytest.mark.parametrize("module", ["POSIX", "MPI-IO", "STDIO", "H5D", "PNETCDF_VAR"])
def test_counters_that_contradict_one_another_make_no_share_of_more_than_all(module: str) -> None:
    names, _ = ALL_NAMES[module]
    parts = ("CONSEC_READS", "CONSEC_WRITES", "SEQ_READS", "SEQ_WRITES", "NOT_ALIGNED", "SLOWEST_RANK_BYTES")
    for name in (name for name in names if name.endswith(parts)):
        counted = (1, -1, {**dict.fromkeys(names, 1), name: 100})
        for found in lazy_metrics(job(log(table(module, counted), nprocs=4, runtime_s=50.0))).values():
            assert found.unit != "share" or found.value is None or float(found.value) <= 1, (name, found.id)


def test_a_formula_that_fails_costs_its_own_metric_only() -> None:
    def breaks(_: Selection) -> Outcome:
        raise ZeroDivisionError("a defect")

    found = compute(MetricSpec("x.y", "X", "1", frozenset({"job"}), "x", "y", breaks), job())
    assert found.value is None
    assert "a defect" in (found.reason or "")


@pytest.mark.parametrize("module", ["STDIO", "DFS", "DAOS", "H5D", "PNETCDF_VAR", "BG/Q"])
@pytest.mark.parametrize("rank", [-1, 3])
def test_no_module_alone_makes_a_metric_fail(module: str, rank: int) -> None:
    ints, floats = ALL_NAMES[module]
    counted = {name: 2.0**20 for name in (*ints, *floats) if name.endswith(("BYTES_WRITTEN", "WRITES", "F_WRITE_TIME"))}
    for found in lazy_metrics(job(log(table(module, (1, rank, counted), (2, rank, counted), files=[1, 2])))).values():
        assert "the formula failed" not in (found.reason or ""), found.id


def test_beside_a_text_no_formula_fails_for_want_of_records() -> None:
    """What `unless` names says nothing where a text may tell: the formula is asked, and finds no records."""
    opened = log(table("POSIX", (1, 0, {"POSIX_OPENS": 1})))
    for found in lazy_metrics(job(opened, stats=[block()])).values():
        assert "the formula failed" not in (found.reason or ""), found.id
