"""A warehouse's days judged by a query say what the case documents say: of samples and of jobs of the laboratory, and
under other thresholds what diagnosing again would."""

from __future__ import annotations

import hashlib
import random
from collections.abc import Iterator, Mapping
from dataclasses import replace
from itertools import islice
from pathlib import Path

import pytest
from bench.laboratory.draws import many
from bench.laboratory.jobs import program_of
from bench.laboratory.running import run
from bench.laboratory.written import log_of
from budget import SEED, tries
from covering import covering_cases
from duckdb import DuckDBPyConnection
from judged_days import Case, case_of, diagnosed_again, judged_again, to_judge, written
from judged_documents import said
from sample_documents import sources_of
from samples import cases

from iotriage.analysis import evaluation
from iotriage.analysis.inputs import ReadSource
from iotriage.centre.judging.rules import declared
from iotriage.rules import all_rules
from iotriage_parsers.detect import read

JOBS = 8


@pytest.fixture(scope="module")
def diagnoses(tmp_path_factory: pytest.TempPathFactory) -> Mapping[str, Case]:
    samples = (case_of(str(c), sources_of(c.sources)) for c in covering_cases())
    return {case.name: case for case in (*samples, *_drawn(tmp_path_factory.mktemp("laboratory"))) if case is not None}


@pytest.fixture(scope="module")
def days(diagnoses: Mapping[str, Case], tmp_path_factory: pytest.TempPathFactory) -> Iterator[DuckDBPyConnection]:
    with to_judge(written(tmp_path_factory.mktemp("centre"), list(diagnoses.values()))) as days:
        yield days


def _drawn(folder: Path) -> Iterator[Case | None]:
    for number, job in enumerate(islice(many(1), JOBS)):
        path = folder / f"{number}.darshan"
        path.write_bytes(log_of(run(program_of(job))))
        with path.open("rb") as log:
            digest = hashlib.file_digest(log, "sha256").hexdigest()
            yield case_of(path.name, [ReadSource(path.name, digest, path.stat().st_size, read(log))])


@pytest.mark.fuzz
def test_days_are_judged_as_the_documents_are(diagnoses: Mapping[str, Case], days: DuckDBPyConnection) -> None:
    found = judged_again(days, {})
    assert len(diagnoses) > 60
    for name, case in diagnoses.items():
        assert found.get(name, []) == said(case.diagnosis.document.findings), name


def test_a_rule_that_fails_in_words_fails_in_the_query(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def fails(_: object) -> None:
        raise ZeroDivisionError

    rules = tuple(replace(rule, says=fails) if rule.id == "serial-io" else rule for rule in all_rules().values())
    monkeypatch.setattr(evaluation, "_rules", lambda: tuple(rule for rule in rules if rule.scope != "run-set"))
    case = next(case for case in cases() if str(case).endswith("01-serial-gather"))
    failing = case_of("failing", sources_of(case.sources))
    assert failing is not None
    findings = said(failing.diagnosis.document.findings)
    assert [f.rule for f in findings if f.verdict == "error"] == ["serial-io"]
    with to_judge(written(tmp_path, [failing])) as days:
        assert judged_again(days, {}) == {"failing": findings}


@pytest.mark.fuzz
def test_moved_thresholds_judge_days_as_diagnosing_again_would(
    diagnoses: Mapping[str, Case], days: DuckDBPyConnection
) -> None:
    """Of a few dozen thresholds at once, anywhere in their ranges."""
    draw, changed = random.Random(SEED or 14), 0
    for _ in range(tries(2, 40)):
        moves = {id: draw.uniform(t.minimum, t.maximum) for id, t in declared().items() if draw.random() < 0.2}
        moves |= {id: t.minimum for id, t in declared().items() if draw.random() < 0.1}
        found = judged_again(days, moves)
        for name, case in diagnoses.items():
            expected = diagnosed_again(case.diagnosis, moves)
            changed += expected != said(case.diagnosis.document.findings)
            assert found.get(name, []) == expected, (name, moves)
    assert changed > 20
