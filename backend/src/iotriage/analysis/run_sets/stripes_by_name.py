"""Of which files the stripes of a run are told: of its largest, or by the files' names."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from iotriage.analysis.document import CaseDocument
from iotriage.analysis.run_sets.run import Run
from iotriage.analysis.run_sets.run_settings import STRIPE_COUNT, STRIPE_SIZE, STRIPES_OF
from iotriage.analysis.run_sets.setting import SettingKind
from iotriage.metrics.tables.files.names import stands_for_name
from iotriage.rules.core.words import printable


def by_same_files(runs: Sequence[Run]) -> Sequence[Run]:
    """The runs with the stripes of their largest files told by these files' names, where the largest of one is there in
    another beside a larger one: what a restart reads is not what the run before it wrote."""
    names = [_name_of_the_largest(run.document) if run.of_job else None for run in runs]
    others = {(STRIPE_COUNT[0], f"{STRIPES_OF}{name}") for name in names}
    if len(set(names)) < 2 or not any(others & run.settings.keys() for run in runs):
        return runs
    return [run if name is None else _by_file_name(run, name) for run, name in zip(runs, names, strict=True)]


def _name_of_the_largest(document: CaseDocument) -> str | None:
    largest = document.metrics["file.largest"].value
    names = (group.name for group in document.groups if group.largest_file == largest)
    name = next(names, None)
    return None if name is None or stands_for_name(name) else printable(name)


def _by_file_name(run: Run, name: str) -> Run:
    count, key = run.settings.get(STRIPE_COUNT), (STRIPE_COUNT[0], f"{STRIPES_OF}{name}")
    others = {k: s for k, s in run.settings.items() if k not in (STRIPE_COUNT, STRIPE_SIZE)}
    return replace(run, settings=others if count is None else others | {key: replace(count, name=key[1])})


def stripes_like_largest(runs: Sequence[Run]) -> frozenset[tuple[SettingKind, str]]:
    """The stripes of groups of files that have as many as the largest file in each of the runs, where these changed:
    one command set both."""
    counts = {run.settings[STRIPE_COUNT].value for run in runs if STRIPE_COUNT in run.settings}
    if len(counts) < 2:
        return frozenset()
    of_groups = {key for run in runs for key in run.settings if key[1].startswith(STRIPES_OF)}
    return frozenset(key for key in of_groups if all(_as_the_largest(key, run) for run in runs))


def _as_the_largest(key: tuple[SettingKind, str], run: Run) -> bool:
    own, largest = run.settings.get(key), run.settings.get(STRIPE_COUNT)
    return own is None or largest is None or own.value == largest.value
