"""The page decides as Python does: over every sample, thresholds moved anywhere in their ranges, and to the figures
that they are compared with.

A few moves of each sample are drawn here, the same ones each time; `make fuzz` draws many, and others each time.
"""

from __future__ import annotations

import dataclasses
import json
import math
import shutil
import subprocess
from collections.abc import Iterator
from functools import cache
from pathlib import Path
from typing import TypeAlias

import pytest
from budget import SEED, some, tries
from hypothesis import given, settings
from hypothesis import strategies as st
from sample_documents import document_of
from samples import Case, cases

from iotriage.analysis.decision.basis import DecisionBasis, basis_of, grounds_of
from iotriage.analysis.decision.condition import leaves
from iotriage.analysis.decision.moved_thresholds import with_thresholds
from iotriage.analysis.document import CaseDocument, Finding
from iotriage.rules.core.condition import Compare, leaves_of

Json: TypeAlias = "bool | int | float | str | list[Json] | dict[str, Json] | None"

PAGE = Path(__file__).resolve().parents[4] / "frontend"
MOST_MOVED = 4


class Page:
    """The page's evaluator in one process of node: a document, and then moves of its thresholds, a line each."""

    def __init__(self, process: subprocess.Popen[str]) -> None:
        self._process = process
        self._shown: str | None = None

    def show(self, case: Case) -> None:
        """The document that is decided from now on."""
        if self._shown != str(case):
            self._write({"document": dataclasses.asdict(_document(case))})
            self._shown = str(case)

    def decide(self, moves: dict[str, float]) -> Json:
        self._write({"moves": moves})
        assert self._process.stdout is not None
        line = self._process.stdout.readline()
        assert line, f"node ended with {self._process.wait()}: its own words stand in the captured stderr"
        answer: Json = json.loads(line)
        return answer

    def _write(self, line: object) -> None:
        assert self._process.stdin is not None
        self._process.stdin.write(json.dumps(line, allow_nan=False) + "\n")
        self._process.stdin.flush()


@pytest.fixture(scope="module")
def page() -> Iterator[Page]:
    node = shutil.which("node")
    if node is None:
        pytest.skip("there is no node on this machine")
    script = PAGE / "scripts" / "decide.mjs"
    assert script.is_file(), f"{script} is missing: it runs the page's evaluator"
    with subprocess.Popen(
        [node, script], cwd=PAGE, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True
    ) as process:
        yield Page(process)
        assert process.stdin is not None
        process.stdin.close()


@cache
def _document(case: Case) -> CaseDocument:
    return document_of(case.sources)


@pytest.mark.fuzz
@pytest.mark.parametrize("case", some(cases()), ids=str)
def test_both_decide_the_same(case: Case, page: Page) -> None:
    page.show(case)
    document = _document(case)

    @settings(max_examples=tries(3, 40), derandomize=SEED is None, database=None, deadline=None)
    @given(moves=_moves(document))
    def same(moves: dict[str, float]) -> None:
        theirs, ours = _comparable(page.decide(moves)), _comparable(_decided(document, moves))
        for part in ("findings", "headline", "next_run", "unexplained"):
            assert theirs[part] == ours[part], f"{part} of {case}, moved: {json.dumps(moves)}"

    same()


@pytest.mark.parametrize(
    ("case", "moves"),
    [
        # The program of the next run is linked with another library, and nothing of its source changes.
        ("darshan_log/dvs-small-records", {"calls-side-by-side.at-a-time": 1.0}),
    ],
)
def test_both_decide_the_same_of_moves_that_are_not_drawn(case: str, moves: dict[str, float], page: Page) -> None:
    shown = next(c for c in cases() if str(c) == case)
    page.show(shown)
    assert _comparable(page.decide(moves)) == _comparable(_decided(_document(shown), moves))


def test_the_moves_drawn_change_what_is_decided() -> None:
    """Most moves change nothing: what is drawn is not to be among those alone."""
    document = _document(next(c for c in cases() if c.name == "lustre-archer-cached"))
    before = _decided(document, {})
    changed = []

    @settings(max_examples=80, derandomize=True, database=None, deadline=None)
    @given(moves=_moves(document))
    def draw(moves: dict[str, float]) -> None:
        changed.append(_decided(document, moves) != before)

    draw()
    assert sum(changed) >= 12


