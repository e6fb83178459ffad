"""Two or more cases held against one another: what was changed, what became of it, which findings went and came.

Pure over case documents. It names what changed, and leaves open which of several changes did it. Every statement about
two runs turned round says the opposite.
"""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import replace
from typing import Literal

from iotriage.analysis.decision.headline_figure import OF_THE_SLOWEST
from iotriage.analysis.decision.moved_thresholds import with_thresholds
from iotriage.analysis.document import CaseDocument, ThresholdInForce
from iotriage.analysis.run_sets import comparison_notes, run_set_words
from iotriage.analysis.run_sets import comparison_words as words
from iotriage.analysis.run_sets.causes import cause_verdict, fates_of
from iotriage.analysis.run_sets.changes import DIRECTIONS, SUMMED, BetterWhen, Change, change_of
from iotriage.analysis.run_sets.command_line import names_places_alone
from iotriage.analysis.run_sets.finding_changes import FindingChange, finding_changes
from iotriage.analysis.run_sets.own_thresholds import (
    moved_thresholds_of,
    raised_to_their_least,
    threshold_ids,
    thresholds_of_run_sets,
)
from iotriage.analysis.run_sets.phase_rates import change_between
from iotriage.analysis.run_sets.run import (
    OF_JOB,
    READ_BY_BENCHMARK,
    Run,
    TitledCase,
    is_one_run,
    is_unread,
    lost_data,
    names_a_directory,
    number_of,
    was_cut_short,
)
from iotriage.analysis.run_sets.run_set_finding import RunSetFinding
from iotriage.analysis.run_sets.run_settings import STRIPE_COUNT
from iotriage.analysis.run_sets.runs_of_cases import omitted_layers, runs_of
from iotriage.analysis.run_sets.scaling import findings_of, kind_of, one_sided
from iotriage.analysis.run_sets.setting import TWICE, SettingKind, differ, union_of_keys
from iotriage.analysis.run_sets.speed import Outcome, are_comparable, is_short, same_work, speed_of
from iotriage.analysis.run_sets.step import SettingRow, SettingValue, Step, VerdictText
from iotriage.analysis.run_sets.unread_runs import with_failures, with_omitted_layers
from iotriage.analysis.run_sets.variation import UsualFactor, usual_factor_of
from iotriage.metrics import all_metrics
from iotriage.metrics.core.metric import Unit
from iotriage.metrics.environment.settings import NOT_SET
from iotriage.metrics.runs.run_set import SAME_WORK, RunSetKind
from iotriage.metrics.tables.settings import HINT_VARIABLE, patterns_of
from iotriage.rules.core.rule import Statement
from iotriage.rules.core.words import paragraph, plural
from iotriage_parsers.frozen import frozen, frozen_identity

COMPARISON_VERSION = 1


class TooFewRunsError(ValueError):
    """Fewer than two runs were given; the message says what to give."""


@frozen
class RunView:
    """One of the runs. `rate` is B/s of the metric `rate_of`; `processes` and the rest are null where not known.
    Of a log that lacks records the I/O time is `io_time_at_least_s`, which is held against no other; where files with
    one record for all ranks leave open whose seconds add up, `io_time_s` is `io_time_at_most`, it is `io_time_least_s`
    at least, and `rate` is `rate_at_least`. `short` where it spends under a second in I/O."""

    label: str
    title: str
    case: int
    job_id: str | None
    processes: int | None
    nodes: int | None
    runtime_s: float | None
    io_time_s: float | None
    io_time_at_least_s: float | None
    io_time_at_most: bool
    io_time_least_s: float | None
    rate: float | None
    rate_at_least: bool
    rate_of: str
    pattern: str | None
    stripes: int | None
    stripes_in_words: str | None
    headline: str
    short: bool


@frozen
class MetricRow:
    """One metric over all runs. `changes` are against the first run, which has "same" against itself; `bounds` of
    the runs say whose value is the most or the least that it can be."""

    id: str
    title: str
    unit: Unit
    direction: BetterWhen
    values: tuple[float | None, ...]
    bounds: tuple[Literal["at least", "at most"] | None, ...]
    changes: tuple[Change, ...]


