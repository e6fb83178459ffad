"""Comparisons of the sample pairs: improvements that name what was changed, the opposite when turned round."""

from __future__ import annotations

import io
import re
from dataclasses import replace
from functools import cache
from itertools import combinations

import pytest
from budget import some
from hypothesis import given
from hypothesis import strategies as st
from sample_documents import document_of
from samples import case

from iotriage.analysis.document import CaseDocument, KnownMetric
from iotriage.analysis.engine import diagnose
from iotriage.analysis.inputs import ReadSource
from iotriage.analysis.run_sets import causes
from iotriage.analysis.run_sets.changes import DIRECTIONS, change_of
from iotriage.analysis.run_sets.comparison import Comparison, TooFewRunsError, compare
from iotriage.analysis.run_sets.run_settings import FILE_NAMES
from iotriage.metrics import all_metrics
from iotriage.reports.comparison_text import as_comparison_text
from iotriage.rules.run_sets.usual import factor_text
from iotriage_parsers.detect import read
from iotriage_parsers.evidence import Failure

IMPROVED = {
    ("01", "05"): "pattern serial → shared-independent",
    ("01", "02"): "pattern serial → file-per-process",
    ("03", "04"): "pattern file-per-process → shared-collective",
    ("06", "05"): "bs 1000 → 1048576",
    ("06", "08"): "collective calls none → all",
    ("07", "08"): "collective calls none → all",
    ("10", "09"): "collective buffering of writes is on (romio_cb_write disable → enable)",
    ("11", "09"): "collective buffering of writes is on (romio_cb_write disable → enable)",
    ("13", "14"): "factor 10 → 1",
    ("15", "16"): "random 1 → 0",
    ("17", "18"): "flush 1 → 0",
    ("19", "20"): "all 1 → 0",
    ("21", "22"): "reopen 1 → 0",
    ("23", "24"): "collective calls none → some",
    ("23", "25"): "mdcoll not set → 1",
    ("24", "25"): "mdcoll not set → 1",
    ("26", "27"): "mode indep → coll",
    ("26", "28"): "mode indep → nb",
    ("33", "34"): "redundant 1 → 0",
    ("42", "34"): "bs 1048576 → 3145728",
    ("39", "40"): "io legacy → tuned",
}
"""Every pair of a bad program and its good twin, and what its own README says was changed, in our words."""

TURNED = {"better": "worse", "worse": "better", "same": "same", "mixed": "mixed", "unknown": "unknown"}
LOGS = sorted({name for pair in IMPROVED for name in pair} | {"12", "29", "36", "41", "43"})


@cache
def document(name: str) -> CaseDocument:
    return document_of(case(name).sources)


def _again(of: CaseDocument) -> CaseDocument:
    """The same an hour later: begun at another moment, it is another run."""
    began = (of.job.start_time or 0.0) + 3600
    return replace(of, job=replace(of.job, start_time=began))


@cache
def pair(one: str, other: str) -> Comparison:
    return compare([(one, document(one)), (other, document(other))])


@pytest.mark.parametrize(("names", "setting"), IMPROVED.items(), ids="-".join)
def test_a_bad_program_and_its_good_twin_compare_as_an_improvement(names: tuple[str, str], setting: str) -> None:
    (step,) = pair(*names).steps
    assert step.outcome == "better", pair(*names).sentence
    assert setting in step.changed


@pytest.mark.parametrize("names", IMPROVED, ids="-".join)
def test_the_good_twin_first_compares_as_worse(names: tuple[str, str]) -> None:
    (step,) = pair(*reversed(names)).steps
    assert step.outcome == "worse"


@pytest.mark.parametrize("name", LOGS)
def test_a_run_against_itself_is_the_same(name: str) -> None:
    compared = compare([(name, document(name)), (f"{name} again", _again(document(name)))])
    (step,) = compared.steps
    assert step.outcome in ("same", "unknown")
    untimed = document(name).metrics["job.io_time"].value is None or "lacks records" in step.sentence
    assert step.outcome == "same" or untimed or "lack records" in step.sentence
    assert (step.changed, step.gone, step.came, step.undecided) == ((), (), (), ())
    assert compared.kind == "repeats"
    assert {change for row in compared.metrics for change in row.changes} <= {"same"}


