"""What an anonymised document no longer says, and what it still does."""

from __future__ import annotations

import io
import json
import re
from dataclasses import asdict, replace
from pathlib import Path

import pytest

from iotriage.analysis.document import CaseDocument
from iotriage.analysis.engine import diagnose
from iotriage.analysis.inputs import ReadSource
from iotriage.analysis.jobs import select_job_parts
from iotriage.cli import main
from iotriage.reports.anonymous import anonymised
from iotriage.reports.anonymous.own_words import own_words
from iotriage.reports.anonymous.pseudonyms import Pseudonyms
from iotriage.reports.formats import FORMATS
from iotriage.reports.terminal import as_text
from iotriage_parsers.detect import read_or_unpack

from .planted import PLANTED, SCRIPT, STATS, planted_log

SAMPLES = Path(__file__).parents[3] / "sample-logs" / "darshan_log"
KEY = b"a key of the installation's"


def read(name: str, data: bytes) -> ReadSource:
    return ReadSource(name, "ab" * 32, len(data), read_or_unpack(io.BytesIO(data)))


@pytest.fixture(scope="module")
def document() -> CaseDocument:
    return diagnose(
        [read("zquser_98765432.darshan", planted_log()), read("zqjob.sh", SCRIPT), read("98765432.err", STATS)], None
    )


@pytest.fixture(scope="module")
def hidden(document: CaseDocument) -> CaseDocument:
    return anonymised(document, KEY)


def test_no_planted_name_is_left_in_any_form(document: CaseDocument, hidden: CaseDocument) -> None:
    said = [form.write(document) for form in FORMATS.values()]
    assert all(PLANTED.search(text) and "98765432" in text for text in said)
    for text in (as_text(hidden), *(form.write(hidden) for form in FORMATS.values())):
        assert PLANTED.findall(text) == []
        assert "98765432" not in text
        assert "ab" * 32 not in text
    assert hidden.job.uid is None


def test_what_is_said_and_advised_is_said_in_the_same_words(document: CaseDocument, hidden: CaseDocument) -> None:
    assert hidden.headline.sentence == document.headline.sentence
    assert [(f.rule, f.verdict, f.severity, f.takes_s) for f in hidden.findings] == [
        (f.rule, f.verdict, f.severity, f.takes_s) for f in document.findings
    ]
    for before, after in zip(document.findings, hidden.findings, strict=True):
        words = [re.findall(r"[^\W\d_]+", finding.summary or "") for finding in (before, after)]
        changed = {word for word, now in zip(*words, strict=True) if word != now}
        assert all(PLANTED.fullmatch(word) for word in changed)


def test_a_path_keeps_its_shape(hidden: CaseDocument) -> None:
    paths = [row.path for row in hidden.files]
    shape = re.compile(r"/lustre/[a-z]{8}/[a-z]{8}/[a-z]{8}_\d{4}\.h5")
    assert all(shape.fullmatch(path) for path in paths)
    assert len({path.rpartition("/")[0] for path in paths}) == 1
    assert len(set(paths)) == len(paths)


def test_a_key_gives_the_same_names_and_another_others(document: CaseDocument, hidden: CaseDocument) -> None:
    assert anonymised(document, KEY) == hidden
    other = anonymised(document, b"another key")
    assert {row.path for row in other.files}.isdisjoint(row.path for row in hidden.files)


@pytest.mark.parametrize(
    ("name", "shape"),
    [
        ("out.h5", r"[a-z]{8}\.h5"),
        ("out.0001.nc", r"[a-z]{8}\.\d{4}\.nc"),
        ("results.jsmith", r"[a-z]{8}\.[a-z]{8}"),
        ("a-b_c", r"[a-z]{8}-[a-z]{8}_[a-z]{8}"),
        ("run.####", r"[a-z]{8}\.####"),
    ],
)
def test_what_joins_a_name_and_its_extension_stay(name: str, shape: str) -> None:
    found = Pseudonyms(KEY).of(name)
    assert re.fullmatch(shape, found)
    assert "smith" not in found


@pytest.mark.parametrize("sample", ["39-heat2d-legacy", "35-write-readback-mixed"])
def test_of_a_sample_no_name_that_only_its_log_has_is_left(sample: str) -> None:
    path = SAMPLES / sample / f"{sample}.darshan"
    document = diagnose([read(path.name, path.read_bytes())], None)
    texts = json.dumps(asdict(anonymised(document, KEY)))
    parts = {part for row in document.files for part in re.findall(r"[^\W\d_]+", row.path)}
    names = {part for part in parts if not own_words().has(part)}
    assert names
    assert names.isdisjoint(re.findall(r"[^\W\d_]+", texts))


def test_the_name_of_a_given_file_is_hidden_by_any_ending() -> None:
    data = (SAMPLES.parent / "craypat" / "pat-report-one-writer" / "wave3d.pe.rpt").read_bytes()
    hidden = anonymised(diagnose([read("wave3d.pe.rpt", data)], None), KEY)
    assert "wave3d" not in FORMATS["json"].write(hidden)
    assert re.fullmatch(r"[a-z]+\d[a-z]*\.[a-z]+\.[a-z]+", hidden.sources[0].name)


def test_another_job_that_a_sentence_names_is_hidden() -> None:
    names = ("06-shared-indep-1000b-unaligned", "08-shared-strided-collective")
    given = [read(f"{n}.darshan", (SAMPLES / n / f"{n}.darshan").read_bytes()) for n in names]
    other = replace(given[1], sha256="cd" * 32)
    document = diagnose(select_job_parts([given[0], other], ["4127088"] * 2), None)
    hidden = anonymised(document, KEY).sources[1].warnings[0].message
    assert "4127122" in document.sources[1].warnings[0].message
    assert re.fullmatch(r"it is of job \d{7}, not of \d{7}, and nothing of it is counted here\.", hidden)
    assert not {"4127122", "4127088"} & set(re.findall(r"\d+", hidden))


@pytest.mark.parametrize(("job_id", "hides"), [("4127", True), ("412", False)])
def test_a_number_in_a_sentence_is_the_job_s_where_it_has_four_digits(
    job_id: str, hides: bool, document: CaseDocument
) -> None:
    said = replace(document.headline, sentence=f"See {job_id} for more.")
    found = anonymised(replace(document, job=replace(document.job, job_id=job_id), headline=said), KEY)
    assert (job_id not in found.headline.sentence) is hides


def test_the_command_line_gives_it(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    (tmp_path / "zquser.darshan").write_bytes(planted_log())
    with pytest.raises(SystemExit) as ended:
        main(["diagnose", "--anonymise", str(tmp_path / "zquser.darshan")])
    printed = capsys.readouterr().out
    assert ended.value.code == 0
    assert PLANTED.search(printed) is None
    assert "Every rank writes small records among those of the others" in " ".join(printed.split())
