"""A question about unexplained time, before it is known whether the run was traced."""

from __future__ import annotations

import re
from dataclasses import replace
from typing import Literal

from iotriage.analysis.decision.condition import Metrics
from iotriage.analysis.document.account import Investigation, InvestigationKind
from iotriage.analysis.rates import known_number, known_word
from iotriage.metrics.core.missing_evidence import darshan_lines
from iotriage.rules.core.outputs import outputs_told
from iotriage.rules.core.support import US, YOUR_SUPPORT
from iotriage.rules.core.words import paragraph, share
from iotriage.sites import all_sites
from iotriage_parsers.frozen import frozen

TRACED = "export DXT_ENABLE_IO_TRACE=1"


@frozen
class Question:
    """A sentence that may ask for a trace between `words` and `after`: for what it "shows", or for another "run".
    `opening` begins it; `known`, a sentence of its own, stands behind that. `log` where it is asked of a run that has
    no log to look at yet: what makes one stands before the command. `of_other_movers` asks for another number of ranks
    that call the storage, or of stripes. `told` is what the centre's support is told, with a place for who they are,
    and ends `words`."""

    words: str = ""
    opening: str = "Not explained: "
    known: str = ""
    trace: Literal["shows", "run"] | None = None
    after: str = ""
    command: str | None = None
    log: bool = False
    kind: InvestigationKind = "run"
    of_other_movers: bool = False
    told: str = ""


@frozen
class _Tracing:
    """How a trace is asked for: what shows something, another run, what is said at the end; and the lines."""

    shows: str
    run: str
    left_out: str
    command: str | None


_UNTRACED = _Tracing("trace one short run, which shows", "trace one short run", "", TRACED)
_LEFT_OUT = (
    " This log's trace has {} of the {} I/O: leave out no rank, name or size of call (the files that "
    "DXT_TRIGGER_CONF_PATH and DARSHAN_CONFIG_PATH name do), and give Darshan memory for all calls."
)
_TRACED_WHOLE = "\n".join(("unset DXT_TRIGGER_CONF_PATH", TRACED, "export DARSHAN_MODMEM=64"))
_FILE, _PLAIN = re.compile(r"\bFILE\b"), re.compile(r"/[\w@%+=:,./-]+", re.ASCII)
"""Where a command has a file, and a name that a shell takes as it is."""


def investigation(question: Question, metrics: Metrics) -> Investigation:
    """The question as it is put to a job with these metrics: who has traced the run is to look at the trace, and not to
    trace another; who has traced a part of it, to trace all. Commands name the largest file, where its name is
    known."""
    command = _with_log(question, metrics)
    if question.kind == "perhaps-fine":
        # What is left to change is how much is written, and how often.
        outputs = outputs_told(lambda metric: known_number(metrics, metric))
        question = replace(question, words=paragraph(question.words, outputs))
    if question.trace is None:
        said, replied = (_sentence(question, question.words + question.told.format(to)) for to in (YOUR_SUPPORT, US))
        asked = _on_largest_file(command, metrics)
        return Investigation(said, asked, question.kind, replied=replied if question.told else None)
    tracing = _UNTRACED if command != TRACED else _tracing(question.trace, metrics)
    words = f"{question.words}{tracing.shows if question.trace == 'shows' else tracing.run}{question.after}"
    command = tracing.command if command == TRACED else command
    return Investigation(_sentence(question, words) + tracing.left_out, command, question.kind)


def _with_log(question: Question, metrics: Metrics) -> str | None:
    if not question.log or question.command is None:
        return question.command
    site = all_sites().get(known_word(metrics, "job.site") or "")
    named = (None, None) if site is None else (site.darshan_module, site.darshan_library)
    return "\n".join((*darshan_lines(*named), question.command))


def _sentence(question: Question, words: str) -> str:
    if not question.known:
        return f"{question.opening}{words}"
    return f"{question.opening}{question.known} {words[0].upper()}{words[1:]}"


def _tracing(trace: Literal["shows", "run"], metrics: Metrics) -> _Tracing:
    traced = known_word(metrics, "io.traced")
    if traced == "yes" and trace == "shows":
        return _Tracing("the timeline of this log's trace shows", "", "", None)
    if traced != "in part":
        return _UNTRACED
    part, layer = known_number(metrics, "io.traced_fraction"), known_word(metrics, "io.traced_least")
    left_out = "" if part is None or layer is None else _LEFT_OUT.format(share(part), layer)
    every = "trace all of one short run"
    return _Tracing(f"{every}, which shows", every, left_out, _TRACED_WHOLE)


def _on_largest_file(command: str | None, metrics: Metrics) -> str | None:
    name = known_word(metrics, "file.largest")
    if command is None or name is None or not _PLAIN.fullmatch(name):
        return command
    return _FILE.sub(lambda _: name, command)