@pytest.mark.fuzz
@pytest.mark.parametrize(("one", "other"), some(combinations(LOGS, 2)))
def test_turned_round_everything_is_the_opposite(one: str, other: str) -> None:
    there, back = pair(one, other), pair(other, one)
    (forth,), (again,) = there.steps, back.steps
    assert again.outcome == TURNED[forth.outcome]
    assert (set(again.gone), set(again.came)) == (set(forth.came), set(forth.gone))
    assert (set(again.stayed), set(again.undecided)) == (set(forth.stayed), set(forth.undecided))
    assert (again.factor is None) == (forth.factor is None)
    if forth.factor is not None and again.factor is not None:
        assert again.factor * forth.factor == pytest.approx(1)
    assert back.kind == there.kind
    changes = {row.id: row.changes[1] for row in back.metrics}
    for row in there.metrics:
        assert changes[row.id] == TURNED.get(row.changes[1], row.changes[1]), row.id


def test_a_cause_is_confirmed_where_it_is_gone_and_the_io_is_faster() -> None:
    (step,) = pair("11", "09").steps
    assert {c.rule: c.answer for c in step.causes} == {"collective-disabled": "confirmed"}
    assert step.factor == pytest.approx(6.48874 / 0.277797, rel=1e-4)
    # Beside a note that the figures do not say which setting did it, no more is confirmed than the cause.
    assert "the figures do not say which of them did it" in (step.note or "")
    assert "which of the settings that were changed took it away is not told" in step.causes[0].because


def test_a_cause_is_undecided_where_both_are_too_short_to_tell() -> None:
    (step,) = pair("10", "09").steps
    assert {c.rule: c.answer for c in step.causes} == {"collective-disabled": "undecided"}
    assert "under a second" in (step.note or "")


@pytest.mark.parametrize(("one", "other"), [(0.5, 0.9), (0.9, 0.5), (0.5, 0.55), (0.02, 0.9)])
def test_repeats_of_less_than_a_second_are_neither_better_nor_worse(one: float, other: float) -> None:
    first, again = _with_io_time(document("09"), one), _again(_with_io_time(document("09"), other))
    compared = compare([("09", first), ("09 again", again)])
    (step,) = compared.steps
    assert (compared.outcome, step.outcome, step.basis) == ("unknown", "unknown", "nothing")
    assert step.sentence.startswith("B and A are too short to be compared")
    assert "under a second" in (step.note or "")
    three = compare([("09", run) for run in (first, again, _again(again))])
    assert three.sentence.startswith("Nothing that was set differs between the runs; they are too short")


def test_a_cause_is_refuted_where_it_is_gone_and_the_io_is_no_faster() -> None:
    before, after = (_with_io_time(document(name), seconds) for name, seconds in (("10", 5.0), ("09", 7.0)))
    (step,) = compare([("10 slowed", before), ("09 slowed more", after)]).steps
    assert {c.rule: c.answer for c in step.causes} == {"collective-disabled": "refuted"}
    assert step.outcome == "worse"


def test_no_cause_is_refuted_by_a_slower_run_in_which_another_setting_was_changed_too() -> None:
    slow = _with_io_time(document("09"), 7.0)
    (step,) = compare([("11", document("11")), ("09 slowed", slow)]).steps
    assert {c.rule: (c.answer, c.because) for c in step.causes} == {
        "collective-disabled": ("undecided", causes.OTHERS_MAY_COST)
    }


