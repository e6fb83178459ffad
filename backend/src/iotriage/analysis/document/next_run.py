"""The next run: the experiments that would confirm or refute the causes found, and what they are made of."""

from __future__ import annotations

from iotriage_parsers.frozen import frozen


@frozen
class Trial:
    """The experiment with the advice at index `advice`, as lines for the job script."""

    advice: int
    script: str


@frozen
class LaunchLine:
    """The line that starts the program, which is the word `program` of it; `own` where it is the job's, as its script
    has it. `changed` starts another build of the program in its place, which is left to fill in; None where nobody says
    which word is the program. The lines before it switch on what shows whether a finding is gone, and `remarks` say
    what to mind (`showing`); where the run leaves `one_log` of Darshan, it is put beside its output. Each variant of an
    experiment is to run `repeats` times; `cost` says what all runs of one take, None where the run time is not
    known."""

    text: str
    own: bool
    showing: tuple[str, ...]
    repeats: int
    cost: str | None
    changed: str | None = None
    one_log: bool = True
    remarks: tuple[str, ...] = ()
    program: str | None = None


@frozen
class Experiment:
    """Whether the cause that `rule` names takes the time. `script` goes into the job script as it stands;
    `changes_program` where B needs another build, whose change `script` has as comments. The command `comparing` holds
    its runs against one another."""

    rule: str
    title: str
    question: str
    script: str
    changes_program: bool
    cost: str | None
    confirmed_if: str
    refuted_if: str
    comparing: str


@frozen
class NextRun:
    """The experiments, the gravest cause first, and what to send back."""

    experiments: tuple[Experiment, ...]
    send_back: tuple[str, ...]
