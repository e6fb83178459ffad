"""Questions about unexplained time, as they are written before it is known whether the run was traced."""

from __future__ import annotations

from dataclasses import replace
from typing import Literal

from iotriage.analysis.csh import in_csh
from iotriage.analysis.decision.condition import Metrics
from iotriage.analysis.document.account import Investigation, InvestigationKind
from iotriage.analysis.rates import known_number, known_word
from iotriage.rules.core.action import Action, Export, FillIn, Named, Operand, Place, RunCommand, Unset
from iotriage.rules.core.commands import command_of
from iotriage.rules.core.condition import ALWAYS, Condition
from iotriage.rules.core.launching import of_one_rank, watched_by_darshan
from iotriage.rules.core.outputs import output_sentence
from iotriage.rules.core.support import US, YOUR_SUPPORT
from iotriage.rules.core.words import paragraph, share
from iotriage.rules.evidence.measured_again import NEW_FILE, Ranks, ior_like_job, start_of
from iotriage.sites import all_sites
from iotriage.sites.site import Site
from iotriage_parsers.frozen import frozen

Actions = tuple[Action, ...]

TRACED: Actions = (Export("DXT_ENABLE_IO_TRACE", "1"),)
THE_FILE = FillIn("FILE", "a file of the job")
"""Stands in the words of a command for the largest file, where its name is known."""


@frozen
class Benchmark:
    """Options that make IOR do what the job does. `call` is the metric with the size of a call, `moved` the one with
    all bytes."""

    how: tuple[str, ...]
    call: str = "posix.average_write_size"
    moved: str = "io.bytes_written"
    ends: tuple[str | Place, ...] = ("-o", NEW_FILE)


@frozen
class Question:
    """A sentence that suggests what to try next.

    `opening` begins the sentence; `words` follow, and `after` ends it. Between these two it may ask for a trace: for
    what the job's own trace "shows", or for a trace of another "run". `known` is a sentence of its own behind it.
    `for_support` ends `words` with what to tell the centre's support, and has a place for the support's name. `actions`
    are written as the command; `benchmark` where the command is IOR with the job's ranks and sizes. `watched_by` are
    the words of the tool that counts the calls of the first rank in another run, into calls.txt. `log` where the
    question is about a run that has no log yet: the lines that make a log stand before the command. `of_other_movers`
    suggests another number of stripes, or of ranks that call the storage. `when` is the condition under which the
    question is asked: it compares with rules' thresholds, so that the next question is asked where these are moved.
    """

    words: str = ""
    opening: str = "Not explained: "
    known: str = ""
    trace: Literal["shows", "run"] | None = None
    after: str = ""
    actions: Actions = ()
    benchmark: Benchmark | None = None
    watched_by: tuple[str, ...] = ()
    log: bool = False
    kind: InvestigationKind = "run"
    of_other_movers: bool = False
    for_support: str = ""
    when: Condition = ALWAYS


@frozen
class _Tracing:
    """How a trace is asked for: the words for what the existing trace shows, for another run, and for a trace that was
    incomplete; and the settings to make."""

    shows: str
    run: str
    left_out: str
    actions: Actions


_UNTRACED = _Tracing("trace one short run, which shows", "trace one short run", "", TRACED)
_LEFT_OUT = (
    " This log's trace has {} of the {} I/O: leave out no rank, name or size of call (the files that "
    "DXT_TRIGGER_CONF_PATH and DARSHAN_CONFIG_PATH name do), and give Darshan memory for all calls."
)
_TRACED_WHOLE: Actions = (Unset("DXT_TRIGGER_CONF_PATH"), *TRACED, Export("DARSHAN_MODMEM", "64"))