def _moves(document: CaseDocument) -> st.SearchStrategy[dict[str, float]]:
    """Of one to four thresholds, numbers of their ranges; more often of those that have a figure within theirs."""
    figures, thresholds = _figures(document), document.thresholds
    within = [t.id for t in thresholds.values() if any(t.minimum <= n <= t.maximum for n in figures[t.id])]
    ids = st.sampled_from(sorted(thresholds)) | st.sampled_from(sorted(within or thresholds))
    chosen = st.lists(ids, min_size=1, max_size=MOST_MOVED, unique=True)
    return chosen.flatmap(lambda ids: st.fixed_dictionaries({id: _numbers(document, id, figures[id]) for id in ids}))


def _numbers(document: CaseDocument, threshold: str, figures: frozenset[float]) -> st.SearchStrategy[float]:
    low, high = document.thresholds[threshold].minimum, document.thresholds[threshold].maximum
    near = {
        n for figure in figures for n in (math.nextafter(figure, -math.inf), figure, math.nextafter(figure, math.inf))
    }
    telling = sorted({n for n in near if low <= n <= high} | {low, high})
    return st.one_of(st.sampled_from(telling), st.floats(low, high))


def _figures(document: CaseDocument) -> dict[str, frozenset[float]]:
    """By threshold, the numbers of this case that it is compared with."""
    basis = basis_of(document)
    compared = [
        (leaf, scope)
        for conditions, scopes in (
            ([document.significance], ["job"]),
            ([c for r in document.rules.values() for c in (r.requires, r.condition)], ["job", *basis.of_groups]),
        )
        for condition in conditions
        for leaf in leaves_of(condition)
        if isinstance(leaf, Compare)
        for scope in scopes
    ]
    found: dict[str, set[float]] = {id: set() for id in document.thresholds}
    for leaf, scope in compared:
        metric = basis.metrics_of(scope).get(leaf.metric)
        if metric is not None and isinstance(metric.value, int | float):
            found[leaf.threshold].add(float(metric.value))
    return {id: frozenset(numbers) for id, numbers in found.items()}


def _decided(document: CaseDocument, moves: dict[str, float]) -> Json:
    """What Python says, in the page's shape."""
    moved = with_thresholds(document, moves)
    basis = basis_of(moved)
    said = {
        "headline": dataclasses.asdict(moved.headline),
        "findings": [_finding(f, basis) for f in moved.findings],
        "next_run": None if moved.next_run is None else dataclasses.asdict(moved.next_run),
        "unexplained": None if moved.unexplained is None else dataclasses.asdict(moved.unexplained),
    }
    shape: Json = json.loads(json.dumps(said, allow_nan=False))
    return shape


def _finding(finding: Finding, basis: DecisionBasis) -> dict[str, object]:
    grounds = grounds_of(finding, basis)
    nodes = () if grounds is None else (grounds.requires, grounds.condition)
    return {
        "rule": finding.rule,
        "scope": finding.scope.id,
        "verdict": finding.verdict,
        "severity": finding.severity,
        "explained_by": finding.explained_by,
        "takes_s": finding.takes_s,
        "could_save_at_least_s": finding.could_save_at_least_s,
        "could_save_s": finding.could_save_s,
        "headline": finding.headline,
        "advice": [
            {"text": a.text, "command": a.command, "kind": a.kind, "fortran": a.fortran, "withheld": a.withheld}
            for a in finding.advice
        ],
        "unanswered": [leaf.reason for node in nodes for leaf in leaves(node) if leaf.answer is None],
    }


def _comparable(said: Json) -> dict[str, Json]:
    """Why leaves have no answer matters where the finding has none."""
    assert isinstance(said, dict)
    findings = said["findings"]
    assert isinstance(findings, list)
    for finding in findings:
        assert isinstance(finding, dict)
        if finding["verdict"] != "unknown":
            finding["unanswered"] = []
    return said