def test_a_cause_that_is_still_there_is_undecided() -> None:
    (step,) = compare([("39", document("39")), ("39 slowed", _again(_with_io_time(document("39"), 3.0)))]).steps
    assert step.stayed == ("independent-shared", "sync-heavy", "small-io")
    assert step.causes == ()  # nothing was changed: these are repeats
    changed = _again(_with_arguments(_with_io_time(document("39"), 3.0), "steps=24"))
    (step,) = compare([("39", document("39")), ("39 changed", changed)]).steps
    assert {c.rule: c.answer for c in step.causes} == {"independent-shared": "undecided", "sync-heavy": "undecided"}


def test_a_run_of_which_nothing_could_be_read_is_no_improvement() -> None:
    nothing = diagnose([ReadSource("gone", "", 0, Failure("unrecognised", "It is gone.", "Give it again."))])
    (step,) = compare([("11", document("11")), ("gone", nothing)]).steps
    assert (step.outcome, step.gone, step.came) == ("unknown", (), ())
    assert {c.answer for c in step.causes} == {"undecided"}
    assert step.note is None
    assert step.sentences == ("B could not be read (It is gone.): there is nothing to compare the other with.",)
    turned = compare([("gone", nothing), ("11", document("11"))])
    assert turned.sentence.startswith("A could not be read (It is gone.)")
    assert compare([("gone", nothing), ("gone", nothing)]).sentence.startswith("A and B could not be read")


def test_the_best_of_two_variants_are_compared_where_each_was_repeated() -> None:
    runs = [
        ("A-1", _with_io_time(document("11"), 8.0)),
        ("A-2", _with_io_time(document("11"), 7.0)),
        ("B-1", _with_io_time(document("09"), 3.5)),
        ("B-2", _with_io_time(document("09"), 5.0)),
    ]
    best = compare(runs).best
    assert best is not None
    assert (best.against, best.run, best.factor) == (1, 2, 2.0)
    assert {c.rule: c.answer for c in best.causes} == {"collective-disabled": "confirmed"}


def test_the_best_of_a_variant_is_not_the_run_that_had_least_to_do() -> None:
    """Half the bytes in two thirds of the time are slower."""

    def half(of: CaseDocument) -> CaseDocument:
        changed = {
            id: replace(metric, value=metric.value / 2)
            for id in ("io.bytes_written", "io.bandwidth")
            if isinstance(metric := of.metrics[id], KnownMetric) and not isinstance(metric.value, str)
        }
        return replace(of, metrics={**of.metrics, **changed})

    less = half(_with_io_time(document("09"), 2.5))
    whole = _with_io_time(document("09"), 3.5)
    for after in ([less, whole], [whole, less]):
        best = compare([("A", _with_io_time(document("11"), 8.0)), *(("B", one) for one in after)]).best
        assert best is not None
        assert best.run == 1 + after.index(whole)


def test_the_best_of_two_stripings_say_whether_the_cause_is_confirmed() -> None:
    names = ("lustre-ssf-one-stripe", "lustre-ssf-striped")
    compared = compare([(name, document(name)) for name in names for _ in range(2)])
    assert compared.kind == "striping"
    assert compared.best is not None
    assert (compared.best.against, compared.best.run) == (0, 2)
    assert {c.rule: c.answer for c in compared.best.causes}["single-aggregator"] == "confirmed"


def test_several_changes_are_said_to_be_several() -> None:
    note = pair("11", "09").note or ""
    assert "3 settings changed together, romio_cb_write, romio_ds_write and cb_nodes: the figures do not say" in note
    assert "settings changed together" not in (pair("21", "22").note or "")


def test_a_log_and_its_own_copy_cut_short_are_one_run_and_not_two_that_are_as_fast() -> None:
    compared = pair("39", "50")
    assert compared.sentence.startswith("A and B are sources of one run, job 4127649")
    assert not compared.run_set
    assert "as fast" not in as_comparison_text(compared).partition("\n\n")[0]


def test_the_sites_own_quartiles_say_what_is_usual() -> None:
    names = ("lustre-ssf-one-stripe", "lustre-ssf-striped")
    usual = compare([(n, document(n)) for n in names]).usual
    assert usual.factor == pytest.approx(12 / 8)
    assert usual.stated_by.document == "archer2-io"
    assert "ARCHER2" in (usual.site_says or "")
    assert pair("11", "09").usual.factor == 1.05