def investigation(question: Question, metrics: Metrics, *, of_csh: bool) -> Investigation:
    """The question as it is put to a job with these metrics: who has traced the run is to look at the trace, and not to
    trace another; who has traced a part of it, to trace all. `of_csh` where the job's script is."""
    actions = _actions(question, metrics)
    if question.kind == "perhaps-fine":
        # What is left to change is how much is written, and how often.
        outputs = output_sentence(lambda metric: known_number(metrics, metric))
        question = replace(question, words=paragraph(question.words, outputs))
    if question.trace is None:
        said, replied = (
            _sentence(question, question.words + question.for_support.format(to)) for to in (YOUR_SUPPORT, US)
        )
        remark = _remark(actions, of_csh=of_csh)
        by_support = replied + remark if question.for_support else None
        return Investigation(said + remark, _written(actions), question.kind, replied=by_support, when=question.when)
    tracing = _UNTRACED if actions != TRACED else _tracing(question.trace, metrics)
    words = f"{question.words}{tracing.shows if question.trace == 'shows' else tracing.run}{question.after}"
    asked = tracing.actions if actions == TRACED else actions
    said = _sentence(question, words) + tracing.left_out + _remark(asked, of_csh=of_csh)
    return Investigation(said, _written(asked), question.kind, when=question.when)


def _remark(actions: Actions, *, of_csh: bool) -> str:
    """What stands there for lines that the shell of the job's script does not take."""
    other = in_csh(actions) if of_csh else ()
    return f" In csh, as the job's script is, {' and '.join(other)}." if other else ""


def _written(actions: Actions) -> str | None:
    return command_of(actions).text


def _actions(question: Question, metrics: Metrics) -> Actions:
    """On the job's own file, and with its ranks; behind what makes a log where one is asked for."""
    site = all_sites().get(known_word(metrics, "job.site") or "")
    alone = known_number(metrics, "job.nprocs") == 1
    log = watched_by_darshan(site, maybe_without_mpi=alone) if question.log and question.actions else ()
    measured = () if question.benchmark is None else (_measured(question.benchmark, site, metrics),)
    largest = known_word(metrics, "file.largest")
    # What is no path is not the file's name, but stands for it.
    named = THE_FILE if largest is None or not largest.startswith("/") else Named(largest)
    watching = question.watched_by
    watched = (of_one_rank(start_of(site, _ranks(metrics)), watching, "calls.txt"),) if watching else ()
    return (*log, *(_on_file(named, action) for action in question.actions), *measured, *watched)


def _on_file(file: Named | FillIn, action: Action) -> Action:
    if not isinstance(action, RunCommand):
        return action
    return replace(action, words=tuple(_named(file, word) for word in action.words))


def _named(file: Named | FillIn, word: str | Place) -> str | Place:
    if isinstance(word, Operand) and word.value == THE_FILE:
        return replace(word, value=file)
    return file if word == THE_FILE else word


def _measured(as_it_did: Benchmark, site: Site | None, metrics: Metrics) -> RunCommand:
    call, moved = known_number(metrics, as_it_did.call), known_number(metrics, as_it_did.moved)
    run = ior_like_job(site, _ranks(metrics), as_it_did.how, call=call, moved=moved)
    return replace(run, words=(*run.words, *as_it_did.ends))


def _ranks(metrics: Metrics) -> Ranks:
    ranks, nodes = (known_number(metrics, f"job.{of}") for of in ("nprocs", "nnodes"))
    return Ranks(None if ranks is None else round(ranks), None if nodes is None else round(nodes))


def _sentence(question: Question, words: str) -> str:
    if not question.known:
        return f"{question.opening}{words}"
    return f"{question.opening}{question.known} {words[0].upper()}{words[1:]}"


def _tracing(trace: Literal["shows", "run"], metrics: Metrics) -> _Tracing:
    traced = known_word(metrics, "io.traced")
    if traced == "yes" and trace == "shows":
        return _Tracing("the timeline of this log's trace shows", "", "", ())
    if traced != "in part":
        return _UNTRACED
    part, layer = known_number(metrics, "io.traced_fraction"), known_word(metrics, "io.traced_least")
    left_out = "" if part is None or layer is None else _LEFT_OUT.format(share(part), layer)
    every = "trace all of one short run"
    return _Tracing(f"{every}, which shows", every, left_out, _TRACED_WHOLE)
