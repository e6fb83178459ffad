"""All surfaces say the same of the same: the sentence, the findings, the figures with their names, in the terminal and
the reports; the charts' data; and the sentences of the page, of the document as an export carries it."""

from __future__ import annotations

import json
import re
import shutil
import subprocess
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cache
from math import inf
from pathlib import Path
from typing import TypedDict

import pytest
from every_job import every_job
from sample_documents import document_of, sources_of
from samples import cases

from iotriage.analysis.decision.allotment import claimed_seconds
from iotriage.analysis.decision.basis import basis_of
from iotriage.analysis.document import CaseDocument, Finding, KnownMetric
from iotriage.analysis.document.adapter import DOCUMENT
from iotriage.analysis.document.document_json import document_as_json
from iotriage.analysis.views.counter_cells import CounterQuery, counter_page
from iotriage.helpdesk.support_wording import worded_by_support
from iotriage.metrics.core.metric import Number, Unit
from iotriage.metrics.tables.account.cells import CELLS
from iotriage.reports.formats import FORMATS
from iotriage.reports.sections.account_text import saving_of
from iotriage.reports.terminal import as_text
from iotriage.rules.core.saving import WHAT_THE_MOST_IS
from iotriage.rules.core.words import quantity
from iotriage_parsers.evidence import Evidence

pytestmark = pytest.mark.fuzz
TEXTS = ("plain", "markdown", "jira")


def said(text: str) -> str:
    """The words alone: markup, escapes and the breaks of lines are each surface's own."""
    return re.sub(r"[^\w.%,×/:]+", " ", text.replace("\\", ""))


@cache
def surfaces(sources: tuple[Path, ...]) -> dict[str, str]:
    document = document_of(sources)
    written = {name: said(FORMATS[name].write(document)) for name in TEXTS}
    return {"terminal": said(as_text(document)), **written}


@every_job
def test_what_is_stored_is_what_the_api_answers(sources: tuple[Path, ...]) -> None:
    document = document_of(sources)
    assert json.loads(document_as_json(document)) == json.loads(DOCUMENT.dump_json(document))


@pytest.mark.parametrize("sources", [c.sources for c in cases()], ids=lambda s: s[0].parent.name)
def test_no_advice_asks_whether_the_files_are_on_lustre_where_the_charts_know(sources: tuple[Path, ...]) -> None:
    document = document_of(sources)
    if "unknown" in {system.kind for system in document.charts.file_systems}:
        return
    for finding in document.findings:
        for one in finding.advice:
            assert "If these files are on Lustre" not in one.text, (finding.rule, finding.scope.label)


@every_job
def test_who_replies_is_the_support_that_a_page_sends_to(sources: tuple[Path, ...]) -> None:
    told = worded_by_support(document_of(sources))
    texts = [a.text for f in told.findings if isinstance(f, Finding) for a in f.advice]
    asked = [one.sentence for given in told.investigations.of_cells.values() for one in given]
    assert [t for t in (*texts, *asked, told.headline.action or "") if re.search(r"\bsupport\b|helpdesk", t)] == []


@every_job
def test_the_sentence_on_top_is_one(sources: tuple[Path, ...]) -> None:
    document = document_of(sources)
    sentence = said(document.headline.sentence).strip()
    figure = said(document.headline.figure or "").strip()
    assert [name for name, text in surfaces(sources).items() if sentence not in text or figure not in text] == []


@every_job
def test_what_was_found_and_what_it_could_save_are_one(sources: tuple[Path, ...]) -> None:
    document = document_of(sources)
    found = [f for f in document.findings if f.verdict == "triggered" and f.explained_by is None]
    for name, text in surfaces(sources).items():
        for finding in {f.rule: f for f in reversed(found)}.values():
            assert said(finding.title).strip() in text, (name, finding.rule)
            saving = saving_of(finding)
            if saving is not None:
                assert said(saving).strip() in text, (name, finding.rule)


@every_job
def test_nothing_is_sure_to_save_more_than_it_takes_and_what_may_says_why(sources: tuple[Path, ...]) -> None:
    document = document_of(sources)
    account = document.account
    run = inf if account is None or account.runtime_s is None else max(account.runtime_s, account.cells.total)
    for finding in document.findings:
        least, most, takes = finding.could_save_at_least_s, finding.could_save_s, finding.takes_s
        if least is not None or most is not None:
            assert least is not None
            assert most is not None
            assert takes is not None
            assert 0 < least <= min(most, takes), finding.rule
            assert most <= run, finding.rule
            assert finding.impact is not None
            assert WHAT_THE_MOST_IS in finding.impact.because