def test_a_setting_that_one_run_does_not_state_is_not_called_changed() -> None:
    names = ("lustre-ssf-few-aggregators", "lustre-ssf-archer2-settings")
    compared = compare([(n, document(n)) for n in names])
    assert compared.kind == "change"
    one_sided = [row for row in compared.settings if None in [v.value for v in row.values]]
    assert {row.changed for row in one_sided} == {False}
    assert "Only one run's sources state" in (compared.note or "")


def test_what_the_sources_of_one_run_alone_state_is_told_once_for_several() -> None:
    names = ("ssf-archer2-settings", "ssf-few-aggregators", "ssf-idle-aggregators", "ssf-shared-lock")
    compared = compare([(n, document(f"lustre-{n}")) for n in names])
    assert (compared.kind, compared.best) == ("change", None)
    note = compared.note or ""
    assert note.startswith("Between A and each of B and C, only one run's sources state ")
    assert note.endswith(": what was changed may be among these.")
    alone = ["Only one run's sources state" in (step.note or "") for step in compared.steps]
    assert alone == [False, False, True]
    assert as_comparison_text(compared).count("one run's sources state") == 2


def test_of_several_runs_each_has_its_own_sentence_below_what_became_of_all() -> None:
    compared = compare([(name, document(name)) for name in ("07", "06", "08")])
    assert compared.kind == "change"
    assert (compared.sentence, compared.note) == ("C is better than A, and B is worse than A.", None)
    text = as_comparison_text(compared)
    assert text.startswith(f"{compared.sentence}\n\n")
    for step in compared.steps:
        assert "\n\n" + step.sentence[:20] in text
        assert step.sentence.startswith(compared.runs[step.run].label)


def test_one_case_alone_is_refused_unless_it_is_a_benchmark_with_several_runs() -> None:
    with pytest.raises(TooFewRunsError):
        compare([("06", document("06"))])
    rates = [r.rate or 0.0 for r in compare([("json", document("ior/json"))]).runs]
    assert sorted(rates) == pytest.approx([2166.9091 * 2**20, 2230.2890 * 2**20])


def test_every_metric_with_a_direction_exists() -> None:
    assert set(DIRECTIONS) <= set(all_metrics())


@given(
    st.sampled_from(sorted(DIRECTIONS)),
    st.none() | st.floats(0, 1e15),
    st.none() | st.floats(0, 1e15),
    st.floats(1, 10),
)
def test_a_change_turned_round_is_its_opposite(
    metric: str, before: float | None, after: float | None, usual: float
) -> None:
    unit = all_metrics()[metric].unit
    there, back = change_of(metric, unit, before, after, usual), change_of(metric, unit, after, before, usual)
    assert back == TURNED.get(there, there)


@pytest.mark.parametrize(
    ("metric", "before", "after", "change"),
    [
        ("balance.bytes", 1.000016, 1.000586, "same"),
        ("balance.bytes", 1.0, 1.02, "worse"),
        ("posix.opens", 10_001.0, 10_008.0, "worse"),
        ("io.bytes_written", 80.11 * 2**20, 80.12 * 2**20, "same"),
    ],
)
def test_what_is_counted_and_is_printed_alike_did_not_change(
    metric: str, before: float, after: float, change: str
) -> None:
    assert change_of(metric, all_metrics()[metric].unit, before, after, 1.05) == change


def _with_io_time(of: CaseDocument, seconds: float) -> CaseDocument:
    return replace(of, metrics={**of.metrics, "job.io_time": replace(of.metrics["job.io_time"], value=seconds)})


def _with_arguments(of: CaseDocument, added: str) -> CaseDocument:
    return replace(of, job=replace(of.job, command_line=f"{of.job.command_line} {added}"))


