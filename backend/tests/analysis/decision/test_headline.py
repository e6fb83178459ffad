"""The first sentence: the cause where there is one, and its price; else how much I/O there was, and what is missing."""

from __future__ import annotations

import hashlib
from dataclasses import replace
from pathlib import Path

import numpy as np

from iotriage.analysis.decision.evidence_headlines import NO_IO
from iotriage.analysis.document import CaseDocument
from iotriage.analysis.engine import diagnose
from iotriage.analysis.inputs import ReadSource
from iotriage_parsers.detect import read
from iotriage_parsers.evidence import DarshanLog, Evidence, IoError, Lines, MpiioHints, Problem

SAMPLES = Path(__file__).resolve().parents[4] / "sample-logs"


def evidence(name: str) -> Evidence:
    with (SAMPLES / "darshan_log" / name / f"{name}.darshan").open("rb") as stream:
        found = read(stream)
    assert isinstance(found, Evidence)
    return found


def case(*given: Evidence) -> CaseDocument:
    digests = (hashlib.sha256(bytes([i])).hexdigest() for i in range(9))
    return diagnose([ReadSource("log", d, 1, e) for d, e in zip(digests, given, strict=False)])


def lost(found: Evidence) -> Evidence:
    problem = Problem("out-of-range", "STDIO: 1 timer is negative; it is left out.", loses_data=True, where="STDIO")
    return replace(found, problems=(*found.problems, problem))


def longer(found: Evidence, times: float) -> Evidence:
    """The same log with every timer, and the run, `times` as long."""
    log = found.of(DarshanLog)[0]
    assert log.posix is not None
    assert log.mpiio is not None
    assert log.job.runtime_s is not None
    tables = {
        name: replace(t, floats=np.where(t.floats > 0, t.floats * times, t.floats))
        for name, t in (("posix", log.posix), ("mpiio", log.mpiio))
    }
    job = replace(log.job, runtime_s=log.job.runtime_s * times)
    return replace(found, parts=(replace(log, **tables, job=job, heatmaps=()),))


def test_a_cause_that_costs_next_to_nothing_says_so() -> None:
    """0.6 s of I/O in 2.46 s: below the second from which I/O matters. Twenty times as long, it does."""
    short = case(evidence("10-coll-subarray-cb-disable")).headline
    assert short.severity == "info"
    assert "collective buffering is not at work" in short.sentence
    assert short.sentence.endswith("This run lost little by it: all its I/O took 0.60 s.")
    long = case(longer(evidence("10-coll-subarray-cb-disable"), 20)).headline
    assert (long.severity, long.rule) == ("high", "collective-disabled")
    assert "lost little" not in long.sentence


def test_a_timer_that_was_left_out_does_not_hide_how_much_io_there_was() -> None:
    """136 MiB in 10 s of 26 s, well done: that is what is said, and what is missing beside it."""
    whole = longer(evidence("14-balanced"), 20)
    said = case(whole).headline.sentence
    assert said.startswith("I/O takes 38 % of the run, at ")
    assert said.endswith("but none of the known causes was found.")
    beside = case(lost(whole)).headline
    assert beside.sentence == f"{said.removesuffix('.')}; part of the evidence is missing."
    assert beside.rule == "partial-evidence"


def test_no_totals_are_spoken_of_where_there_are_none() -> None:
    hints = MpiioHints("cray-mpich", "a.dat", (), Lines(1, 9), complete=False)
    problem = Problem("unterminated", "hints are cut off", loses_data=True, line=9)
    headline = case(Evidence("mpich_hints", (hints,), problems=(problem,))).headline
    assert headline.sentence == (
        "Nothing in these sources shows how the job did its I/O; part of the evidence is missing."
    )
    assert "breaks off" in (headline.action or "")


def test_writes_that_failed_name_the_quota_and_what_to_do_about_it() -> None:
    error = IoError("write", 122, "EDQUOT", None, 9, 9, (), 1, (), 3 * 2**30, (), 4, 12)
    headline = case(Evidence("mpich_warnings", (error,))).headline
    assert headline.sentence == "Writes failed because the quota was used up: the files lack data."
    assert headline.command == "lfs quota -h ."