@every_job
def test_a_figure_beside_its_name_is_that_of_the_metric(sources: tuple[Path, ...]) -> None:
    """ "Title: figure" in a finding's grounds, wherever the title is that of one metric of the job alone."""
    document = document_of(sources)
    titles = document.titles
    known = [(id, m) for id, m in document.metrics.items() if isinstance(m, KnownMetric) and id in titles]
    of_job = {titles[id]: quantity(m.value, m.unit) for id, m in known}
    elsewhere = {titles[id] for g in document.groups for id in g.metrics if id in titles}
    within = {title for title in of_job for other in of_job if other != title and other.endswith(title)}
    within |= {title for title in of_job for other in of_job if other.lower().endswith(f" {title.lower()}")}
    for name, text in surfaces(sources).items():
        for title, figure in of_job.items():
            shown = set(re.findall(rf"(?<!\w){re.escape(said(title).strip())}: ([^:]*?), threshold", text))
            if title not in elsewhere | within:
                assert {one.removeprefix("at least ").removeprefix("at most ") for one in shown} <= {
                    said(figure).strip()
                }, (name, title)


def number(document: CaseDocument, metric: str) -> Number | None:
    found = document.metrics.get(metric)
    return found.value if isinstance(found, KnownMetric) and not isinstance(found.value, str) else None


@every_job
def test_what_the_charts_are_drawn_from_is_what_the_metrics_are(sources: tuple[Path, ...]) -> None:
    document = document_of(sources)
    account, charts = document.account, document.charts
    same: list[tuple[str, Number | None, Number | None]] = [
        ("ranks", document.job.nprocs, number(document, "job.nprocs"))
    ]
    if account is not None:
        same.append(("run time", account.runtime_s, number(document, "job.runtime")))
    if account is not None and account.slowest is not None:
        same.append(("I/O time", account.slowest.most_s, number(document, "job.io_time")))
    if (growth := charts.growth) is not None and growth.requested_written:
        grown = growth.stored_written / growth.requested_written
        same.append(("amplification", grown, number(document, "mpiio.write_amplification")))
    for group in document.groups:
        rows = [f for f in document.files if f.group == group.id]
        moved = group.metrics.get("io.bytes")
        if len(rows) == group.files and isinstance(moved, KnownMetric) and not isinstance(moved.value, str):
            listed = sum((f.bytes_read or 0) + (f.bytes_written or 0) for f in rows)
            same.append((f"bytes of {group.label}", listed, moved.value))
    differ = [s for s in same if None not in s and s[1] != pytest.approx(s[2])]
    assert differ == []


@every_job
def test_seconds_of_the_layers_are_those_of_the_account(sources: tuple[Path, ...]) -> None:
    """Calls that run beside one another take more, and then the account has what the slowest rank spent at the most."""
    document = document_of(sources)
    account = document.account
    if account is None or account.basis != "Darshan" or account.slowest is None:
        return
    of_layer = {share.layer: share.seconds or 0.0 for share in document.charts.layers}
    cells = account.cells
    alone = cells.mean_rank - cells.library < account.slowest.most_s * (1 - 1e-9)
    # Of DAOS, the objects of DFS stand at one layer of the two.
    if alone and not {"DFS", "DAOS"} & of_layer.keys():
        assert of_layer.get("POSIX", 0.0) == pytest.approx(cells.reads + cells.writes + cells.metadata, abs=1e-9)
        assert of_layer.get("STDIO", 0.0) == pytest.approx(cells.streams, abs=1e-9)


@every_job
def test_no_time_of_the_account_is_longer_than_the_io_time(sources: tuple[Path, ...]) -> None:
    """Neither the mean rank's seconds, nor all that is given to findings and unexplained."""
    document = document_of(sources)
    account, io_time = document.account, number(document, "job.io_time")
    if account is None or account.basis != "Darshan" or io_time is None:
        return
    assert account.cells.mean_rank <= io_time * (1 + 1e-9)
    assert account.cells.total <= max(io_time, account.slowest.least_s if account.slowest else 0.0) * (1 + 1e-9)


@every_job
def test_each_second_is_given_once_and_the_rest_is_unexplained(sources: tuple[Path, ...]) -> None:
    document = document_of(sources)
    account, basis = document.account, basis_of(document)
    if account is None or document.unexplained is None:
        return
    triggered = [f for f in document.findings if isinstance(f, Finding) and f.verdict == "triggered"]
    takes = {(f.rule, f.scope.id): f.takes_s or 0.0 for f in triggered}
    left = document.unexplained.seconds + account.cells.not_split
    assert sum(takes.values()) + left == pytest.approx(account.cells.total, abs=1e-6)
    for id, cells in account.groups.items():
        assert sum(s for (_, scope), s in takes.items() if scope == id) <= cells.total + 1e-6
    for symptom in triggered:
        cause = next((f for f in triggered if (f.rule, f.scope) == (symptom.explained_by, symptom.scope)), None)
        of_scope = account.cells if symptom.scope.kind == "job" else account.groups.get(symptom.scope.id)
        if cause is None or cause.takes_s is None or of_scope is None:
            continue
        claims = [claimed_seconds(one, of_scope, basis) for one in (cause, symptom)]
        both = sum(max(one.get(cell, 0.0) for one in claims) for cell in CELLS)
        assert cause.takes_s + (symptom.takes_s or 0.0) <= both + 1e-6, (cause.rule, symptom.rule)