def test_a_rule_about_run_sets_is_decided_by_the_readers_number() -> None:
    slower = _with_io_time(document("09"), 1.0)
    runs = [("09", _with_io_time(document("09"), 2.0)), ("09 again", _again(slower))]

    def verdicts(own: dict[str, float]) -> dict[str, str]:
        return {f.rule: f.verdict for f in compare(runs, own).run_set}

    assert verdicts({})["jitter"] == "triggered"  # the rate is the same in both, the time is not
    assert verdicts({"jitter.usual": 3.0})["jitter"] == "clear"
    assert "jitter" not in verdicts({"jitter.seconds": 3.0})


def benchio(text: str) -> CaseDocument:
    return diagnose([ReadSource("benchio.txt", text, 1, read(io.BytesIO(text.encode())))])


def test_every_layer_of_two_outputs_of_benchio_is_compared() -> None:
    (sample,) = case("benchio/striped").sources
    text = sample.read_text()
    compared = compare([("A", benchio(text)), ("B", benchio(text.replace("rate =  2.4198", "rate =  1.4198")))])
    rows = {row.title for row in compared.metrics}
    assert {"write mpiio striped", "write hdf5 striped", "write hdf5 unstriped"} <= rows
    assert compared.sentence.startswith("Of the 6 phases of both, B is slower in 1 (write hdf5 striped 2.42 GiB/s")
    assert compared.outcome == "worse"
    # Of one output the directories of one layer are the runs, and what is left out is told.
    alone = compare([("benchio.txt", benchio(text))])
    assert len(alone.runs) == 3
    assert alone.note is not None
    assert "The results of hdf5 are compared with those of another output" in alone.note


def test_a_log_that_lacks_records_has_the_least_of_its_io_time_and_of_its_bytes() -> None:
    found = pair("43", "03")
    partial, whole = found.runs
    assert (partial.io_time_s, whole.io_time_at_least_s) == (None, None)
    assert partial.io_time_at_least_s is not None
    assert partial.io_time_at_least_s > 1.91
    written = next(row for row in found.settings if row.name == "bytes written")
    assert [(v.value or "").startswith("at least ") for v in written.values] == [True, False]
    assert "I/O at least 3.80 s" in as_comparison_text(found)


def test_sizes_of_calls_are_held_against_those_of_the_same_layer() -> None:
    sizes = {row.name: [v.value for v in row.values] for row in pair("39", "40").settings if "average" in row.name}
    assert sizes["average MPI-IO write"] == ["4.00 KiB", "853 KiB"]
    assert sizes["average POSIX write"] == ["6.15 KiB", "3.33 MiB"]


def test_of_a_set_what_cannot_be_held_against_the_first_is_said_so() -> None:
    found = compare([(name, document(name)) for name in ("43", "39", "23")])
    assert found.sentence == "B and C cannot be compared with A."


def test_names_made_anonymous_are_no_other_program_and_no_other_arguments() -> None:
    found = pair("39", "48")
    assert (found.kind, found.outcome, found.steps[0].note) == ("repeats", "same", None)
    assert [row.name for row in found.settings if row.changed] == []


def test_sources_of_one_run_confirm_and_refute_nothing() -> None:
    assert pair("39", "50").steps[0].causes == ()


def test_a_run_of_another_task_on_more_ranks_is_no_scaling() -> None:
    assert pair("02", "43").kind == "change"
    assert pair("02", "43").run_set == ()


def test_a_stream_read_again_and_again_is_not_refuted_by_a_rate_of_fewer_bytes() -> None:
    (step,) = pair("streams-reread", "streams-read-once").steps
    assert (step.outcome, step.basis) == ("better", "time")
    assert {c.rule: c.answer for c in step.causes} == {"stdio-reread": "confirmed"}
    assert "gone: a stream read repeatedly" in step.sentence


def test_a_rate_of_a_cache_is_no_cause_that_a_run_could_refute() -> None:
    (step,) = pair("lustre-archer-cached", "lustre-archer-slow").steps
    assert step.outcome == "unknown"
    assert "too little for its rate" in step.sentence
    assert {c.rule: c.answer for c in step.causes} == {"single-aggregator": "undecided"}


