"""Outputs that a collector of logs kept, a JSON record a line."""

from __future__ import annotations

import io
import json
from collections.abc import Callable

import pytest
from stats_text import block, read

from iotriage_parsers import detect
from iotriage_parsers.evidence import Failure, JobContext, MpiioStats

TIME = "2026-01-05T10:00:{:02}.000000000Z"

FORMS: dict[str, Callable[[int, str], str]] = {
    "docker": lambda n, text: json.dumps({"log": text + "\n", "stream": "stderr", "time": TIME.format(n)}),
    "fluent bit": lambda n, text: json.dumps({"date": 1767607200.5 + n, "log": text, "kubernetes": {"pod": "io-0"}}),
    "fluentd": lambda n, text: f"{TIME.format(n)}\tkube.io\t" + json.dumps({"message": text, "host": "nid001"}),
    "journald": lambda n, text: json.dumps({"__REALTIME_TIMESTAMP": f"{1767607200000000 + n}", "MESSAGE": text}),
    "journald, not UTF-8": lambda n, text: json.dumps({"MESSAGE": list(text.encode("latin-1"))}),
    "loki": lambda n, text: json.dumps({"labels": {"job": "io"}, "line": text, "timestamp": TIME.format(n)}),
    "elasticsearch": lambda n, text: json.dumps({"_source": {"message": text, "@timestamp": TIME.format(n)}}),
    "splunk": lambda n, text: json.dumps({"preview": False, "result": {"_raw": text, "_time": TIME.format(n)}}),
    "google": lambda n, text: json.dumps({"insertId": "a", "textPayload": text, "timestamp": TIME.format(n)}),
    "compose": lambda n, text: "io-1  | " + json.dumps({"log": text}),
}


def wrapped(form: Callable[[int, str], str], text: str) -> str:
    return "".join(form(n, line) + "\n" for n, line in enumerate(text.splitlines()))


@pytest.mark.parametrize("form", FORMS.values(), ids=list(FORMS))
def test_blocks_are_read_at_the_lines_of_their_records(form: Callable[[int, str], str]) -> None:
    text = "step 1\n\u00e9t\u00e9\n" + block("run/out.dat")
    (found,) = read(wrapped(form, text)).of(MpiioStats)
    (plain,) = read(text).of(MpiioStats)
    assert found == plain
    assert found.complete


def test_what_is_read_is_told() -> None:
    evidence = read(wrapped(FORMS["docker"], block()))
    (note,) = evidence.problems
    assert (note.code, note.loses_data) == ("note", False)
    assert note.message.startswith("JSON lines of a log collector: the text of each of 19 records")


def test_colours_labels_and_lines_that_are_no_records() -> None:
    labelled = "".join(f"\x1b[32m 0: {line}\x1b[0m\n" for line in block("a").splitlines())
    (found,) = read("$ kubectl logs io-0\n" + wrapped(FORMS["docker"], "x\n" * 30 + labelled)).of(MpiioStats)
    assert (found.file, found.complete) == ("a", True)
    mixed = wrapped(FORMS["docker"], "x\n" * 30) + "the node's own line\n" + wrapped(FORMS["docker"], block("b"))
    (found,) = read(mixed).of(MpiioStats)
    assert (found.file, found.lines.first) == ("b", 32)


def test_a_line_that_is_longer_than_any_that_is_read_takes_no_record_with_it() -> None:
    long = json.dumps({"log": "x" * 200_000}) + "\n"
    mixed = wrapped(FORMS["docker"], "x\n" * 300) + long + wrapped(FORMS["docker"], block("b"))
    (found,) = read(mixed).of(MpiioStats)
    assert (found.file, found.lines.first, found.complete) == ("b", 302, True)


def test_a_record_of_several_lines_is_one_place() -> None:
    record = json.dumps({"message": "step\n" + block("a") + block("b")})
    first, second = read(FORMS["docker"](0, "x") + "\n" + record + "\n").of(MpiioStats)
    assert (first.file, second.file) == ("a", "b")
    assert first.complete
    assert second.complete
    assert {first.lines.first, first.lines.last, second.lines.first} == {2}


def test_a_script_is_in_records_too() -> None:
    script = "#!/bin/bash\n#SBATCH --nodes=4\nexport MPICH_MPIIO_STATS=1\nsrun -n 512 ./app\n"
    (found,) = read(wrapped(FORMS["loki"], script)).of(JobContext)
    assert (found.nnodes, found.launches[0].ranks, found.launches[0].line) == (4, 512, 4)


def test_a_record_that_is_cut_is_said() -> None:
    text = wrapped(FORMS["docker"], block("a") + block("b"))
    evidence = read(text[:-900])
    assert [b.complete for b in evidence.of(MpiioStats)] == [True, False]
    (cut,) = (p for p in evidence.problems if p.code == "truncated")
    assert (cut.line, cut.loses_data) == (text[:-900].count("\n") + 1, True)


def test_the_newest_first_is_asked_for_again() -> None:
    backwards = "".join(reversed(wrapped(FORMS["loki"], block()).splitlines(keepends=True)))
    found = detect.read(io.BytesIO(backwards.encode()))
    assert isinstance(found, Failure)
    assert "newest first" in found.message


def test_other_documents_of_json_are_no_records() -> None:
    for text in ('{"fio version" : "fio-3.28"}\n', '{"status": "ok"}\n', "[1, 2]\n", '{"log": {"level": 1}}\n'):
        found = detect.read(io.BytesIO(text.encode()))
        said = [found.message] if isinstance(found, Failure) else [p.message for p in found.problems]
        assert not any("collector" in message for message in said)


def as_records(text: str) -> list[dict[str, str]]:
    return [{"message": line, "time": f"{n:06}"} for n, line in enumerate(text.splitlines())]


DOCUMENTS: dict[str, Callable[[str], str]] = {
    "an array": lambda text: json.dumps(as_records(text)),
    "an array over lines": lambda text: json.dumps(as_records(text), indent=1),
    "texts alone": lambda text: json.dumps(text.splitlines(), indent=1),
    "json-pretty": lambda text: "".join(json.dumps(record, indent=8) + "\n" for record in as_records(text)),
    "elasticsearch": lambda text: json.dumps({"hits": {"hits": [{"_source": record} for record in as_records(text)]}}),
    "cloudwatch": lambda text: json.dumps({"events": as_records(text)}, indent=4),
    "loki, newest first": lambda text: json.dumps(
        {"data": {"result": [{"values": [[f"{n:06}", line] for n, line in enumerate(text.splitlines())][::-1]}]}}
    ),
    "a ticket": lambda text: json.dumps({"key": "HPC-1", "fields": {"summary": "slow", "description": text}}, indent=1),
    "lines of a play": lambda text: json.dumps(
        {"rc": 0, "stdout_lines": text.splitlines(), "stderr_lines": []}, indent=4
    ),
    "the output of a job": lambda text: json.dumps({"id": 7204411, "stderr": text}),
}


@pytest.mark.parametrize("form", DOCUMENTS.values(), ids=list(DOCUMENTS))
def test_records_of_one_document_are_read(form: Callable[[str], str]) -> None:
    text = "step 1\n\u00e9t\u00e9\n" + block("run/out.dat") + "done\n"
    evidence = read(form(text))
    assert evidence.parts == read(text).parts
    assert [p.code for p in evidence.problems] == ["note"]
