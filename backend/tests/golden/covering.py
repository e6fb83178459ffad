"""Few samples that together have what all have, for tests that take long over each."""

from __future__ import annotations

import json
from functools import cache

from budget import tries
from samples import Case, cases


@cache
def covering_cases() -> tuple[Case, ...]:
    """Samples of every format, in which each rule is triggered, unknown and clear if it is so in any: by what is
    committed of them. All of them in `make fuzz`."""
    answers = {case: _answers(case) for case in cases()}
    left = set[tuple[str, str]]().union(*answers.values())
    chosen = set[Case]()
    while left:
        best = max(answers, key=lambda case: len(answers[case] & left))
        chosen.add(best)
        left -= answers[best]
    return tries(tuple(case for case in cases() if case in chosen), cases())


def _answers(case: Case) -> set[tuple[str, str]]:
    """Each verdict with its rule, where the job's and groups' are not told apart; and the format."""
    said = json.loads(case.golden_file("findings.json").read_text(encoding="utf-8"))
    of_findings = {(verdict, finding["rule"]) for verdict in ("triggered", "unknown") for finding in said[verdict]}
    return of_findings | {("clear", named.partition(" ")[0]) for named in said["clear"]} | {("format", case.format)}
