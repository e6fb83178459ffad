"""What a rule about run sets says about several runs."""

from __future__ import annotations

from iotriage.analysis.document import Verdict
from iotriage.rules.core.advice import Advice
from iotriage.rules.core.rule import Severity
from iotriage_parsers.frozen import frozen


@frozen
class RunSetFinding:
    """`headline`, `summary` and `advice` are there when it is triggered."""

    rule: str
    title: str
    clear_title: str
    verdict: Verdict
    severity: Severity
    headline: str | None
    summary: str | None
    advice: tuple[Advice, ...]
