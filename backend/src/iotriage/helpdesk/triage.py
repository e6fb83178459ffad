"""The steps in which a ticket is triaged, with this case's answer at each.

Is the evidence complete? Does the I/O matter? Which layer is slow? What is the cause? Every answer comes from the case
document: its significance, its account of the time, and its findings. A step adds the question, and what to look at
next.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from functools import partial
from typing import Literal

from iotriage.analysis.decision.basis import DecisionBasis, basis_of
from iotriage.analysis.decision.condition import answered, deciding
from iotriage.analysis.decision.headline_figure import bound_in_document
from iotriage.analysis.document import CaseDocument, Finding, Layer, RuledOut, SourceReport
from iotriage.metrics.core.listing import first_of, listed
from iotriage.metrics.core.metric import NO_TIME, Where
from iotriage.metrics.tables.account.cells import CELLS, Cell, Cells
from iotriage.reports.sections.account_text import least_of
from iotriage.reports.sections.deciding_figures import deciding_figures
from iotriage.reports.sections.grounds import evidence_to_decide
from iotriage.rules import theme_of
from iotriage.rules.core.cell_names import CELL_NAMES
from iotriage.rules.core.words import LEAST_SECONDS, paragraph, plural, printable, quantity, seconds, sentence, share
from iotriage_parsers.frozen import frozen

StepId = Literal["complete", "matters", "layer", "mpi-io", "accesses", "metadata", "streams", "history", "reply"]
State = Literal["fine", "found", "open", "stop", "apart"]
"""`fine`: go on. `found`: this is a cause, or shows one. `open`: the evidence does not tell. `stop`: the remaining
steps are pointless. `apart`: the job does none of this, or another step asks about it."""

MOST_FINDINGS = 3
MOST_NAMED = 3
MOST_PLACES = 4

RATIO = "mpiio.to_posix_time"
ALIKE = 1.1
"""Factor up to which two layers take about as long."""


@frozen
class TriageStep:
    """`findings` are keys of the case's findings, `places` where its figures stand, `lines` what to put into the job
    script where the evidence does not tell, and in the last step what is advised."""

    id: StepId
    question: str
    state: State
    answer: str
    findings: tuple[str, ...] = ()
    places: tuple[Where, ...] = ()
    lines: tuple[str, ...] = ()


@frozen
class _Branch:
    """Where a cause may lie: the rules of these themes; and the layers, the cells of the account and the counts that
    show that the job does this at all (a text of the MPI library has counts and no layers)."""

    id: StepId
    question: str
    themes: tuple[str, ...]
    layers: tuple[Layer, ...]
    cells: tuple[Cell, ...]
    counts: tuple[str, ...]
    nothing: str


_BRANCHES = (
    _Branch(
        "mpi-io",
        "Is it how MPI-IO is used: independent calls, few aggregators, reading what is written?",
        ("collective",),
        ("MPI-IO",),
        ("exchange",),
        ("mpiio.collective_writes", "mpiio.collective_reads", "mpiio.independent_writes", "mpiio.independent_reads"),
        "No source shows MPI-IO.",
    ),
    _Branch(
        "accesses",
        "Is it how the data is accessed and where it lies: sizes, order, striping, the file system?",
        ("access", "striping", "placement"),
        ("POSIX", "DFS", "DAOS", "MPI-IO"),
        ("reads", "writes"),
        ("io.bytes",),
        "No source shows accesses to storage.",
    ),
    _Branch(
        "metadata",
        "Is it opening, closing, looking up and flushing files?",
        ("metadata",),
        ("POSIX", "HDF5", "PnetCDF", "STDIO"),
        ("metadata",),
        ("posix.opens",),
        "No source shows files being opened.",
    ),
    _Branch(
        "streams",
        "Is it buffered streams: fprintf, Python's and Fortran's text files?",
        ("streams",),
        ("STDIO",),
        ("streams",),
        (),
        "No source shows buffered streams.",
    ),
)
_INCOMPLETE, _NOT_THE_BOTTLENECK = "partial-evidence", "io-not-the-bottleneck"
_OF_THE_RUN = frozenset({_INCOMPLETE, "io-errors", "impossible-times", "statistics-not-printed", "cache-inflated"})
_BY_RULE = {"below-expectation": "striping", "as-documented": "striping", "hint-audit": "collective"}
"""Findings about the evidence that speak of a cause all the same."""


def triage_of(document: CaseDocument) -> tuple[TriageStep, ...]:
    """The steps of triage, in the order in which a person asks."""
    basis = basis_of(document)
    return (
        _complete(document),
        _matters(document, basis),
        _layer(document, basis),
        *(_branch(branch, document) for branch in _BRANCHES),
        _history(document),
        _reply(document),
    )


def _complete(document: CaseDocument) -> TriageStep:
    question = "Is the evidence complete, and did the run end well?"
    of_the_run = [f for f in document.findings if f.verdict == "triggered" and f.rule in _OF_THE_RUN]
    apart = [s for s in document.sources if s.of_another_job]
    own = [s for s in document.sources if not s.of_another_job]
    unread = [s for s in own if s.status in ("failed", "nothing")]
    partial = [s for s in own if s.status == "partial"]
    others = sentence("Of another job, and left out: {}.", _source_list(apart))
    if len(unread) == len(own):
        steps = (s.next_step for s in unread if s.next_step)
        return TriageStep("complete", question, "stop", paragraph("Nothing could be read.", next(steps, None), others))
    ended = _how_it_ended(document)
    if not of_the_run and not unread and not partial and ended is None:
        whole = (
            "The source was read whole"
            if len(own) == 1
            else f"{'Both' if len(own) == 2 else f'All {len(own)}'} sources were read whole"
        )
        return TriageStep("complete", question, "fine", paragraph(f"{whole}, and nothing speaks of errors.", others))
    headlines = [f.headline or f.title for f in of_the_run]
    missing = sentence("Not read whole: {}.", _source_list((*unread, *partial)))
    return TriageStep("complete", question, "found", paragraph(ended, *headlines, missing, others), _keys(of_the_run))


def _how_it_ended(document: CaseDocument) -> str | None:
    """What the scheduler says about the end of the job: whatever the job would have done afterwards is in no source."""
    end, ended = document.headlines.end, document.headlines.ended
    return None if ended is None else paragraph(None if end is None else end.sentence, ended)


def _source_list(sources: Sequence[SourceReport]) -> str | None:
    return ", ".join(first_of([printable(s.name) for s in sources], MOST_NAMED)) or None


def _matters(document: CaseDocument, basis: DecisionBasis) -> TriageStep:
    question = "Does I/O matter for this run?"
    node = answered(basis.significance, basis.metrics, basis.thresholds)
    figures = [leaf.metric for leaf in deciding(node) if leaf.metric is not None]
    places = tuple(dict.fromkeys(w for metric in figures for w in metric.where))[:MOST_PLACES]
    share_of_run = _share_of_run(document)
    own = [f for f in document.findings if f.rule == _NOT_THE_BOTTLENECK and f.verdict == "triggered"]
    if node.answer is True:
        return TriageStep("matters", question, "fine", paragraph("Yes.", share_of_run), places=places)
    if node.answer is False:
        below = next(iter(deciding_figures(node, document)), None)
        answer = paragraph("No: say so, and look elsewhere.", share_of_run, sentence("{}.", below))
        return TriageStep("matters", question, "stop", answer, _keys(own), places)
    reason = next((leaf.reason for leaf in deciding(node) if leaf.reason), "a figure is missing")
    return TriageStep("matters", question, "open", f"That cannot be told: {reason}.", places=places)


def _share_of_run(document: CaseDocument) -> str | None:
    time, part = document.metrics.get("job.io_time"), document.metrics.get("job.io_time_fraction")
    if time is None or not isinstance(time.value, int | float):
        return None
    bound = bound_in_document(document)
    of = f", {share(part.value)} of the run" if part is not None and isinstance(part.value, int | float) else ""
    who = "The one rank" if document.job.nprocs == 1 else "The slowest rank"
    return paragraph(f"{who} spent {bound}{seconds(time.value)} in I/O{of}.", _turns(document))


def _turns(document: CaseDocument) -> str | None:
    """The time that passes while ranks wait for their turn, which is no rank's I/O."""
    took, part = document.metrics.get("balance.turns_time"), document.metrics.get("balance.turns_run_fraction")
    if took is None or part is None or not isinstance(took.value, int | float) or not took.value:
        return None
    of = f", {share(part.value)} of the run" if isinstance(part.value, int | float) else ""
    return f"All turns of its ranks take {seconds(took.value)}{of}."


