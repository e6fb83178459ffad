"""Jobs of whose records some are lost: the first sentence says so, whatever it names."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest
from described import KIB, MIB, Part, Work, above_info, document, log_of, own, uneven

from iotriage.analysis.document import CaseDocument, Finding, RuledOut
from iotriage.analysis.engine import diagnose
from iotriage.analysis.inputs import ReadSource
from iotriage.reports.sections.grounds import evidence_to_decide
from iotriage_parsers.evidence import Evidence

BY_ONE_RANK = Work(
    (
        Part("/scratch/o.dat", range(1), writes=60_000, size=MIB, write_s=200.0, osts=(1,)),
        Part("/scratch/in.dat", range(64), reads=10, size=MIB, read_s=0.1),
    ),
    nprocs=64,
    runtime_s=600,
    nodes=2,
)
MISSING = "; part of the evidence is missing."


def test_a_cause_is_named_with_what_is_missing() -> None:
    whole, cut = document(BY_ONE_RANK), document(replace(BY_ONE_RANK, partial=("POSIX",)))
    assert (whole.headline.rule, cut.headline.rule) == ("serial-io", "serial-io")
    assert MISSING not in whole.headline.sentence
    assert cut.headline.sentence == whole.headline.sentence.removesuffix(".") + MISSING


def test_where_nothing_else_is_said_it_is_said_once() -> None:
    short = Part("/scratch/o.{}", range(64), writes=10, size=MIB, write_s=0.3, osts=own(64))
    found = document(Work((short,), nprocs=64, runtime_s=3600, nodes=2, partial=("POSIX",)))
    assert found.headline.sentence == "Part of the evidence is missing: totals are lower bounds."


SMALL = tuple(
    Part(f"/scratch/n/s{k}.{{}}", range(16), writes=2, size=8 * KIB, write_s=0.01, meta_s=0.4) for k in range(64)
)


def test_what_others_took_all_of_is_no_second_fault_in_a_partial_log_either() -> None:
    found = document(Work(SMALL, nprocs=16, runtime_s=100, nodes=1, partial=("POSIX",)))
    assert above_info(found) == {"many-small-files": "high"}


def test_a_fault_with_seconds_of_its_own_stands_beside_another_in_a_partial_log() -> None:
    again = Part("/scratch/n/log.{}", range(16), writes=400, size=4 * MIB, opens=400, write_s=2, meta_s=30)
    found = document(Work((*SMALL, again), nprocs=16, runtime_s=200, nodes=1, partial=("POSIX",)))
    assert {"many-small-files", "metadata-bound"} <= set(above_info(found))


HOME = Part("/home/u/o.{}", range(64), writes=4000, size=MIB, write_s=100.0)
MODULES = tuple(
    Part(f"/sw/lib/python3.11/site-packages/m{k}.py", range(64), reads=2, size=8 * KIB, read_s=0.02, meta_s=0.5)
    for k in range(100)
)


@pytest.mark.parametrize(
    ("lost", "rule"),
    [
        ((BY_ONE_RANK.parts[0],), "serial-io"),
        ((Part("/scratch/slow.{}", range(5, 6), writes=100, size=MIB, write_s=300.0),), "straggler-rank"),
        ((HOME,), "wrong-filesystem"),
        (SMALL, "metadata-bound"),
        (MODULES, "import-storm"),
    ],
)
def test_what_the_missing_records_may_hold_is_not_clear(lost: tuple[Part, ...], rule: str) -> None:
    """The same job with all records, without some, and one that never had these."""
    kept = Part("/scratch/o.{}", range(64), writes=100, size=8 * MIB, write_s=8.0, osts=own(64))
    without = Work((kept,), nprocs=64, runtime_s=600, nodes=2)
    works = replace(without, parts=(kept, *lost)), replace(without, partial=("POSIX",)), without
    whole, cut, never = ({f.rule: f.verdict for f in document(work).findings} for work in works)
    assert whole[rule] == "triggered"
    assert cut.get(rule, "unknown") == "unknown"
    assert never.get(rule, "clear") in ("clear", "not_applicable")


FINE = Work((Part("/scratch/o.{}", range(64), writes=100, size=8 * MIB, write_s=8.0, osts=own(64)),), 64, 600, nodes=2)


def test_that_no_record_is_missing_is_no_reason_why_a_rule_is_clear() -> None:
    """It keeps the answer from being unknown, and is nothing that the rule asks for."""
    reasons = {f.rule: f.reason for f in document(FINE).findings if isinstance(f, RuledOut)}
    assert {"impossible-times", "import-storm"} <= set(reasons)
    assert not [reason for reason in reasons.values() if "are missing" in reason]


def test_of_what_darshan_had_no_memory_for_another_log_is_not_asked_for() -> None:
    cut = document(replace(FINE, partial=("POSIX",)))
    rules = {"impossible-times", "import-storm", "metadata-bound", "serial-io"}
    undecided = [f for f in cut.findings if isinstance(f, Finding) and f.verdict == "unknown" and f.rule in rules]
    assert len(undecided) == len(rules)
    assert evidence_to_decide(undecided, cut) == ()


def without_timer(way: str, records: slice, name: str = "o.{}") -> CaseDocument:
    """64 ranks read, write and open; some records lack one of the timers."""
    part = Part(
        f"/scratch/{name}", range(64), writes=2000, write_s=uneven(64, 60.0), reads=100, read_s=20.0, meta_s=70.0,
        osts=own(64),
    )  # fmt: skip
    log = log_of(Work((part,), 64, 200.0, nodes=4))
    assert log.posix is not None
    seconds = log.posix.floats.copy()
    seconds[records, log.posix.float_names.index(f"POSIX_F_{way}_TIME")] = np.nan
    lacking = Evidence("darshan_log", (replace(log, posix=replace(log.posix, floats=seconds)),))
    return diagnose([ReadSource("a.darshan", "0" * 64, 1, lacking)], None)


@pytest.mark.parametrize(("way", "cell"), [("META", "metadata"), ("WRITE", "writes")])
def test_what_no_record_timed_is_not_known_to_be_none(way: str, cell: str) -> None:
    found = without_timer(way, slice(None))
    assert found.account is not None
    assert [one.reason for one in found.account.unknown if one.cell == cell] == [
        f"POSIX_F_{way}_TIME is not available in this log"
    ]
    assert "most of it in opening" not in found.headline.sentence
    (layer,) = found.charts.layers
    assert layer.partial
    assert (layer.metadata_s if way == "META" else layer.write_s) is None
    assert all(series.partial for series in found.charts.ranks.series if series.basis == "records")


def test_where_some_records_are_timed_nobody_knows_who_waits() -> None:
    found = without_timer("WRITE", slice(0, 40))
    assert found.account is not None
    assert found.account.partial
    assert found.account.cells.imbalance == 0
    assert found.account.cells.not_split > 0


def test_where_one_rank_is_not_timed_the_others_wait_all_the_same() -> None:
    """It may have been writing for all of the run, which is a sixty-fourth of it in the mean rank."""
    found = without_timer("WRITE", slice(3, 4))
    assert found.account is not None
    assert found.account.cells.imbalance > 3.0
    assert 0 < found.account.cells.not_split < 4.0


def test_of_a_file_of_all_ranks_without_a_timer_nothing_is_said_to_be_right() -> None:
    """Its record has what the slowest rank took, and not the writes of the mean one."""
    found = without_timer("WRITE", slice(None), "o.dat")
    assert found.account is not None
    assert found.account.cells.imbalance == 0
    assert found.account.cells.not_split == pytest.approx(65.0, abs=2.0)
    assert found.headline.sentence == "Nothing wrong was found in what could be read; some questions stay open."