def test_a_rule_about_run_sets_that_lacks_a_figure_says_nothing_that_would_hold_otherwise() -> None:
    found = compare([("striped", document("striped"))])
    assert {f.verdict for f in found.run_set} == {"triggered"}
    unknown = replace(found, run_set=tuple(replace(f, verdict="unknown", headline=None) for f in found.run_set))
    assert "striping-experiment: not decided, a figure is missing" in as_comparison_text(unknown)


def test_runs_of_several_files_of_one_case_have_the_names_of_their_files() -> None:
    four = document_of(case("shared-at-four-sizes").sources)
    runs = compare([("the sizes", four)]).runs
    assert [run.title.split(",")[0].partition(":")[0] for run in runs] == [
        f"ior-{ranks:03}-ranks.txt" for ranks in (32, 64, 128, 256)
    ]
    one = document_of(case("ssf-collective").sources)
    assert all(
        run.title.startswith("collective") for run in compare([("collective", one), ("again", _again(one))]).runs[:1]
    )


def test_of_runs_that_write_alike_and_read_otherwise_only_the_writing_is_said_to_be_alike() -> None:
    named = ("read-back", "ssf-collective", "shared-at-four-sizes")
    found = compare([(name, document_of(case(name).sources)) for name in named])
    assert found.sentence.endswith("B writes as fast as A.")


def test_a_time_that_is_the_most_it_can_be_is_said_so_wherever_it_stands() -> None:
    found = pair("39", "40")
    assert [run.io_time_at_most for run in found.runs] == [True, True]
    # A quotient of two bounds is none of the times themselves: 9.45 s / 0.68 s at least, 9.58 s / 0.59 s at most.
    assert "13.9 to 16.2 times faster (9.45 s to 9.58 s → 0.59 s to 0.68 s)" in found.sentence
    step = found.steps[0]
    assert (step.factor, step.factor_most) == (pytest.approx(13.91, abs=0.01), pytest.approx(16.21, abs=0.01))
    assert "13.9 to 16.2 times slower (0.59 s to 0.68 s → 9.45 s to 9.58 s)" in pair("40", "39").sentence
    said = as_comparison_text(found)
    assert "I/O at most 9.58 s" in said
    assert re.search(r"^  I/O time of the slowest rank +≤ 9\.58 s +≤ 0\.68 s +better$", said, re.MULTILINE)
    assert re.search(r"^  Bandwidth +≥ 21\.8 MiB/s +≥ 165 MiB/s +better$", said, re.MULTILINE)
    exact = pair("06", "08")
    assert not any(run.io_time_at_most or run.rate_at_least for run in exact.runs)
    assert exact.steps[0].factor_most is None


def test_one_rate_over_another_has_two_decimals_only_where_a_few_per_cent_are_asked_about() -> None:
    names = ("lustre-ssf-one-stripe", "lustre-ssf-striped")
    assert "The best rate is 91.1 times that of the worst." in as_comparison_text(
        compare([(name, document_of(case(name).sources)) for name in names])
    )
    assert factor_text(1.0512) == "1.05"


def test_a_library_is_not_said_to_stand_over_a_layer_that_moves_bytes_without_it() -> None:
    """39 writes checkpoints by POSIX, and HDF5 over MPI-IO; 40 writes both over MPI-IO."""
    interface = next(row for row in pair("39", "40").settings if row.name == "interface")
    assert [v.value for v in interface.values] == ["mostly POSIX (HDF5 and MPI-IO too)", "HDF5 over MPI-IO"]


def test_every_file_written_is_named_and_a_formats_number_stays() -> None:
    """39 has more checkpoints than names are told; the logs of its ranks come after them."""
    names = next(row for row in pair("39", "40").settings if row.name == FILE_NAMES)
    assert [v.value for v in names.values] == [
        "ckpt.#.#, diag.#.log and history.h5",
        "ckpt.#, diag.#.log and history.h5",
    ]