@frozen
class UsualVariation:
    """Two runs are not called different while one is less than `factor` times the other. `moved_from` is set where
    that is the reader's number: the document's, or the site's, which held before."""

    factor: float
    stated_by: Statement
    site_says: str | None
    moved_from: float | None = None


@frozen
class Comparison:
    """`sentence` is the verdict on the whole set, and `sentences` say the same one by one, the verdict first; `run_set`
    the answers of the rules about run sets. `steps` hold every run against the first. Where several runs were repeats
    of two variants, `best` holds the best of one against the best of the other, and the verdict is its. `moved` are the
    thresholds whose number the reader chose, `threshold_ids` all that could be."""

    version: int
    kind: RunSetKind
    sentence: str
    sentences: tuple[str, ...]
    note: str | None
    outcome: Outcome
    usual: UsualVariation
    runs: tuple[RunView, ...]
    steps: tuple[Step, ...]
    best: Step | None
    settings: tuple[SettingRow, ...]
    metrics: tuple[MetricRow, ...]
    findings: tuple[FindingChange, ...]
    run_set: tuple[RunSetFinding, ...]
    moved: tuple[ThresholdInForce, ...]
    threshold_ids: tuple[str, ...]


NONE: Mapping[str, float] = {}


def compare(cases: Sequence[TitledCase], own: Mapping[str, float] = NONE, labels: Sequence[str] = ()) -> Comparison:
    """The comparison of these cases, the first being what the others are held against, by the reader's `own` numbers
    (threshold id → number). Runs are called A, B, C …, or by `labels`. One case alone will do where it is the output of
    a benchmark with several runs. TooFewRunsError otherwise, UnknownThresholdError where there is no such threshold, or
    it cannot have the number."""
    decided = [TitledCase(title, with_thresholds(document, own)) for title, document in cases]
    own = raised_to_their_least(own)
    runs = runs_of(decided, labels)
    if len(runs) < 2:
        raise TooFewRunsError("Give two runs or more: a comparison needs something to compare with.")
    one_run = is_one_run(runs)
    unlike = len({lost_data(run.document) for run in runs}) > 1
    kind = "change" if one_run or unlike else kind_of(runs)
    usual = usual_factor_of(runs, own)
    thresholds = thresholds_of_run_sets(usual, own)
    compared = _Compared(runs, kind, usual.factor, _settings(runs), finding_changes(runs))
    pair = _best_of_two_variants(compared)
    listed_once = _one_sided_of_several(runs) if kind == "change" and not (pair or one_run) else {}
    steps = tuple(_step(compared, 0, i, listed_once) for i in range(1, len(runs)))
    best = _step(compared, *pair) if pair else None
    of_run_sets = findings_of(runs, kind, thresholds)
    decisive = (best,) if best else steps
    said, note = _verdict(compared, of_run_sets, decisive)
    documents = [document for _, document in decided]
    in_force = [*(t for document in documents for t in document.thresholds.values()), *thresholds.values()]
    return Comparison(
        version=COMPARISON_VERSION,
        kind=kind,
        sentence=said.at_once,
        sentences=said.one_by_one,
        note=_note(note, listed_once, runs, documents),
        outcome="unknown" if one_run else _common_outcome([s.outcome for s in decisive]),
        usual=UsualVariation(usual.factor, usual.stated_by, usual.site_says, usual.moved_from),
        runs=tuple(_view(run) for run in runs),
        steps=steps,
        best=best,
        settings=compared.settings,
        metrics=_metrics(runs, usual),
        findings=compared.findings,
        run_set=of_run_sets,
        moved=moved_thresholds_of(in_force),
        threshold_ids=tuple(sorted(threshold_ids(documents))),
    )