def _layer(document: CaseDocument, basis: DecisionBasis) -> TriageStep:
    question = "Which layer takes the time?"
    account = document.account
    if account is None or account.cells.total < NO_TIME:
        return TriageStep("layer", question, "open", "No source says how long each kind of call took.")
    least = "at least " if account.partial else ""
    named = listed([f"{CELL_NAMES[c]} ({least}{seconds(account.cells.of(c))})" for c in _with_most(account.cells)])
    ratio = basis.metrics.get(RATIO)
    places = () if ratio is None else ratio.where[:MOST_PLACES]
    if account.partial:
        more = "Records are missing, so layers are not compared."
    elif ratio is None or not isinstance(ratio.value, int | float):
        more = None
    else:
        near = 1 / ALIKE < ratio.value < ALIKE
        much = "about as long as" if near else f"{quantity(ratio.value, ratio.unit)} the time of"
        more = f"Calls of MPI-IO take {much} the calls to storage below them."
    return TriageStep("layer", question, "fine", paragraph(f"Most of the I/O time: {named}.", more), places=places)


def _with_most(cells: Cells) -> list[Cell]:
    """The cells with most seconds: two where the second is not negligible, and as many as it takes to have more than
    half of all."""
    chosen: list[Cell] = []
    for cell in sorted(CELLS, key=cells.of, reverse=True):
        enough = sum(map(cells.of, chosen)) > cells.total / 2
        if enough and (len(chosen) > 1 or cells.of(cell) < WORTH_A_CAUSE * cells.total):
            break
        chosen.append(cell)
    return chosen


