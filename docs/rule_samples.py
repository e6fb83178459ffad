"""What each rule says of each sample, from the committed findings: the lines of docs/rules/samples.md."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from pathlib import Path

from iotriage.rules import all_rules

SAMPLE_LOGS = Path(__file__).resolve().parents[1] / "sample-logs"
SEVERITIES = ("high", "medium", "low", "info")
FIRES, CLEAR, UNKNOWN, NOT_APPLICABLE = "●", "○", "?", "·"

Said = Mapping[str, Mapping[str, str]]
"""By sample and rule, what it says; a rule that does not apply is left out."""


def lines() -> Iterator[str]:
    said = {sample: _verdicts(sample) for sample in _samples()}
    rules = [rule.id for rule in all_rules().values() if rule.scope != "run-set"]
    yield "What each rule says of each sample, from the findings that are committed beside them. A test asks of every"
    yield "rule that it fires on one and stays clear on another. Rules about several runs are not in these tables."
    yield ""
    yield "## By rule"
    yield ""
    yield "| rule | fires on | clear | unknown | n.a. |"
    yield "|---|---|--:|--:|--:|"
    yield from (_of_rule(rule, said) for rule in rules)
    yield ""
    yield "## Every sample"
    yield ""
    yield f"{FIRES} fires, {CLEAR} clear, {UNKNOWN} unknown for want of evidence, {NOT_APPLICABLE} not applicable."
    yield "Where groups of files differ, what fires counts before what is unknown, and that before what is clear."
    yield ""
    yield f"| sample | {' | '.join(_rule(rule) for rule in rules)} |"
    yield f"|---|{':-:|' * len(rules)}"
    for sample, verdicts in said.items():
        cells = (verdicts.get(rule, NOT_APPLICABLE) for rule in rules)
        yield f"| {_sample(sample)} | {' | '.join(cells)} |"


def _samples() -> list[str]:
    return sorted(str(found.parent.relative_to(SAMPLE_LOGS)) for found in SAMPLE_LOGS.glob("*/*/findings.json"))


def _verdicts(sample: str) -> dict[str, str]:
    said = json.loads((SAMPLE_LOGS / sample / "findings.json").read_text(encoding="utf-8"))
    found = dict.fromkeys((named.split(" ")[0] for named in said["clear"]), CLEAR)
    found |= dict.fromkeys((finding["rule"] for finding in said["unknown"]), UNKNOWN)
    return found | dict.fromkeys((finding["rule"] for finding in said["triggered"]), FIRES)


def _of_rule(rule: str, said: Said) -> str:
    fires = ", ".join(_sample(sample) for sample, verdicts in said.items() if verdicts.get(rule) == FIRES)
    others = [v.get(rule, NOT_APPLICABLE) for v in said.values()]
    counts = (str(others.count(mark)) for mark in (CLEAR, UNKNOWN, NOT_APPLICABLE))
    return f"| {_rule(rule)} | {fires} | {' | '.join(counts)} |"


def _rule(rule: str) -> str:
    return f"[{rule}]({rule}.md)"


def _sample(sample: str) -> str:
    return f"[{sample.rpartition('/')[2]}](../../sample-logs/{sample}/origin.md)"


def examples() -> dict[str, str]:
    """By rule, what it says of the sample on which it speaks loudest, as a paragraph of Markdown; rules about several
    runs have none."""
    found: dict[str, tuple[tuple[bool, int, str], str]] = {}
    for sample in _samples():
        said = json.loads((SAMPLE_LOGS / sample / "findings.json").read_text(encoding="utf-8"))
        for finding in said["triggered"]:
            rank = (finding["explained_by"] is not None, SEVERITIES.index(finding["severity"]), sample)
            words = f"Of the sample `{sample}`: {finding['headline']} {finding['summary']}"
            if finding["rule"] not in found or rank < found[finding["rule"]][0]:
                found[finding["rule"]] = (rank, words)
    return {rule: words for rule, (_, words) in sorted(found.items())}