PAGE = Path(__file__).resolve().parents[3] / "frontend"


@dataclass(frozen=True)
class Chart:
    sentence: str
    rows: list[list[str]]
    words: str


@dataclass(frozen=True)
class Step:
    """One of Show me: what it says, and where it leads."""

    words: str
    kind: str
    address: dict[str, int | str]
    links: list[dict[str, int | str]]


@dataclass(frozen=True)
class PageWords:
    """What a person reads on the page of a case; `all` of it, in one text."""

    sentence: str
    figure: str | None
    schematic: str
    charts: dict[str, Chart]
    played: dict[str, list[Step]]

    @property
    def all(self) -> str:
        return " ".join([self.schematic, *(chart.words for chart in self.charts.values())])


class Page:
    """The page's own sentences, by its own source in one process of node."""

    def __init__(self, process: subprocess.Popen[str]) -> None:
        self._process = process

    def words(self, document: CaseDocument) -> PageWords:
        assert self._process.stdin is not None
        assert self._process.stdout is not None
        self._process.stdin.write(json.dumps(json.loads(FORMATS["json"].write(document))) + "\n")
        self._process.stdin.flush()
        line = self._process.stdout.readline()
        assert line, f"node ended with {self._process.wait()}: its own words stand in the captured stderr"
        said = json.loads(line)
        charts = {
            id: Chart(
                one["sentence"],
                one["table"]["rows"],
                " ".join([one["sentence"], one["caption"], *one["links"]]),
            )
            for id, one in said["charts"].items()
        }
        played = {key: [_step(one) for one in steps] for key, steps in said["played"].items()}
        return PageWords(said["sentence"], said["figure"], said["schematic"] or "", charts, played)


class _Scene(TypedDict, total=False):
    kind: str
    search: dict[str, int | str]
    links: list[dict[str, int | str]]


class _Said(TypedDict):
    words: str
    scene: _Scene


def _step(one: _Said) -> Step:
    scene = one["scene"]
    return Step(one["words"], scene["kind"], scene.get("search", {}), scene.get("links", []))


@pytest.fixture(scope="module")
def page() -> Iterator[Page]:
    node = shutil.which("node")
    if node is None:
        pytest.skip("there is no node on this machine")
    with subprocess.Popen(
        [node, PAGE / "scripts" / "words.mjs"], cwd=PAGE, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True
    ) as process:
        yield Page(process)
        assert process.stdin is not None
        process.stdin.close()


def shown(value: Number | None, unit: Unit) -> str | None:
    return None if value is None else quantity(value, unit)


def whole(figure: str) -> int:
    return 2 if figure == "both" else round(float(figure.replace(",", "")))


SLOWEST = re.compile(r"(?:(Of [^.]{1,120}?), )?[Rr]ank ([\d,]+)(?: is the slowest|, the slowest(?! of))")
RANKS_AT = re.compile(r"At (MPI-IO|POSIX|STDIO), (?:all ([\d,]+)|(?:at least )?(?:about )?([\d,.]+) of [\d,]+) ranks")
THROUGH = re.compile(r"through (?:about )?([\d,.]+) ranks? that")
MOVING = re.compile(r"(?:About )?([\d,.]+)(?: of [\d,]+)? ranks? (?:move|aggregate)")
ON_OSTS = re.compile(r"(?:, on|files lie on) (?:all )?(both|[\d,]+)(?: of [\d,]+)? OSTs?")
UNSCALED = re.compile(r"(?<![\w./-])\d{4,}(?:\.\d+)? (?:B|s|[KMGT]iB)\b")


@every_job
def test_the_page_says_it_too(sources: tuple[Path, ...], page: Page) -> None:
    document = document_of(sources)
    said = page.words(document)
    assert (said.sentence, said.figure) == (document.headline.sentence, document.headline.figure)
    assert re.findall(r"NaN|undefined|Infinity|\b1 (?:ranks|files|OSTs|calls|nodes)\b", said.all) == []
    assert UNSCALED.findall(said.all) == []
    _the_time(document, said)
    _who_moves(said)
    _what_is_played(document, sources, said)