def _branch(branch: _Branch, document: CaseDocument) -> TriageStep:
    step = partial(TriageStep, branch.id, branch.question)
    findings = [f for f in document.findings if _theme(f) in branch.themes]
    triggered = [f for f in findings if f.verdict == "triggered"]
    time = _time_of(branch, document)
    if triggered:
        causes = [f for f in triggered if f.explained_by is None]
        shown = causes or triggered
        said = paragraph(*(_told(f, document) for f in shown[:MOST_FINDINGS]), _more(shown))
        return step("found" if causes else "apart", said, _keys(triggered))
    used = any(layer.layer in branch.layers for layer in document.charts.layers) or time is not None
    used = used or any(_counted(count, document) for count in branch.counts)
    undecided = [f for f in findings if f.verdict == "unknown"]
    if undecided:
        return _undecided_step(branch, undecided, time, document)
    if not used:
        return step("apart", branch.nothing)
    clear = len({f.rule for f in findings if f.verdict == "clear"})
    asked = f"{plural(clear, 'rule')} looked and found nothing." if clear else "No rule applies to it."
    elsewhere = _found_elsewhere(branch, document)
    if time is not None and elsewhere:
        may = f"{time.removesuffix('.')}; {listed([f.rule for f in elsewhere])} may be why."
        return step("apart", paragraph(asked, may), _keys(elsewhere))
    no = f"No: {asked}" if clear else asked
    return step("fine", paragraph(no, time))