def test_an_internal_error_of_the_library_is_what_is_said_of_a_run_that_it_ended() -> None:
    path = SAMPLES / "mpich_warnings" / "pfl-internal-error" / "slab-check.log.txt"
    with path.open("rb") as stream:
        found = read(stream)
    assert isinstance(found, Evidence)
    headline = case(found).headline
    assert (headline.rule, headline.severity) == ("io-errors", "high")
    assert "a defect of the library" in headline.sentence
    assert "plain layout" in (headline.action or "")


def test_time_in_io_is_io_though_no_byte_was_counted() -> None:
    """Counters that cannot be true are left out: the timers still tell that there was I/O."""
    found = evidence("15-random-small-reads")
    log = found.of(DarshanLog)[0]
    assert log.posix is not None
    ints = log.posix.ints.copy()
    for name in ("POSIX_OPENS", "POSIX_BYTES_WRITTEN"):
        ints[:, log.posix.int_names.index(name)] = -1
    ints[:, log.posix.int_names.index("POSIX_BYTES_READ")] = 0
    odd = replace(log, posix=replace(log.posix, ints=ints), heatmaps=())
    assert case(replace(found, parts=(odd,))).headline.sentence != NO_IO


def test_what_shows_nothing_and_is_not_whole_is_not_said_to_be_all() -> None:
    """A text of which the header and all rows are lost is no run without I/O."""
    found = evidence("15-random-small-reads")
    log = found.of(DarshanLog)[0]
    lost = Problem("truncated", "The header of the text is missing.", loses_data=True)
    job = replace(log.job, runtime_s=None, nprocs=None)
    bare = replace(log, job=job, modules=(), posix=None, mpiio=None, stdio=None, heatmaps=(), lustre=())
    assert case(replace(found, parts=(bare,), problems=())).headline.sentence == NO_IO
    headline = case(replace(found, parts=(bare,), problems=(lost,))).headline
    assert headline.rule == "partial-evidence"


def test_one_rank_is_said_to_do_what_is_seen_of_it() -> None:
    """The statistics of a file that was written say nothing of reading."""
    path = SAMPLES / "mpich_stats" / "bad-collective-write-one-aggregator" / "plume-7204411.stderr.txt"
    with path.open("rb") as stream:
        found = read(stream)
    assert isinstance(found, Evidence)
    assert case(found).headline.sentence == "One rank of 256 writes for all, although the calls are collective."


def test_lost_data_is_said_before_that_io_took_no_time() -> None:
    error = IoError("write", 28, "ENOSPC", None, 1, 1, (), 1, (), 2**20, (), 4, 4)
    quick = evidence("08-shared-strided-collective")
    assert case(quick).headline.rule == "io-not-the-bottleneck"
    both = case(quick, Evidence("mpich_warnings", (error,)))
    assert (both.headline.rule, both.headline.severity) == ("io-errors", "high")
    assert [f.rule for f in both.findings[:2]] == ["io-errors", "io-not-the-bottleneck"]


def test_a_number_that_the_sentence_has_is_not_said_again_behind_it() -> None:
    many = case(evidence("lustre-fpp-many-files")).headline
    assert (many.sentence, many.figure) == ("4,096 ranks each have a file of their own.", None)
    turns = case(evidence("13-imbalanced-rank0")).headline
    assert turns.figure == "Bytes of the busiest rank over the mean: 4.71 ×."


def test_a_threshold_of_the_site_is_cited_from_the_site() -> None:
    """48 stripes are what Theta's slides ask for: ARCHER's guide, whom the rule cites, has 4 at least."""
    document = case(evidence("lustre-theta-1m-stripes"))
    used = document.thresholds["ssf-understriped.stripes"]
    assert (used.value, used.stated_by.document) == (48, "theta-io")
    assert used.default == 4
