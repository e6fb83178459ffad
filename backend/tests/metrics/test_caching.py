"""A selection answers each metric and each shared derivation once, and only when it is asked."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from dataclasses import replace

import numpy as np
import pytest
from evidence_by_hand import job, log, table

from iotriage.analysis.expected.expectation import with_documented
from iotriage.metrics import all_metrics, compute_metrics, group_metrics, lazy_metrics, outcome
from iotriage.metrics.core import registry
from iotriage.metrics.core.metric import Outcome, Value, Where
from iotriage.metrics.core.registry import MetricsInGroup, MetricSpec
from iotriage.metrics.core.selection import FEW, LogRows, Selection, isin, select_rows, unique_inverse
from iotriage.metrics.core.selection_cache import cached_per_job, cached_per_log, cached_per_selection
from iotriage.metrics.core.table_cache import cached_per_table
from iotriage.metrics.tables.files.uses import file_uses
from iotriage.metrics.tables.grouping import group_files
from iotriage.sites import all_sites
from iotriage_parsers.evidence import Counter as CounterAt
from iotriage_parsers.evidence import CounterTable, DarshanLog, DxtTrace, Lines
from iotriage_parsers.evidence.dxt import SEGMENT


def written(*of_ranks: int) -> Selection:
    records = [(1, rank, {"POSIX_BYTES_WRITTEN": moved, "POSIX_WRITES": 1}) for rank, moved in enumerate(of_ranks)]
    return job(log(table("POSIX", *records)))


@pytest.fixture
def asked(monkeypatch: pytest.MonkeyPatch) -> Iterator[Counter[str]]:
    """How often each formula is computed."""
    count: Counter[str] = Counter()

    def counting(spec: MetricSpec) -> MetricSpec:
        def compute(s: Selection) -> Outcome:
            count[spec.id] += 1
            return spec.compute(s)

        return replace(spec, compute=compute)

    counted = {id: counting(spec) for id, spec in all_metrics().items()}
    monkeypatch.setattr(registry, "all_metrics", lambda: counted)
    registry.metrics_of_scope.cache_clear()
    yield count
    registry.metrics_of_scope.cache_clear()


def test_nothing_is_computed_until_it_is_asked_for(asked: Counter[str]) -> None:
    found = lazy_metrics(written(5, 7))
    assert "io.bytes" in found
    assert len(found) == len([*found])
    assert not asked
    assert found["io.bytes"].value == 12
    assert set(asked) == {"io.bytes", "io.bytes_read", "io.bytes_written"}


def test_every_formula_is_computed_once(asked: Counter[str]) -> None:
    s = written(5, 7)
    assert dict(lazy_metrics(s)) == dict(lazy_metrics(s))
    assert set(asked.values()) == {1}


def test_a_metric_of_another_scope_is_not_the_selections() -> None:
    with pytest.raises(KeyError):
        lazy_metrics(written(5))["group.weight"]


def test_a_group_reads_its_own_metrics_and_its_jobs(asked: Counter[str]) -> None:
    s = written(5, 7)
    (group,) = group_files(s, file_uses(s), most=1).groups
    both = MetricsInGroup(lazy_metrics(group.selection), lazy_metrics(s))
    assert "group.weight" in both
    assert "job.nprocs" in both
    assert set(both) == set(lazy_metrics(s)) | set(lazy_metrics(group.selection))
    assert not asked
    assert both["group.bytes_fraction"].value == 1
    assert both["job.nprocs"].value == 8


def test_a_derivation_is_worked_out_once_for_a_selection_and_its_arguments() -> None:
    worked: list[tuple[int, ...]] = []

    @cached_per_selection
    def doubled(_: Selection, *numbers: int) -> tuple[int, ...]:
        worked.append(numbers)
        return tuple(2 * n for n in numbers)

    s = written(5)
    assert [doubled(s, 1), doubled(s, 2), doubled(s, 1)] == [(2,), (4,), (2,)]
    assert worked == [(1,), (2,)]
    assert doubled(written(5), 1) == (2,)
    assert len(worked) == 3


def test_a_derivation_of_the_job_is_shared_by_its_groups() -> None:
    worked: list[Selection] = []

    @cached_per_job
    def once(s: Selection) -> int:
        worked.append(s)
        return len(worked)

    s = written(5, 7)
    (group,) = group_files(s, file_uses(s), most=1).groups
    assert once(group.selection) == once(s) == 1
    assert worked == [s]


def test_what_is_said_of_the_same_records_later_leaves_derivations_but_not_outcomes() -> None:
    s = replace(written(5, 7), pattern="serial")
    assert outcome(s, "io.pattern") == Value("serial", "inferred")
    later = replace(s, pattern="file-per-process")
    assert later.cache is s.cache
    assert outcome(later, "io.pattern") == Value("file-per-process", "inferred")
    other = replace(s, logs=written(5).logs)
    assert other.cache is not s.cache
    assert lazy_metrics(other)["io.bytes"].value == 5


def test_what_is_worked_out_of_a_table_serves_the_group_that_has_all_its_records() -> None:
    worked: list[CounterTable] = []

    @cached_per_table
    def times(table: CounterTable, n: int, *, more: int = 0) -> int:
        worked.append(table)
        return (table.total("POSIX_BYTES_WRITTEN") or 0) * n + more

    s = written(5, 7)
    (group,) = group_files(s, file_uses(s), most=1).groups
    (_, of_job), (_, of_group) = *s.tables("POSIX"), *group.selection.tables("POSIX")
    assert [times(of_job, 2), times(of_group, 2), times(of_group, 3), times(of_job, 2, more=1)] == [24, 24, 36, 25]
    assert len(worked) == 3


def test_what_is_worked_out_is_not_kept_with_the_evidence() -> None:
    evidence = log(table("POSIX", (1, 0, {"POSIX_BYTES_WRITTEN": 5})))
    assert isinstance(evidence, DarshanLog)
    dict(lazy_metrics(job(evidence)))
    assert evidence.posix is not None
    assert not evidence.posix.cache


@pytest.mark.parametrize("records", [1, 64, 65, 200])
def test_few_records_and_many_are_added_up_and_numbered_alike(records: int) -> None:
    rows = [(1 + i % 3, i, {"POSIX_BYTES_WRITTEN": 2**62 if i < 4 else i - 5}) for i in range(records)]
    found = table("POSIX", *rows)
    values = [moved["POSIX_BYTES_WRITTEN"] for _, _, moved in rows]
    assert found.total("POSIX_BYTES_WRITTEN") == sum(value for value in values if value >= 0)
    assert found.by_id.ids[found.by_id.index].tolist() == found.ids.tolist()
    assert found.by_id.ids.tolist() == sorted({record for record, _, _ in rows})
    assert found.by_id.records.tolist() == [found.ids.tolist().count(record) for record in found.by_id.ids.tolist()]


def test_a_group_with_every_record_of_its_log_has_the_logs_answers() -> None:
    read: list[int] = []

    @cached_per_log
    def records(rows: LogRows) -> int:
        read.append(rows.source)
        return 0 if rows.posix is None else len(rows.posix)

    s = written(5, 7)
    (group,) = group_files(s, file_uses(s), most=1).groups
    assert [records(s.logs[0]), records(group.selection.logs[0])] == [2, 2]
    assert len(read) == 1

    records_of_two = [(i, 0, {"POSIX_BYTES_WRITTEN": 8 * i, "POSIX_WRITES": 1}) for i in (1, 2)]
    two = job(log(table("POSIX", *records_of_two), names={1: "/scratch/mesh", 2: "/scratch/field"}))
    groups = group_files(two, file_uses(two), most=2).groups
    assert [records(two.logs[0]), *(records(g.selection.logs[0]) for g in groups)] == [2, 1, 1]


def test_a_group_that_has_all_of_its_job_has_the_jobs_metrics(asked: Counter[str]) -> None:
    s = written(5, 7)
    (group,) = group_files(s, file_uses(s), most=1).groups
    of_job = compute_metrics(s)
    of_group = group_metrics(group.selection, of_job)
    assert of_group["io.bytes_written"] == of_job["io.bytes_written"]
    assert of_group["group.bytes_fraction"].value == 1
    assert asked["io.bytes_written"] == asked["io.bytes"] == 1


def test_what_such_a_group_was_asked_first_its_job_has_answered_too(asked: Counter[str]) -> None:
    s = written(5, 7)
    trace = DxtTrace("POSIX", np.zeros(0, SEGMENT), {}, {})
    traced = replace(s, parts=(*s.parts, (0, trace)))
    (group,) = group_files(traced, file_uses(traced), most=1).groups
    found = {id: outcome(group.selection, id) for id in ("io.bytes_written", "job.io_time")}
    of_job = compute_metrics(traced)
    assert found == {id: outcome(traced, id) for id in found}
    assert group_metrics(group.selection, of_job)["io.bytes_written"] is of_job["io.bytes_written"]
    assert asked["io.bytes_written"] == asked["job.io_time"] == 1


def test_what_tells_which_documents_are_of_its_files_is_not_asked_again(asked: Counter[str]) -> None:
    records = [(i, 0, {"POSIX_BYTES_WRITTEN": 8 * i, "POSIX_WRITES": 1}) for i in (1, 2)]
    two = job(log(table("POSIX", *records), names={1: "/work/x01/mesh", 2: "/work/x01/field"}))
    groups = with_documented(group_files(two, file_uses(two), most=2).groups, two, all_sites()["archer2"])
    assert asked["file.stripes_possible"] == len(groups) == 2
    for group in groups:
        outcome(group.selection, "file.stripes_possible")
    assert asked["file.stripes_possible"] == 2


def test_a_group_that_lacks_something_of_its_job_has_metrics_of_its_own(asked: Counter[str]) -> None:
    records = [(i, 0, {"POSIX_BYTES_WRITTEN": 8 * i, "POSIX_WRITES": 1}) for i in (1, 2)]
    two = job(log(table("POSIX", *records), names={1: "/scratch/mesh", 2: "/scratch/field"}))
    of_job = compute_metrics(two)
    groups = group_files(two, file_uses(two), most=2).groups
    assert [group_metrics(g.selection, of_job)["io.bytes_written"].value for g in groups] == [16, 8]

    asked.clear()
    alone = written(5, 7)
    beside_another = replace(alone, parts=(*alone.parts, *alone.parts))
    of_job = compute_metrics(beside_another)
    (group,) = group_files(beside_another, file_uses(beside_another), most=1).groups
    assert group_metrics(group.selection, of_job)["io.bytes_written"].value == 12
    assert asked["io.bytes_written"] == 2


@pytest.mark.parametrize("first", [-1, 0, 2**40])
@pytest.mark.parametrize("n", [0, 1, FEW, 4 * FEW])
def test_ranks_are_numbered_alike_few_and_many_near_and_far(n: int, first: int) -> None:
    ranks = np.array([first + (i * 7919) % 31 for i in range(n)], dtype=np.int64)
    known, places = unique_inverse(ranks)
    assert known.tolist() == sorted(set(ranks.tolist()))
    assert known[places].tolist() == ranks.tolist()


@pytest.mark.parametrize("n", [0, 1, FEW, 4 * FEW])
def test_numbers_are_found_again_among_few_and_many(n: int) -> None:
    values = np.array([(i * 7919) % 31 for i in range(n)], dtype=np.uint64)
    known, places = unique_inverse(values)
    assert known.tolist() == sorted(set(values.tolist()))
    assert known[places].tolist() == values.tolist()
    assert isin(values, values.copy()).all()
    wanted = np.array([3, 30, 999], dtype=np.uint64)
    assert isin(values, wanted).tolist() == [value in (3, 30, 999) for value in values.tolist()]


@pytest.mark.parametrize("n", [1, FEW + 1])
def test_all_rows_of_a_table_are_the_table_and_none_are_one_empty_table(n: int) -> None:
    every = table("POSIX", *((i, 0, {"POSIX_READS": i}) for i in range(n)))
    assert select_rows(every, np.ones(n, dtype=np.bool_)) is every
    none = select_rows(every, np.zeros(n, dtype=np.bool_))
    assert (len(none), none.ints.shape, none.total("POSIX_READS")) == (0, (0, every.ints.shape[1]), None)
    assert select_rows(every, np.zeros(n, dtype=np.bool_)) is none
    some = select_rows(every, np.arange(n) == n - 1)
    assert (len(some) if n > 1 else 1, some.ids.tolist()) == (1, [n - 1])


@pytest.mark.parametrize("at", [CounterAt("POSIX", "POSIX_OPENS"), Lines(1, 2)], ids=["counter", "lines"])
def test_a_place_in_each_of_many_logs_is_found_among_them_at_once(at: CounterAt | Lines) -> None:
    assert len({hash(Where(source, at)) for source in range(1_000)}) == 1_000
