"""From sources to the case document: what always holds, whatever the sources."""

from __future__ import annotations

import dataclasses
import hashlib
import json
import os
from collections import Counter
from dataclasses import replace
from pathlib import Path

import pytest
from budget import some
from described import Part, Work, log_of
from pydantic import TypeAdapter

from iotriage.analysis import evaluation
from iotriage.analysis.decision.basis import basis_of, grounds_of
from iotriage.analysis.decision.condition import leaves
from iotriage.analysis.decision.order import decide_findings
from iotriage.analysis.document import CaseDocument
from iotriage.analysis.engine import diagnose, diagnosis_of
from iotriage.analysis.inputs import ReadSource
from iotriage.metrics.core import registry
from iotriage.metrics.core.metric import Metric, Outcome
from iotriage.metrics.core.registry import MetricSpec, compute
from iotriage.metrics.core.selection import Selection
from iotriage.reports.plain_json import as_json
from iotriage.reports.terminal import as_text
from iotriage.rules import all_rules
from iotriage.rules.core.condition import Compare
from iotriage.rules.core.rule import Context, Words
from iotriage_parsers.detect import read
from iotriage_parsers.evidence import Evidence, Failure

ROOT = Path(__file__).resolve().parents[3]
SAMPLES = ROOT / "sample-logs"
CORPUS = Path(os.environ.get("IOTRIAGE_CORPUS", ROOT.parent / "shared"))


def source(path: Path) -> ReadSource:
    with path.open("rb") as stream:
        digest = hashlib.file_digest(stream, "sha256").hexdigest()
        return ReadSource(path.name, digest, path.stat().st_size, read(stream))


def sample(name: str) -> ReadSource:
    return source(SAMPLES / "darshan_log" / name / f"{name}.darshan")


STATS = SAMPLES / "mpich_stats" / "bad-collective-write-one-aggregator"


def stderr() -> ReadSource:
    return source(next(p for p in sorted(STATS.iterdir()) if p.suffix == ".txt"))


def test_the_same_sources_give_the_same_document() -> None:
    both = [sample("lustre-ssf-one-stripe"), stderr()]
    assert as_json(diagnose(both)) == as_json(diagnose([sample("lustre-ssf-one-stripe"), stderr()]))


def test_of_files_too_light_for_any_rule_little_is_worked_out(monkeypatch: pytest.MonkeyPatch) -> None:
    asked: Counter[int] = Counter()

    def counting(spec: MetricSpec, selection: Selection) -> Metric:
        asked[id(selection)] += 1
        return compute(spec, selection)

    monkeypatch.setattr(registry, "compute", counting)
    found = diagnosis_of([sample("lustre-traced-slow-ost")]).rule_inputs
    weights = [found.of_groups[group.id]["group.weight"].value for group in found.groups]
    heavy, light = (asked[id(group.selection)] for group in found.groups)
    assert weights == [pytest.approx(1.0, abs=0.05), pytest.approx(0.0, abs=0.05)]
    assert 4 * light < heavy


@pytest.mark.parametrize("id", ["job.io_time", "io.bytes"])
def test_a_group_asks_the_job_for_what_the_job_has_answered(id: str, monkeypatch: pytest.MonkeyPatch) -> None:
    asked: Counter[str] = Counter()
    formula = registry.all_metrics()[id].compute

    def counting(selection: Selection) -> Outcome:
        asked[selection.scope] += 1
        return formula(selection)

    monkeypatch.setattr(registry.all_metrics()[id], "compute", counting)
    found = diagnosis_of([sample("20-config-broadcast")])
    assert asked == {"job": 1, "group": len(found.rule_inputs.groups)}


