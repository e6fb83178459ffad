"""Lines of advice are written for bash. This module says what to write instead in csh and tcsh, for job scripts in
these shells."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence

from iotriage.metrics.core.missing_evidence import DARSHAN, SWITCHES
from iotriage.rules.advice.placement import WORK_DIRECTORY
from iotriage.rules.advice.scratch import NODE_FOLDER
from iotriage.rules.core.action import Action, AskFor, Export, FillIn, HintsFile, SetHint, SiteLines, Unset
from iotriage.rules.core.commands import filled_in

SETENV = "setenv NAME VALUE stands for export NAME=VALUE"
UNSETENV = "unsetenv NAME stands for unset NAME"
"""csh's own `unset` leaves a variable in the environment."""
PRELOADED = "the path of libdarshan.so stands for all behind LD_PRELOAD="
"""csh knows neither ${NAME:-…} nor ${NAME:+…}."""
IN_VALUES = (WORK_DIRECTORY, NODE_FOLDER)
"""What is left to fill in within the value of a variable."""


def in_csh(actions: Sequence[Action]) -> tuple[str, ...]:
    """What stands there for what csh refuses in the lines of these actions; empty where it takes them."""
    through_environment = any(_sets_a_variable(action) for action in actions)
    filled_in = Counter(where for action in actions for where in _filled_in(action))
    return (
        *((SETENV,) if through_environment else ()),
        *((UNSETENV,) if any(isinstance(action, Unset) for action in actions) else ()),
        *((PRELOADED,) if any(map(_preloads, actions)) else ()),
        *(filled_in_csh(where, again=times > 1) for where, times in filled_in.items()),
    )


def filled_in_csh(where: FillIn, *, again: bool = False) -> str:
    """csh stops at ${NAME:?…}, set or not, and where it is named `again`; a command line in quotes is one word there,
    and its arrays are others."""
    name = where.variable
    if where.words:
        return f'the words of the command line stand for all of "${{{name}…}}", quotes too'
    return f"{where.what} stands for all of ${{{name}…}}" + (f" and for ${name}" if again else "")


def _sets_a_variable(action: Action) -> bool:
    match action:
        case AskFor():
            return action.evidence in SWITCHES
        case SetHint():
            return action.through is None
        case SiteLines():
            return any(one.startswith("export ") for one in action.lines)
        case _:
            return isinstance(action, Export | HintsFile)


def _preloads(action: Action) -> bool:
    return isinstance(action, Export) and action.expands and action.name == "LD_PRELOAD"


def evidence_in_csh() -> Mapping[str, str]:
    """By the key of evidence that is asked for, what stands there for the lines that produce it."""
    return {DARSHAN: f"{SETENV}, and {PRELOADED}", **dict.fromkeys(SWITCHES, SETENV)}


def _filled_in(action: Action) -> Iterator[FillIn]:
    if isinstance(action, Export):
        yield from (where for where in IN_VALUES if where.value in action.value)
    yield from filled_in(action)