def _the_time(document: CaseDocument, said: PageWords) -> None:
    account, time = document.account, said.charts.get("time-use")
    slowest = None if account is None or account.slowest is None else account.slowest
    named = {whole(rank) for of_file, rank in SLOWEST.findall(said.all) if not of_file}
    assert named <= (set() if slowest is None else {slowest.rank})
    assert (time is not None) == (account is not None)
    if time is not None and slowest is not None:
        assert (shown(number(document, "job.io_time"), "s") or "") in time.sentence
        assert (shown(number(document, "job.io_time_fraction"), "share") or "") in time.sentence
    run, timeline = number(document, "job.runtime"), said.charts.get("run-timeline")
    steps = sum(source.kind == "darshan_log" for source in document.sources)
    if run is not None and timeline is not None and steps == 1:
        of_run = shown(run, "s")
        untold = ("nothing was read", "of no read or write it is known when it was")
        ends = (f" of the run's {of_run}.", f" to the end of the run, {of_run}.", *untold)
        assert any(end in timeline.sentence for end in ends)


def _who_moves(said: PageWords) -> None:
    layers, ranks = said.charts.get("layer-stack"), said.charts.get("rank-use")
    if layers is not None and ranks is not None:
        of_layer = {row[0]: row[1] for row in layers.rows}
        for layer, every, some in RANKS_AT.findall(ranks.sentence):
            if "at least" not in ranks.sentence and of_layer[layer] != "not recorded":
                assert whole(of_layer[layer].removeprefix("about ")) == whole(every or some), layer
    through, moving = THROUGH.search(said.schematic), said.charts.get("aggregating")
    if through is not None and moving is not None:
        found = MOVING.search(moving.sentence)
        assert found is not None
        assert whole(through[1]) == whole(found[1])
    targets, osts = ON_OSTS.search(said.schematic), said.charts.get("ost-use")
    if targets is not None and osts is not None:
        of_all = {whole(one) for one in ON_OSTS.findall(osts.sentence)}
        # The sketch may be of the one file that matters.
        of_a_part = "of the job's bytes" in said.schematic
        assert whole(targets[1]) in of_all or (of_a_part and whole(targets[1]) < max(of_all))


def _what_is_played(document: CaseDocument, sources: tuple[Path, ...], said: PageWords) -> None:
    """What matters plays its evidence in three to five steps, and each leads to what is there."""
    for finding in (f for f in document.findings if f.verdict == "triggered"):
        key = finding.rule if finding.scope.kind == "job" else f"{finding.rule}@{finding.scope.id}"
        steps = said.played[key]
        assert len(steps) in ((3, 4, 5) if finding.severity != "info" else (0, 3, 4, 5)), key
        for step in steps:
            assert step.words.endswith((".", ")", ":")), (key, step.words)
            assert _leads_somewhere(document, finding, sources, step), (key, step)


def _leads_somewhere(document: CaseDocument, finding: Finding, sources: tuple[Path, ...], step: Step) -> bool:
    match step.kind:
        case "figures":
            return True
        case "cost":
            return bool(finding.takes_s)
        case "cure":
            return finding.says is not None and len(finding.says.advice) > 0
        case "charts":
            return len(step.links) > 0 and all(_is_drawn(document, link) for link in step.links)
        case "timeline":
            activity = document.charts.activity
            assert activity is not None
            begins, ends = (float(bound) for bound in str(step.address["t"]).split(".."))
            return begins < ends <= activity.traces[0].extent_s * (1 + 1e-5)
        case "evidence":
            return _stands_there(document, sources, step.address)
    return False


def _is_drawn(document: CaseDocument, link: dict[str, int | str]) -> bool:
    """Whether there is such a group, rank or OST to light up."""
    match link["kind"]:
        case "group":
            return link["id"] in {group.id for group in document.groups}
        case "rank":
            return document.job.nprocs is None or int(link["id"]) < document.job.nprocs
        case "ost":
            return len(document.charts.osts) > 0
    return link["kind"] == "direction"


def _stands_there(document: CaseDocument, sources: tuple[Path, ...], at: dict[str, int | str]) -> bool:
    """Whether the view of the evidence has the line, or a cell of the counter."""
    source = document.sources[int(at["source"])]
    if source.member is not None:
        return True
    if "line" in at:
        lines = sources[source.given].read_bytes().count(b"\n") + 1
        return 1 <= int(at["line"]) <= int(at.get("to", at["line"])) <= lines
    outcome = sources_of(sources)[source.given].outcome
    assert isinstance(outcome, Evidence)
    record = int(at["record"]) if "record" in at else None
    query = CounterQuery(str(at["module"]), str(at["counter"]), record=record, stated="zeros" not in at)
    cells = counter_page(outcome, query, 0, 1)
    return cells is not None and cells.matched > 0