def test_json_has_the_fields_that_others_read() -> None:
    found = json.loads(as_json(diagnose([sample("06-shared-indep-1000b-unaligned")])))
    assert {"version", "job", "site", "sources", "metrics", "files", "findings"} <= set(found)
    assert found["job"]["nprocs"] == 8
    assert found["sources"][0]["kind"] == "darshan_log"
    assert found["metrics"]["io.bytes_written"]["value"] == 8_000_000
    assert found["metrics"]["io.bytes_written"]["unit"] == "B"
    finding = found["findings"][0]
    assert {
        "rule", "title", "clear_title", "verdict", "severity", "confidence", "scope", "says", "advice", "explained_by",
    } <= set(finding)  # fmt: skip
    assert {"headline", "summary", "advice", "impact"} <= set(finding["says"])
    rule = found["rules"][finding["rule"]]
    assert {"severity", "requires", "condition", "citations"} <= set(rule)


def test_every_comparison_has_what_it_was_decided_on() -> None:
    """Its threshold stands in the document, and so does its figure, or the reason why there is none."""
    found = diagnose([sample("06-shared-indep-1000b-unaligned")])
    basis = basis_of(found)
    grounds = [g for f in found.findings if (g := grounds_of(f, basis)) is not None]
    answered = [leaf for g in grounds for node in (g.requires, g.condition, *g.supports) for leaf in leaves(node)]
    compared = [(leaf, leaf.leaf) for leaf in answered if isinstance(leaf.leaf, Compare)]
    assert compared
    for leaf, compare in compared:
        assert found.thresholds[compare.threshold].stated_by.says
        assert (leaf.metric is not None and leaf.metric.value is not None) or leaf.reason


def test_log_and_text_of_one_job_make_one_case() -> None:
    document = diagnose([sample("lustre-ssf-one-stripe"), stderr()])
    first, basis = document.findings[0], basis_of(document)
    assert first.rule == "single-aggregator"
    assert document.metrics["mpiio.aggregators"].value == 1
    assert {w.source for f in document.findings if (g := grounds_of(f, basis)) is not None for w in g.where} == {0, 1}


def test_a_source_that_failed_is_reported_and_costs_nothing_else() -> None:
    broken = ReadSource("core", "0" * 64, 9, Failure("unrecognised", "core is not a log.", "Leave it out."))
    alone, beside = (
        diagnose([sample("06-shared-indep-1000b-unaligned")]),
        diagnose([sample("06-shared-indep-1000b-unaligned"), broken]),
    )
    assert beside.sources[1].status == "failed"
    assert beside.sources[1].failure == "core is not a log."
    assert [f.rule for f in beside.findings] == [f.rule for f in alone.findings]


def test_when_nothing_could_be_read_the_headline_says_so() -> None:
    document = diagnose([ReadSource("x", "0" * 64, 0, Failure("empty", "the file is empty.", "Copy it again."))])
    assert document.headline.sentence == "None of the sources could be read."
    assert document.headline.action == "Copy it again."
    assert all(f.verdict != "triggered" for f in document.findings)


def test_a_rule_that_fails_costs_its_own_finding_only(monkeypatch: pytest.MonkeyPatch) -> None:
    def breaks(_: Context) -> Words:
        raise ZeroDivisionError("a defect")

    rules = dict(all_rules())
    rules["serial-io"] = dataclasses.replace(rules["serial-io"], says=breaks)
    monkeypatch.setattr(evaluation, "_rules", lambda: tuple(r for r in rules.values() if r.scope != "run-set"))
    document = diagnose([sample("01-serial-gather")])
    verdicts = {f.rule: f.verdict for f in document.findings}
    assert verdicts["serial-io"] == "error"
    assert "a defect" in next(f.error or "" for f in document.findings if f.rule == "serial-io")
    assert verdicts["io-not-the-bottleneck"] == "triggered"


