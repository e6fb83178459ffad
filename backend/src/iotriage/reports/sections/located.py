"""What a reader complained of, with its place, and what a source states of a quantity that others state otherwise."""

from __future__ import annotations

import re

from iotriage.analysis.document import CaseDocument
from iotriage.analysis.document.agreement import Agreement, StatedValue
from iotriage.rules.core.words import printable, quantity
from iotriage_parsers.evidence import Problem


def with_location(problem: Problem) -> str:
    """ "line 9: …", or "POSIX: …", where the message does not begin with it already. Not made printable."""
    if problem.line is not None:
        if re.match(rf"line {problem.line}\b", problem.message):
            return problem.message
        return f"line {problem.line}: {problem.message}"
    if problem.where is None or problem.message.startswith(problem.where):
        return problem.message
    return f"{problem.where}: {problem.message}"


def stated_text(one: StatedValue, of: Agreement, document: CaseDocument) -> str:
    """By the name of the source; in its own words too, where it contradicts itself."""
    text = f"{printable(document.sources[one.source].name)} has {quantity(one.value, of.unit)}"
    return f"{text} ({printable(one.says)})" if len({s.source for s in of.statements}) == 1 else text