def _undecided_step(
    branch: _Branch, undecided: Sequence[Finding], time: str | None, document: CaseDocument
) -> TriageStep:
    """With what it needs, and the lines that have the next run leave it behind."""
    missing = evidence_to_decide(undecided, document)
    needs = "; ".join(first_of([one.text for one in missing], MOST_FINDINGS))
    needed = sentence("Not decided: it needs {}.", needs or None) or "Not decided."
    lines = tuple(dict.fromkeys(line for one in missing for line in one.lines))
    return TriageStep(branch.id, branch.question, "open", paragraph(needed, time), _keys(undecided), lines=lines)


def _more(findings: Sequence[Finding]) -> str | None:
    more = len(findings) - MOST_FINDINGS
    return f"And {plural(more, 'more finding')}." if more > 0 else None


MOST_OF_IT = 0.5
"""Share of the time of a question's cells that a finding of another one takes, from which it may be their cause."""
WORTH_A_CAUSE = 0.1
"""Share of the job's I/O time that these cells have, from which somebody asks for it."""


def _found_elsewhere(branch: _Branch, document: CaseDocument) -> list[Finding]:
    """Causes of other questions that claim the time of this one, and have as much as most of it."""
    account = document.account
    spent = 0.0 if account is None else sum(account.cells.of(cell) for cell in branch.cells)
    if account is None or spent < WORTH_A_CAUSE * account.cells.total:
        return []
    return [
        f
        for f in document.findings
        if f.verdict == "triggered"
        and f.explained_by is None
        and (f.takes_s or 0.0) >= MOST_OF_IT * spent
        and (rule := document.rules.get(f.rule)) is not None
        and any(cell in claim.cells for claim in rule.claims for cell in branch.cells)
    ][:MOST_FINDINGS]


def _counted(count: str, document: CaseDocument) -> bool:
    metric = document.metrics.get(count)
    return metric is not None and isinstance(metric.value, int | float) and metric.value > 0


def _time_of(branch: _Branch, document: CaseDocument) -> str | None:
    account = document.account
    spent = 0.0 if account is None else sum(account.cells.of(cell) for cell in branch.cells)
    return f"It takes {least_of(document)}{seconds(spent)} of the I/O time." if spent >= LEAST_SECONDS else None


def _told(finding: Finding, document: CaseDocument) -> str:
    by = finding.explained_by
    return _costing(finding, document) if by is None else f"{_costing(finding, document)} It is explained by {by}."


def _costing(finding: Finding, document: CaseDocument) -> str:
    words = finding.headline or f"{finding.title}."
    takes = finding.takes_s
    return (
        words
        if takes is None or takes < NO_TIME
        else f"{words.removesuffix('.')}: {least_of(document)}{seconds(takes)}."
    )


def _history(document: CaseDocument) -> TriageStep:
    job = document.job
    whom = "this program" if job.executable is None else printable(job.executable.rsplit("/", 1)[-1])
    advice = f"Compare it with the last good run of {whom}: ask for its log, or take one of the jobs like this one."
    return TriageStep("history", "Was it better before?", "apart", advice)


def _reply(document: CaseDocument) -> TriageStep:
    top = document.headline
    keys = _keys(f for f in document.findings if f.rule == top.rule and f.verdict == "triggered")
    lines = () if top.command is None else tuple(top.command.splitlines())
    state: State = "found" if keys else "fine"
    answer = paragraph(top.said, top.to_do)
    return TriageStep("reply", "What goes back to the user?", state, answer, keys, lines=lines)


def _theme(finding: Finding | RuledOut) -> str | None:
    if finding.rule in _OF_THE_RUN or finding.rule == _NOT_THE_BOTTLENECK:
        return None
    return _BY_RULE.get(finding.rule) or theme_of(finding.rule)


def _keys(findings: Iterable[Finding]) -> tuple[str, ...]:
    return tuple(dict.fromkeys(f.key for f in findings))