def test_findings_can_be_decided_again_from_the_json_alone() -> None:
    json_of_it = as_json(diagnose([sample("06-shared-indep-1000b-unaligned")]))
    document = TypeAdapter(CaseDocument).validate_json(json_of_it)
    basis = basis_of(document)
    assert decide_findings(document.findings, basis) == document.findings
    thresholds = {
        id: dataclasses.replace(t, value=t.maximum + 1) if t.rule == "independent-shared" else t
        for id, t in document.thresholds.items()
    }
    moved = decide_findings(document.findings, dataclasses.replace(basis, thresholds=thresholds))
    assert next(f for f in moved if f.rule == "independent-shared").verdict != "triggered"


def test_words_are_there_when_it_is_triggered_and_kept_when_it_is_not() -> None:
    document = diagnose([sample("05-shared-indep-1m-aligned")])
    for finding in document.findings:
        assert (finding.headline is not None) == (finding.verdict == "triggered")
        if finding.verdict == "triggered":
            assert finding.says is not None


def test_a_run_that_did_no_io_is_told_so() -> None:
    log = CORPUS / "logs" / "empty_log.darshan"
    if not log.exists():
        pytest.skip("the corpus is not here")
    document = diagnose([source(log)])
    assert document.headline.sentence == "The evidence shows no I/O in this run."
    assert all(f.severity == "info" for f in document.findings if f.verdict == "triggered")


def every_input() -> list[Path]:
    own = sorted((SAMPLES / "darshan_log").glob("*/*.darshan*"))
    others = sorted(
        p for kind in ("logs", "hostile/darshan", "hostile/text", "samples/*") for p in CORPUS.glob(f"{kind}/*")
    )
    return some([*own, *(p for p in others if p.suffix not in (".md", ".tsv"))])


@pytest.mark.fuzz
@pytest.mark.parametrize("path", every_input(), ids=lambda p: p.name[:40])
def test_every_input_is_diagnosed_and_short_runs_are_left_alone(path: Path) -> None:
    document = diagnose([source(path)])
    as_text(document)
    json.loads(as_json(document), parse_constant=lambda name: pytest.fail(f"{name} in the JSON"))
    assert not [f for f in document.findings if f.verdict == "error"]
    assert decide_findings(document.findings[::-1], basis_of(document)) == document.findings, (
        "they stand in reading order"
    )
    assert_quiet_where_io_does_not_matter(document)


def assert_quiet_where_io_does_not_matter(document: CaseDocument) -> None:
    """A time that is a lower bound does not tell that it was short."""
    spent = document.metrics["job.io_time"]
    if isinstance(spent.value, float) and spent.value < 1.0 and spent.bound is None:
        assert not [f.rule for f in document.findings if f.verdict == "triggered" and f.severity != "info"]


def test_a_log_and_its_own_text_are_counted_once() -> None:
    text = next((SAMPLES / "darshan_parser_text" / "shared-indep-unaligned").glob("*.txt"))
    log, both = (
        diagnose([sample("06-shared-indep-1000b-unaligned")]),
        diagnose([source(text), sample("06-shared-indep-1000b-unaligned")]),
    )
    assert both.metrics["io.bytes_written"].value == log.metrics["io.bytes_written"].value == 8_000_000
    assert any("same run" in w.message for w in both.sources[0].warnings)
    assert not any("same run" in w.message for w in both.sources[1].warnings)


@pytest.mark.parametrize("name", [None, "", "123456", "/scratch/r/o.dat"])
def test_a_file_without_a_name_is_filled_in_where_it_is_asked_about(name: str | None) -> None:
    part = Part("/scratch/r/o.dat", range(64), writes=512, write_s=100.0)
    made = log_of(Work((part,), 64, 200.0, nodes=2))
    named = replace(made, names={} if name is None else dict.fromkeys(made.names, name))
    found = diagnose([ReadSource("a.darshan", "0" * 64, 1, Evidence("darshan_log", (named,)))])
    file = name if name is not None and name.startswith("/") else '"${FILE:?a file of the job}"'
    assert found.missing_evidence["stripe layout"].lines == (f"lfs getstripe {file}",)
