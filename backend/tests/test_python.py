"""`iotriage.diagnose` for scripts and notebooks."""

from __future__ import annotations

import json
import os
import re
import subprocess
import sys
import zipfile
from dataclasses import replace
from html.parser import HTMLParser
from pathlib import Path

import pytest

import iotriage
from iotriage.cli import main

REPOSITORY = Path(__file__).parents[2]
SAMPLES = REPOSITORY / "sample-logs" / "darshan_log"


def log(name):
    return SAMPLES / name / f"{name}.darshan"


def test_the_examples_of_the_documentation_run():
    text = (REPOSITORY / "docs" / "python.md").read_text(encoding="utf-8")
    program = "\n".join(re.findall(r"```python\n(.*?)```", text, re.DOTALL))
    assert "DarshanReport" in program
    found = subprocess.run(
        [sys.executable, "-c", program], cwd=REPOSITORY, capture_output=True, text=True, check=True, timeout=120
    )
    assert "'s']" in found.stdout
    assert "ARCHER2" in found.stdout


def test_paths_of_any_kind_and_several_sources(tmp_path):
    one = iotriage.diagnose(str(log("39-heat2d-legacy")))
    assert one.to_json() == iotriage.diagnose(log("39-heat2d-legacy")).to_json()
    assert one.headline == one.document.headline.sentence
    script = tmp_path / "job.sh"
    script.write_text("#!/bin/bash\n#SBATCH --nodes=2\nexport MPICH_MPIIO_STATS=1\nsrun ./a.out\n", encoding="utf-8")
    both = iotriage.diagnose(log("39-heat2d-legacy"), script)
    assert [source.name for source in both.document.sources] == ["39-heat2d-legacy.darshan", "job.sh"]


def test_it_is_the_document_of_the_command_line(capsys):
    with pytest.raises(SystemExit):
        main(["diagnose", "--format", "json", "--site", "archer2", str(log("02-fpp-posix"))])
    assert iotriage.diagnose(log("02-fpp-posix"), site="archer2").to_json() == capsys.readouterr().out


def test_findings_and_metrics_are_data_frames():
    job = iotriage.diagnose(log("39-heat2d-legacy"))
    findings = job.findings
    assert len(findings) == len(job.document.findings)
    assert findings.loc[0, "rule"] == job.document.findings[0].rule
    triggered = findings[findings.verdict == "triggered"]
    assert triggered.headline.notna().all()
    assert set(triggered.severity) <= {"high", "medium", "low", "info"}
    assert job.metrics.index.name == "metric"
    stated = json.loads(job.to_json())["metrics"]
    assert list(job.metrics.index) == list(stated)
    assert job.metrics.loc["job.io_time", "unit"] == "s"
    absent = job.metrics[[value is None for value in job.metrics.value]]
    assert len(absent)
    assert absent.reason.notna().all()


class Report:
    """Like darshan.DarshanReport, as far as it is used."""

    def __init__(self, filename):
        self.filename = filename


def test_a_report_of_pydarshan_is_read_from_its_file():
    assert (
        iotriage.diagnose(Report(str(log("02-fpp-posix")))).to_json()
        == iotriage.diagnose(log("02-fpp-posix")).to_json()
    )
    with pytest.raises(ValueError, match="names no file"):
        iotriage.diagnose(Report(None))
    with pytest.raises(TypeError, match="int: give a path"):
        iotriage.diagnose(7)


def test_what_cannot_be_diagnosed_says_why(tmp_path):
    with pytest.raises(FileNotFoundError):
        iotriage.diagnose(tmp_path / "none")
    with pytest.raises(ValueError, match="at least one source"):
        iotriage.diagnose()
    with pytest.raises(ValueError, match="unknown site 'atlantis'; known: alps"):
        iotriage.diagnose(log("02-fpp-posix"), site="atlantis")
    empty = tmp_path / "empty.darshan"
    empty.write_bytes(b"")
    with pytest.raises(ValueError, match=r"nothing could be read: empty\.darshan: "):
        iotriage.diagnose(empty)
    with zipfile.ZipFile(tmp_path / "mine.zip", "w") as packed:
        packed.writestr("a.png", b"\x89PNG\r\n\x1a\n")
    with pytest.raises(ValueError, match=r"nothing could be read: mine\.zip › a\.png: a PNG picture"):
        iotriage.diagnose(tmp_path / "mine.zip")


class Page(HTMLParser):
    def __init__(self, text):
        super().__init__()
        self.tags, self.words, self.attributes = [], [], []
        self.feed(text)

    def handle_starttag(self, tag, attrs):
        self.tags.append(tag)
        self.attributes += attrs

    def handle_data(self, data):
        self.words.append(data)


def test_it_shows_itself_in_a_notebook():
    job = iotriage.diagnose(log("39-heat2d-legacy"))
    page = Page(job._repr_html_())
    assert job.headline in page.words
    assert {name for name, _ in page.attributes} == {"style"}
    triggered = [f for f in job.document.findings if f.verdict == "triggered"]
    assert page.tags.count("tr") == 1 + len(triggered)
    assert {f.rule for f in triggered} <= set(page.words)
    assert job.document.headline.command is None or job.document.headline.command in page.words
    assert repr(job) == f"<Diagnosis: {job.headline}>"


def test_names_from_a_log_are_text_in_a_notebook():
    job = iotriage.diagnose(log("39-heat2d-legacy"))
    hostile = "<script>alert('&')</script>"
    document = replace(job.document, headline=replace(job.document.headline, sentence=hostile, command=hostile))
    shown = iotriage.Diagnosis(document)._repr_html_()
    assert "<script" not in shown
    assert Page(shown).words.count(hostile) == 2


def test_to_import_it_costs_nothing_and_to_diagnose_no_pydarshan():
    program = f"""
import sys
import zipfile
import iotriage
early = {{"numpy", "iotriage.analysis", "iotriage_parsers"}} & set(sys.modules)
job = iotriage.diagnose({str(log("02-fpp-posix"))!r})
job._repr_html_()
print(early, {{"darshan", "pandas", "pydantic", "matplotlib"}} & set(sys.modules), iotriage.Diagnosis is type(job))
"""
    found = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=True, timeout=60)
    assert found.stdout.split() == ["set()", "set()", "True"]


def test_without_pandas_a_data_frame_says_what_is_missing(monkeypatch):
    monkeypatch.setitem(sys.modules, "pandas", None)
    job = iotriage.diagnose(log("02-fpp-posix"))
    for name in ("findings", "metrics"):
        with pytest.raises(ImportError, match=r"pip install 'iotriage\[pydarshan\]'"):
            getattr(job, name)
    with pytest.raises(AttributeError):
        iotriage.nothing  # noqa: B018


@pytest.mark.parametrize("form", ["text", "html", "json", "markdown"])
def test_a_file_whose_name_is_not_utf_8_is_diagnosed_in_every_format(tmp_path, form, capsys):
    path = tmp_path / os.fsdecode(b"caf\xe9.darshan")
    path.write_bytes(log("02-fpp-posix").read_bytes())
    assert iotriage.diagnose(path).document.sources[0].name == "caf\\xe9.darshan"
    # What no terminal takes would end in an error of its own: captured streams are UTF-8 too.
    with pytest.raises(SystemExit, match=r"^0$"):
        main(["diagnose", "--format", form, str(path), str(tmp_path / os.fsdecode(b"gone-\xe9"))])
    found, errors = capsys.readouterr()
    assert errors == ""
    assert "<html" in found if form == "html" else "Nothing wrong was found" in found
