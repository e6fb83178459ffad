"""What kind of set several runs are, and what the rules about run sets say about it."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from functools import partial

from iotriage.analysis.decision.condition import answer, severity, verdict
from iotriage.analysis.document import ThresholdInForce
from iotriage.analysis.rates import known_word
from iotriage.analysis.run_sets.command_line import GIVEN, names_places_alone
from iotriage.analysis.run_sets.run import Run
from iotriage.analysis.run_sets.run_set_finding import RunSetFinding
from iotriage.analysis.run_sets.run_settings import FILE_NAMES, INTERFACE, STRIPE_COUNT, is_by_program
from iotriage.analysis.run_sets.setting import Setting, SettingKind, differ, union_of_keys
from iotriage.analysis.run_sets.speed import run_that_moves_little
from iotriage.metrics.core.metric import Metric
from iotriage.metrics.environment.settings import NOT_SET
from iotriage.metrics.runs.run_set import RunSet, RunSetKind, compute_over_runs
from iotriage.rules import rules_of_run_sets
from iotriage.rules.core.rule import Context, Rule
from iotriage.rules.core.words import directory_of
from iotriage.sites import all_sites

CHOSEN: frozenset[SettingKind] = frozenset(
    {"hint", "environment", "striping", "placement", "library", "calls", "program"}
)
FOLLOWS_PROCESSES = {"cb_nodes", "cb_config_list"}
FOLLOWS_STRIPES = {"cb_nodes", "cb_config_list", "striping_factor"}
"""Hints that the library works out from the nodes and the stripes, and displays."""

Key = tuple[SettingKind, str]


def differing(runs: Sequence[Run]) -> tuple[Key, ...]:
    """The settings in which two of the runs differ that both have it."""
    return tuple(key for key in union_of_keys(r.settings for r in runs) if _differs([r.settings for r in runs], key))


def _differs(settings: Sequence[Mapping[Key, Setting]], key: Key) -> bool:
    known = [s[key] for s in settings if key in s]
    return any(differ(known[0], other) for other in known[1:])


def kind_of(runs: Sequence[Run]) -> RunSetKind:
    """By what differs; a benchmark's phases have no one rate, by which the rules about run sets could judge, nor has
    one of two runs that took under a second where the other moves far more. What only makes runs say more, where they
    write, and what counters show of the size of accesses decides nothing; nor, where the number of processes differs,
    do the arguments, which give the problem's size."""
    if any(run.phases for run in runs):
        return "change"
    keys = differing(runs)
    sized = {s.key for run in runs for s in run.settings.values() if s.counted}
    chosen = {(kind, name) for kind, name in keys if kind in CHOSEN and (kind, name) not in sized}
    arguments = {key for key in keys if key[0] == "argument" and not _names_a_place(runs, key)}
    processes = ("processes", "ranks") in keys
    other_files = ("work", FILE_NAMES) in keys
    if processes:
        if len(runs) == 2 and run_that_moves_little(*runs) is not None:
            return "change"
        other_task = other_files and any(_names_a_mode(runs, key) for key in arguments)
        return "change" if other_task or {c for c in chosen if c[1] not in FOLLOWS_PROCESSES} else "scaling"
    if STRIPE_COUNT in chosen and not arguments and not _requested_otherwise(runs, keys):
        others = {c for c in chosen if c != STRIPE_COUNT and c[1] not in FOLLOWS_STRIPES}
        return "change" if others else "striping"
    counted = {key for key in keys if key in sized and key[0] in ("calls", "placement")}
    other_nodes = ("processes", "nodes") in keys
    other_amount = any(kind == "work" for kind, _ in keys)
    differ = chosen or arguments or counted or other_files or other_nodes or other_amount or one_sided(runs)
    return "change" if differ else "repeats"


def one_sided(runs: Sequence[Run]) -> tuple[str, ...]:
    """Hints and variables that the sources of some runs state, and those of others could not."""
    keys = [key for key in union_of_keys(r.settings for r in runs) if key[0] in ("hint", "environment")]
    return tuple(name for kind, name in keys if any((kind, name) not in r.settings for r in runs))


def _names_a_place(runs: Sequence[Run], key: Key) -> bool:
    return names_places_alone([s.value for run in runs if (s := run.settings.get(key)) is not None])


def _requested_otherwise(runs: Sequence[Run], keys: Sequence[Key]) -> bool:
    interfaces = {s.value for run in runs if (s := run.settings.get(INTERFACE)) is not None}
    return any(kind == "calls" and is_by_program(name, interfaces) for kind, name in keys)


def _names_a_mode(runs: Sequence[Run], key: Key) -> bool:
    """Whether the argument is a word in some run, and neither a number nor a name of a file: not the problem's size."""
    known = [s.value for run in runs if (s := run.settings.get(key)) is not None]
    return any(value.replace("-", "").isalpha() and value not in (NOT_SET, GIVEN) for value in known)


def findings_of(
    runs: Sequence[Run], kind: RunSetKind, thresholds: Mapping[str, ThresholdInForce]
) -> tuple[RunSetFinding, ...]:
    """The answers of the rules about run sets; those that do not apply to this kind of set are left out."""
    metrics = compute_over_runs(RunSet(kind, tuple(r.figures for r in runs)))
    found = [_finding(rule, runs, metrics, thresholds) for rule in rules_of_run_sets()]
    return tuple(
        sorted((f for f in found if f.verdict != "not_applicable"), key=lambda f: (f.verdict != "triggered", f.rule))
    )


def _largest_of_one_directory(runs: Sequence[Run]) -> str | None:
    """The largest file of the first run, where that of each run lies in the same directory."""
    largest = [run.document.groups[0].largest_file for run in runs if run.document.groups]
    one_directory = len(largest) == len(runs) and len({directory_of(path) for path in largest}) == 1
    return largest[0] if one_directory else None


def _finding(
    rule: Rule, runs: Sequence[Run], metrics: Mapping[str, Metric], thresholds: Mapping[str, ThresholdInForce]
) -> RunSetFinding:
    verdict_of_rule = verdict(answer(rule.requires, metrics, thresholds), answer(rule.condition, metrics, thresholds))
    usual = thresholds.get(f"{rule.id}.usual")
    context = Context(
        metrics=metrics,
        site=all_sites().get(runs[0].document.site.id) or all_sites()["generic"],
        label=f"{len(runs)} runs",
        answers=partial(answer, thresholds=thresholds),
        file=_largest_of_one_directory(runs),
        mount=known_word(runs[0].document.metrics, "job.work_directory"),
        usual_factor=usual.value if usual is not None else None,
    )
    triggered = verdict_of_rule == "triggered"
    words = rule.says(context) if triggered else None
    return RunSetFinding(
        rule=rule.id,
        title=rule.title,
        clear_title=rule.clear_title,
        verdict=verdict_of_rule,
        severity=severity(verdict_of_rule, rule.severity, weighed=False, significant=None, explained=False),
        headline=words.headline if words else None,
        summary=words.summary if words else None,
        advice=rule.advise(context) if triggered else (),
    )
