"""Every number that decides, who states it, and where a site has another: the lines of docs/thresholds.md."""

from __future__ import annotations

from collections.abc import Iterator

from iotriage.metrics.tables import pooling
from iotriage.rules import all_rules
from iotriage.rules.core.documents import PROJECT
from iotriage.rules.core.fixed_numbers import fixed_numbers
from iotriage.rules.core.pages import statement_text
from iotriage.rules.core.rule import Rule, Statement, Threshold
from iotriage.rules.core.words import exact_quantity, share
from iotriage.sites import all_sites


def lines() -> Iterator[str]:
    rules = [rule for rule in sorted(all_rules().values(), key=lambda r: (r.priority, r.id)) if rule.thresholds]
    every = [threshold for rule in rules for threshold in rule.thresholds]
    own = sum(threshold.stated_by.document == PROJECT for threshold in every)
    yield f"Every number that a rule decides on: {len(every)}, of which documents state {len(every) - own}."
    yield f"The other {own} are ours, and every report says so. On the page each can be moved, on the command line"
    yield "`--set ID=VALUE` does it; a site may set others, and must say why. Between the bounds lies what the"
    yield "page's slider offers."
    for rule in rules:
        yield ""
        yield f"## {rule.id}"
        yield ""
        yield f"[{rule.title}](rules/{rule.id}.md)"
        yield ""
        yield "| id | what | value | bounds | who says so | at sites |"
        yield "|---|---|---|---|---|---|"
        yield from (_row(rule, threshold) for threshold in rule.thresholds)
    yield ""
    yield "## Not moved"
    yield ""
    yield "Numbers that grade and order findings and word a centre's report, whatever the thresholds; all ours."
    yield ""
    yield "| what | value |"
    yield "|---|---|"
    yield from (f"| {_cell(one.says)} | {exact_quantity(one.value, one.unit)} |" for one in fixed_numbers().values())
    yield ""
    yield "By these, small groups of files that are used alike are looked at as one; ours too."
    yield ""
    yield "| what | value |"
    yield "|---|---|"
    yield f"| Share of the job's I/O time from which files are looked at by themselves. | {share(pooling.PART)} |"
    yield f"| Share of it that those together must take. | {share(pooling.MATTERS)} |"
    yield f"| Average of an access below which accesses are small. | {exact_quantity(pooling.SMALL, 'B')} |"
    yield f"| Share of their time from which it is opens that take it. | {share(pooling.MOSTLY)} |"
    again = "Times that a group's bytes are read, from which it is not put together with those that are read once."
    yield f"| {again} | {exact_quantity(pooling.AGAIN, 'ratio')} |"


def _row(rule: Rule, threshold: Threshold) -> str:
    bounds = (
        f"{exact_quantity(threshold.minimum, threshold.unit)} to {exact_quantity(threshold.maximum, threshold.unit)}"
    )
    cells = (
        threshold.title,
        exact_quantity(threshold.default, threshold.unit),
        bounds,
        _who(rule, threshold.stated_by),
    )
    return f"| `{threshold.id}` | {' | '.join(_cell(cell) for cell in (*cells, _elsewhere(threshold)))} |"


def _who(rule: Rule, statement: Statement) -> str:
    """The document, where it is quoted on the rule's page."""
    said = statement_text(statement)
    return said if statement.document == PROJECT else f"[{said}](rules/{rule.id}.md#{statement.document})"


def _elsewhere(threshold: Threshold) -> str:
    return "; ".join(
        f"{site.title}: {exact_quantity(override.value, threshold.unit)}"
        for site in all_sites().values()
        for override in site.thresholds
        if override.threshold == threshold.id
    )


def _cell(text: str) -> str:
    return " ".join(text.split()).replace("|", "\\|")
