"""What a script is told of: launches elsewhere or against what it asks for, and that it ends before it is done."""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from iotriage_parsers.evidence import JobContext, Launch, Problem


def unstated_ranks_notes(context: JobContext, launches: Iterable[Launch]) -> Iterator[Problem]:
    """A note for each launch that does not say how many ranks it starts, and contradicts what the script asks for; but
    for those of which a condition chooses one."""
    for one in launches:
        if context.is_contradicted_by(one) and not one.undecided:
            message = (
                f"line {one.line}: {one.launcher} has other nodes, or other ranks of a node, than the script asks for, "
                "and no number of ranks: how many it started is not known"
            )
            yield Problem("note", message, line=one.line)


def within_a_command(first: int, last: int, began: int) -> Problem:
    """Says that the script on these lines ends within the command that began on one of them."""
    message = f"the script at lines {first}-{last} ends within a command"
    return Problem("truncated", message, loses_data=True, line=began)


def without_end(opened: int, until: str) -> Problem:
    """Says that the here-document which began on this line has no end."""
    message = (
        f"the here-document that begins on line {opened} has no end, which is a line with nothing but "
        f'"{until}": what follows it in the script was not read, nor would a shell run it'
    )
    return Problem("truncated", message, loses_data=True, line=opened)


def hidden_end(line: int) -> Problem:
    """Says that a shell does not take this line for the end of a here-document."""
    message = (
        f"line {line}: the backslash before it hides the end of the here-document from a shell, which reads on: "
        "taken as the end all the same. Take the backslash away"
    )
    return Problem("note", message, line=line)


def called_alone(name: str, line: int) -> Problem:
    """Says that the script runs another one, and starts no program itself."""
    message = f"line {line} runs {name}, and no other line starts a program: give that file too, if it has the launch"
    return Problem("note", message, line=line)


def sources_another(name: str, line: int) -> Problem:
    """Says that the script takes settings from another one, which is not there."""
    message = f"line {line} sources {name}, which is not here: what it sets is not known. Give that file too"
    return Problem("note", message, line=line)


def submits_another(line: int) -> Problem:
    """Says that a second job is submitted on this line."""
    message = (
        f"line {line} submits another job than the first, which is read: what it asks for and starts is not: give its "
        "script by itself"
    )
    return Problem("note", message, line=line)


def dash_not_read(line: int) -> Problem:
    """Says that a scheduler reads no directive on this line."""
    message = f"line {line}: a typographic dash stands where the scheduler expects - or --: not read"
    return Problem("note", message, line=line)


def dash_read(line: int) -> Problem:
    """Says that the options of this line are read as if they were typed."""
    message = f"line {line}: a typographic dash stands where the command expects - or --: read as that"
    return Problem("note", message, line=line)


def behind_the_commands(line: int, command: int) -> Problem:
    """Says that a scheduler reads no directive on this line, since a command stands before it."""
    message = (
        f"line {line}: a directive behind the first command, on line {command}: the scheduler reads none there, and "
        "what it asks for is left out"
    )
    return Problem("note", message, line=line)
