"""A comparison for a terminal: the verdict, what was changed, the metrics and the findings; 100 columns at the most."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Literal

from iotriage.analysis.document import ThresholdInForce
from iotriage.analysis.run_sets.changes import Change
from iotriage.analysis.run_sets.comparison import Comparison, MetricRow, RunView
from iotriage.analysis.run_sets.comparison_words import KINDS
from iotriage.analysis.run_sets.finding_changes import FindingChange
from iotriage.analysis.run_sets.step import SettingRow, Step
from iotriage.reports.moved_thresholds import moved_thresholds
from iotriage.reports.wrapped import TERMINAL, Page, wrapped
from iotriage.rules.core.advice import advice_text
from iotriage.rules.core.words import number, paragraph, plural, printable, quantity, seconds, size

MOST_IN_COLUMNS = 4
"""Runs that are shown side by side; with more, the settings and metrics of all stand in the JSON."""
LEAST_TITLE = 24
BETWEEN = "  "
BOUNDS: Mapping[Literal["at least", "at most"], str] = {"at least": "≥ ", "at most": "≤ "}
SIGNS: Mapping[Change, str] = {
    "better": "better",
    "worse": "worse",
    "usual": "usual variation",
    "same": "",
    "other": "",
    "unknown": "",
}
ANSWERS = {"confirmed": "confirmed", "refuted": "refuted", "undecided": "not decided"}


def as_comparison_text(compared: Comparison, width: int = TERMINAL) -> str:
    """Everything a person needs to judge a change, the verdict first. Names from logs are escaped."""
    page = Page(width)
    lines = page.wrap(compared.sentence)
    if compared.note:
        lines += page.wrap(compared.note)
    lines += ["", *_runs(compared, page)]
    if compared.kind == "change" and compared.best is None and len(compared.steps) > 1:
        for step in compared.steps:
            lines += ["", *page.wrap(paragraph(step.sentence, step.note))]
    for found in compared.run_set:
        undecided = found.verdict == "unknown"
        said = "not decided, a figure is missing" if undecided else found.headline or found.clear_title
        lines += ["", *page.wrap(f"{found.rule}: {said}", "  ")]
        lines += [line for a in found.advice for line in page.wrap(advice_text(a), "    ", first="  → ")]
        lines += [f"        {a.command}" for a in found.advice if a.command]
    lines += _settings(compared, page)
    lines += _metrics(compared, page)
    lines += _findings(compared.findings, [r.label for r in compared.runs], page)
    for step in (compared.best,) if compared.best else compared.steps:
        lines += _causes(step, compared, page)
    lines += _moved(compared.moved, page)
    said = (
        "your own number"
        if compared.usual.moved_from is not None
        else compared.usual.site_says or f"{compared.usual.stated_by.document}, {compared.usual.stated_by.section}"
    )
    lines += [
        "",
        *page.wrap(f"usual variation: factors up to {number(compared.usual.factor)} [{printable(said)}]", "  "),
    ]
    return "\n".join(lines) + "\n"


def _runs(compared: Comparison, page: Page) -> Iterator[str]:
    for run in compared.runs:
        figures = [
            plural(run.processes, "rank") if run.processes is not None else None,
            f"run {seconds(run.runtime_s)}" if run.runtime_s is not None else None,
            _io_time(run),
            f"{'at least ' if run.rate_at_least else ''}{size(run.rate)}/s" if run.rate is not None else None,
            run.stripes_in_words,
        ]
        figures_text = " · ".join(f for f in figures if f) or run.headline
        yield from page.wrap(f"{run.label}  {printable(run.title)}: {figures_text}", "   ")


def _io_time(run: RunView) -> str | None:
    if run.io_time_s is not None:
        return f"I/O {'at most ' if run.io_time_at_most else ''}{seconds(run.io_time_s)}"
    return None if run.io_time_at_least_s is None else f"I/O at least {seconds(run.io_time_at_least_s)}"


def _settings(compared: Comparison, page: Page) -> list[str]:
    rows = [row for row in compared.settings if row.changed]
    if not rows:
        return ["", "what was changed: nothing that the sources of the runs show"]
    return ["", "what was changed", *(line for row in rows for line in _setting(row, page))]


def _setting(row: SettingRow, page: Page) -> list[str]:
    if len(row.values) > MOST_IN_COLUMNS:
        values = dict.fromkeys(v.value or "not known" for v in row.values)
        text = ", ".join(values)
    else:
        text = " → ".join(v.value or "not known" for v in row.values)
    meaning = f" ({row.meaning})" if row.meaning else ""
    kind = "" if row.kind == row.name else f"{KINDS[row.kind]}: "
    return page.wrap(f"{kind}{printable(row.name)}{meaning}: {printable(text)}", "      ", first="  ")


def _metrics(compared: Comparison, page: Page) -> list[str]:
    rows = [row for row in compared.metrics if set(row.changes) - {"same", "unknown"}]
    if not rows or len(compared.runs) > MOST_IN_COLUMNS:
        return []
    head = ["", *(run.label for run in compared.runs), ""]
    table = [head, *([row.title, *_cells(row), _sign(row)] for row in rows)]
    widths = [max(len(line[i]) for line in table) for i in range(len(head))]
    left = max(LEAST_TITLE, page.width - len(BETWEEN) - sum(len(BETWEEN) + width for width in widths[1:]))
    return ["", *(text for line in table for text in _columns(line, [min(left, widths[0]), *widths[1:]]))]


def _cells(row: MetricRow) -> list[str]:
    return [
        "not known" if v is None else f"{'' if bound is None else BOUNDS[bound]}{quantity(v, row.unit)}"
        for v, bound in zip(row.values, row.bounds, strict=True)
    ]


def _sign(row: MetricRow) -> str:
    changes = row.changes[1:]
    if len(set(changes)) == 1:
        return SIGNS[changes[0]]
    return ", ".join(SIGNS[c] or "-" for c in changes)


def _columns(line: Sequence[str], widths: Sequence[int]) -> Iterator[str]:
    """A title that is longer than its column goes on below."""
    first, *more = wrapped(line[0], widths[0]) or [""]
    cells = [cell.rjust(width) for cell, width in zip(line[1:-1], widths[1:-1], strict=True)]
    yield (BETWEEN + BETWEEN.join([first.ljust(widths[0]), *cells, line[-1]])).rstrip()
    yield from (f"{BETWEEN}{rest}" for rest in more)


def _findings(found: Sequence[FindingChange], labels: Sequence[str], page: Page) -> list[str]:
    lines = []
    for change in found:
        states = ", ".join(
            f"{label} {state.severity or _verdict(state.verdict)}"
            for label, state in zip(labels, change.states, strict=True)
        )
        lines += page.wrap(f"{change.rule}: {states}", "      ", first="  ")
    return ["", "findings", *lines] if lines else []


def _verdict(verdict: str | None) -> str:
    return {"not_applicable": "does not apply", "unknown": "not decided", None: "not looked at"}.get(
        verdict, verdict or ""
    )


def _causes(step: Step, compared: Comparison, page: Page) -> list[str]:
    labels = f"{compared.runs[step.against].label} → {compared.runs[step.run].label}"
    return [
        line
        for cause in step.causes
        for line in ("", *page.wrap(f"{labels}, {cause.rule}: {ANSWERS[cause.answer]}. {cause.because}", "  "))
    ]


def _moved(moved: Sequence[ThresholdInForce], page: Page) -> list[str]:
    lines = [line for sentence in moved_thresholds(moved) for line in page.wrap(sentence, "      ", first="  ")]
    return ["", "your own thresholds", *lines] if lines else []