@frozen_identity
class _Compared:
    """The runs, as which `kind` of set they are compared, `usual` the factor by which equal runs differ, and what they
    set and what was found in them, in rows with a cell a run."""

    runs: Sequence[Run]
    kind: RunSetKind
    usual: float
    settings: tuple[SettingRow, ...]
    findings: tuple[FindingChange, ...]


def _verdict(
    compared: _Compared, of_run_sets: Sequence[RunSetFinding], decisive: Sequence[Step]
) -> tuple[VerdictText, str | None]:
    """The verdict on the whole set, and what the reader is told besides."""
    runs, findings = compared.runs, compared.findings
    if is_one_run(runs):
        return run_set_words.one_run_sentence(runs)
    differences = run_set_words.RunDifferences(_apart(findings, runs), _unlike(runs), _by_writes(runs))
    figures = [run.figures for run in runs]
    return run_set_words.set_sentence(compared.kind, figures, of_run_sets, decisive, differences)


def _note(
    note: str | None,
    listed_once: Mapping[tuple[str, ...], Sequence[Run]],
    runs: Sequence[Run],
    documents: Sequence[CaseDocument],
) -> str | None:
    """The verdict's `note`, and what the sources do not have."""
    once = [comparison_notes.one_sided_note(runs[0], others, names) for names, others in listed_once.items()]
    noted = with_failures(paragraph(note, *once) or None, runs)
    return with_omitted_layers(noted, omitted_layers(documents, runs))


def _common_outcome(outcomes: Sequence[Outcome]) -> Outcome:
    only = set(outcomes)
    return only.pop() if len(only) == 1 else "mixed"


def _one_sided_of_several(runs: Sequence[Run]) -> Mapping[tuple[str, ...], Sequence[Run]]:
    """What the sources of one side alone state, where it is the same of several runs beside the first."""
    first, *others = runs
    by_names: dict[tuple[str, ...], list[Run]] = {}
    for run in others:
        if not (is_unread(first.document) or is_unread(run.document)):
            by_names.setdefault(one_sided((first, run)), []).append(run)
    return {names: several for names, several in by_names.items() if names and len(several) > 1}


def _best_of_two_variants(compared: _Compared) -> tuple[int, int] | None:
    """The best run of each, where three runs or more are repeats of two variants: those that agree in every setting
    that was chosen. What was only counted does not tell variants apart."""
    runs, kind, settings = compared.runs, compared.kind, compared.settings
    if kind not in ("change", "striping") or len(runs) < 3 or any(run.phases for run in runs):
        return None
    rows = [r for r in settings if r.changed and not r.counted and r.kind not in ("work", "instrumentation")]
    telling = [
        r
        for r in rows
        if r.kind == "placement" or not names_places_alone([v.value for v in r.values if v.value is not None])
    ]
    variants: dict[tuple[str | None, ...], list[int]] = {}
    for i in range(len(runs)):
        variants.setdefault(tuple(row.values[i].value for row in telling), []).append(i)
    if len(variants) != 2:
        return None
    one, other = (_fastest(runs, members) for members in variants.values())
    return one, other


def _fastest(runs: Sequence[Run], members: Sequence[int]) -> int:
    """By time where all move the same, else by rate, as two runs are held against one another."""
    times = {
        i: time for i in members if (time := runs[i].io_time_s) is not None and same_work(runs[members[0]], runs[i])
    }
    if len(times) == len(members):
        return min(times, key=lambda i: times[i])
    return max(members, key=lambda i: runs[i].rate or 0.0)


def _view(run: Run) -> RunView:
    stripes = run.settings.get(STRIPE_COUNT)
    return RunView(
        label=run.label,
        title=run.title,
        case=run.case,
        job_id=run.document.job.job_id,
        processes=run.processes,
        nodes=run.nodes,
        runtime_s=run.runtime_s,
        io_time_s=run.io_time_s,
        io_time_at_least_s=run.io_time_at_least_s,
        io_time_at_most=run.io_time_at_most,
        io_time_least_s=run.io_time_least_s,
        rate=run.rate,
        rate_at_least=run.rate_at_least,
        rate_of=run.rate_of,
        pattern=run.pattern,
        stripes=run.stripes,
        stripes_in_words=None if stripes is None or names_a_directory(run) else stripes.value,
        headline=plural(len(run.phases), "phase") if run.phases else run.document.headline.said,
        short=is_short(run),
    )


