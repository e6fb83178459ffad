"""Advice: what to do in words and as actions, who says so, and, where it would not hold here, why it is withheld."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Annotated

from iotriage.by_type import ByType
from iotriage.rules.core.action import Action
from iotriage.rules.core.commands import CommandKind, command_of
from iotriage.rules.core.support import SupportText
from iotriage_parsers.frozen import frozen


@frozen
class Citation:
    """A document, by its key, and the section that states this."""

    document: str
    section: str


@frozen
class Advice:
    """One thing to do, made by `advice`. `command` is the actions ready to paste, with the job's own names filled in;
    `kind` says where it goes: into the program also where it is said in words alone. Code is C, and `fortran` the same
    lines in Fortran.

    `withheld` is the reason why it would not hold here: then `text` names it only, and there is nothing to paste.

    `lead` leads from `text` to the command ("When the file is opened:"), and stands nowhere without it. `text` is empty
    where the advice before it says what to do, and this one another way to do it.

    `replied` is `text` as the centre's support says it, where it sends the user to them."""

    text: str
    command: str | None = None
    kind: CommandKind = "none"
    fortran: str | None = None
    citation: Citation | None = None
    actions: tuple[Annotated[Action, ByType()], ...] = ()
    withheld: str | None = None
    lead: str | None = None
    replied: str | None = None


def advice(
    text: str | SupportText, *actions: Action, citation: Citation | None = None, lead: str | None = None
) -> Advice:
    """What to do, and the lines to paste for it; `lead` stands between the two."""
    written = command_of(actions)
    on_page, replied = (text.on_page, text.in_reply) if isinstance(text, SupportText) else (text, None)
    return Advice(on_page, written.text, written.kind, written.fortran, citation, actions, lead=lead, replied=replied)


def in_program(text: str, citation: Citation | None = None) -> Advice:
    """Advice that only the author of the program can follow, and for which there are no lines to paste."""
    return Advice(text, kind="code", citation=citation)


def withheld(what: str, reason: str, citation: Citation | None = None) -> Advice:
    """Advice that a reader may expect here and that would not hold, with the reason. It stands after all that does."""
    return Advice(what, citation=citation, withheld=reason)


def withheld_last(given: Iterable[Advice]) -> tuple[Advice, ...]:
    """Moves withheld advice behind all that holds, and drops withheld advice with the same words."""
    found: dict[tuple[str, str], Advice] = {}
    holds = []
    for one in given:
        if one.withheld is None:
            holds.append(one)
        else:
            found.setdefault((one.text, one.withheld), one)
    return (*holds, *found.values())


def advice_text(given: Advice) -> str:
    """What a person reads of it, above its command."""
    if given.withheld is not None:
        return f"Not advised: {given.text}, because {given.withheld}."
    return " ".join(part for part in (given.text, given.lead) if part)
