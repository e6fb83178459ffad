"""What a reader complained of, with its place."""

from __future__ import annotations

from iotriage_parsers.evidence import Problem


def located(problem: Problem) -> str:
    """ "line 9: …", or "POSIX: …" where the message does not begin with it already. Not made printable."""
    if problem.line is not None:
        return f"line {problem.line}: {problem.message}"
    if problem.where is None or problem.message.startswith(problem.where):
        return problem.message
    return f"{problem.where}: {problem.message}"