def _settings(runs: Sequence[Run]) -> tuple[SettingRow, ...]:
    rows = [_setting_row(runs, kind, name) for kind, name in union_of_keys(r.settings for r in runs)]
    rows = [replace(r, changed=False) if r.name == HINT_VARIABLE and _stated_by_hints(r, rows) else r for r in rows]
    kinds, names = list(words.KINDS), list(words.MEANINGS)

    def place(row: SettingRow) -> tuple[bool, int, int]:
        return not row.changed, kinds.index(row.kind), names.index(row.name) if row.name in names else len(names)

    return tuple(sorted(rows, key=place))


def _stated_by_hints(row: SettingRow, rows: Sequence[SettingRow]) -> bool:
    """Whether the variable's values differ in nothing but hints that are reported by themselves; where it is not set it
    has none."""
    changed = {r.name for r in rows if r.kind == "hint" and r.changed}
    known = ["" if v.value == NOT_SET else v.value for v in row.values if v.value is not None]
    rest = {tuple(h for h in patterns_of(value) if h.key not in changed) for value in known}
    return bool(changed) and len(rest) == 1 and len({tuple(_places(value)) for value in known if value}) == 1


def _places(hints: str) -> Iterator[tuple[str | None, str]]:
    return ((h.pattern, h.key) for h in patterns_of(hints))


def _setting_row(runs: Sequence[Run], kind: SettingKind, name: str) -> SettingRow:
    found = [r.settings.get((kind, name)) for r in runs]
    known = [s for s in found if s is not None]
    # By time are held against each other those that move the same: less than twice as much is an amount to be told.
    factor = SAME_WORK if kind == "work" else TWICE
    return SettingRow(
        kind=kind,
        name=name,
        meaning=words.MEANINGS.get(name),
        values=tuple(SettingValue(s.value, s.confidence) if s else SettingValue(None, None) for s in found),
        changed=any(differ(known[0], s, factor) for s in known[1:]),
        counted=any(s.counted for s in known),
    )


def _metrics(runs: Sequence[Run], usual: UsualFactor) -> tuple[MetricRow, ...]:
    specs = all_metrics()
    rows: list[MetricRow] = []
    for metric_id, direction in DIRECTIONS.items():
        spec = specs.get(metric_id)
        if spec is None:
            continue
        values = tuple(_value_of(metric_id, spec.unit, run) for run in runs)
        if sum(v is not None for v in values) < 2:
            continue
        first = values[0]
        changes = tuple(
            _change(metric_id, spec.unit, (first, value), usual, (runs[0], run))
            for run, value in zip(runs, values, strict=True)
        )
        bounds = tuple(_bound(metric_id, run) for run in runs)
        rows.append(MetricRow(metric_id, spec.title, spec.unit, direction, values, bounds, changes))
    return (*rows, *_phases(runs, usual))


def _value_of(metric_id: str, unit: Unit, run: Run) -> float | None:
    """The number of the run: a job has all metrics, a benchmark its times and rates alone."""
    if metric_id == run.rate_of:
        return run.rate
    if run.lacks_records and unit == "B/s":
        return None
    if run.of_job:
        return number_of(run.document, metric_id)
    if metric_id == "job.io_time":
        return run.io_time_s
    return run.read_rate if metric_id == READ_BY_BENCHMARK else None


def _phases(runs: Sequence[Run], usual: UsualFactor) -> Iterator[MetricRow]:
    for phase in dict.fromkeys(phase for run in runs for phase in run.phases):
        values = tuple(run.phases.get(phase) for run in runs)
        if sum(v is not None for v in values) > 1:
            changes = tuple(change_between(phase, runs[0], run, usual.factor) for run in runs)
            bounds = (None,) * len(runs)
            yield MetricRow(f"phase:{phase.title}", phase.title, phase.shown_in, "higher", values, bounds, changes)


def _bound(metric_id: str, run: Run) -> Literal["at least", "at most"] | None:
    if metric_id == OF_JOB:
        return "at least" if run.rate_at_least else None
    return "at most" if run.io_time_at_most and metric_id in OF_THE_SLOWEST else None


def _change(
    metric_id: str, unit: Unit, values: tuple[float | None, float | None], usual: UsualFactor, runs: tuple[Run, Run]
) -> Change:
    changed = change_of(metric_id, unit, *values, usual.factor, same_work=same_work(*runs))
    if changed not in ("better", "worse"):
        return changed
    of_more_ranks = runs[0].processes != runs[1].processes and (unit == "calls" or metric_id in SUMMED)
    return changed if are_comparable(*runs) and not of_more_ranks else "other"


def _apart(findings: Sequence[FindingChange], runs: Sequence[Run]) -> dict[str, list[str]]:
    """The causes that some of the runs show and others do not: title → labels of those that do."""
    found = {}
    for finding in findings:
        shown = [run.label for run, state in zip(runs, finding.states, strict=True) if state.cause]
        if shown and any(state.verdict in ("clear", "not_applicable") for state in finding.states):
            found[finding.title] = shown
    return found


def _by_writes(runs: Sequence[Run]) -> frozenset[str]:
    first, *others = runs
    return frozenset(
        run.label for run in others if words.is_write_beside_read(first) and words.is_write_beside_read(run)
    )


def _unlike(runs: Sequence[Run]) -> list[str]:
    """The labels of the runs that do not have as much to move as the first."""
    first = runs[0]
    return [run.label for run in runs[1:] if first.work and run.work and not same_work(first, run)]


def _step(compared: _Compared, against: int, index: int, listed_once: Collection[tuple[str, ...]] = ()) -> Step:
    """The run at `index` held against the one at `against`; what one side alone states is not said of what is
    `listed_once` for several."""
    runs, usual, settings, findings = compared.runs, compared.usual, compared.settings, compared.findings
    before, after = runs[against], runs[index]
    unshown = one_sided((before, after))
    fates = fates_of(findings, against, index)
    changed = [row for row in settings if _differs_at(row, against, index)]
    lost = [f for f in fates.gone if f.states[against].cause]
    new = [f for f in fates.came if f.states[index].cause]
    speed = speed_of(before, after, usual, (bool(lost), bool(new)))
    ended = was_cut_short(after.document) and not same_work(before, after)
    pair = words.RunPair(before, after, speed, usual)
    named = words.changed_words(changed, against, index)
    said = words.pair_verdict(pair, named, [f.title for f in lost], [f.title for f in new])
    changes = len(words.changed_settings(before, changed))
    confirms = compared.kind in ("change", "striping") and not is_one_run(runs)
    causes = tuple(
        cause_verdict(f, speed, fates, against, changes=changes, another_came=bool(new), ended=ended)
        for f in findings
        if confirms and f.states[against].cause
    )
    return Step(
        run=index,
        against=against,
        outcome=speed.outcome,
        basis=speed.basis,
        measured=speed.measured,
        factor=speed.factor,
        factor_most=speed.factor_most,
        sentence=said.at_once,
        sentences=said.one_by_one,
        note=comparison_notes.pair_notes(pair, changed, () if unshown in listed_once else unshown),
        changed=tuple(named),
        gone=tuple(f.rule for f in fates.gone),
        came=tuple(f.rule for f in fates.came),
        stayed=tuple(f.rule for f in fates.stayed),
        undecided=tuple(f.rule for f in fates.undecided),
        causes=causes,
    )


def _differs_at(row: SettingRow, against: int, index: int) -> bool:
    one, other = row.values[against].value, row.values[index].value
    if not row.changed or one is None or other is None or one == other:
        return False
    return not (row.kind == "argument" and names_places_alone((one, other)))
