"""Names from strangers through every way out: nothing that receives one obeys it."""

from __future__ import annotations

import csv
import io
import json
import unicodedata
from collections.abc import Iterator
from dataclasses import asdict, replace
from html.parser import HTMLParser
from pathlib import Path
from urllib.parse import unquote

import pytest
from darshan_writer import Counters, Job, Log, build, record_id
from hypothesis import example, given
from hypothesis import strategies as st

from iotriage.analysis.document import CaseDocument, FileRow
from iotriage.analysis.engine import diagnose
from iotriage.analysis.inputs import ReadSource
from iotriage.cli import main
from iotriage.diagnosis import Diagnosis
from iotriage.reports.escaping import (
    content_disposition,
    escape_csv,
    escape_html,
    escape_jira,
    escape_json,
    escape_line,
    escape_markdown,
)
from iotriage.reports.files_csv import COLUMNS, csv_lines
from iotriage.reports.formats import FORMATS
from iotriage.reports.next_run_text import as_next_run_text
from iotriage.reports.page import as_page
from iotriage.reports.terminal import as_text
from iotriage.rules.core.words import UNPRINTABLE
from iotriage_parsers.detect import read_or_unpack
from iotriage_parsers.reader import Limits

OBEYED = [
    "\x1b[2J\x1b]0;owned\x07", "\x9b31m", "\r\n", "\x00", "\x7f", "\u202e", "\u2066", "\u2028", "\ufeff",
    "\u200b", "\U000e0041", "<script>alert(1)</script>", "<img src=x onerror=alert(1)>", "</title>", "-->",
    "&lt;", '"', "'", "`", "```", "$(id)", ";id;", "=cmd|' /C calc'!A0", "+1+1", "-2+3", "@SUM(A1)", "\t=1",
    "\uff1d1", "|", "||", "*", "_", "[a](javascript:b)", "#", "{noformat}", "{code}", "!x!", "\\", "a,b",
    "%0d%0a", "é", "日本", "🧪",
]  # fmt: skip
names = st.lists(st.sampled_from(OBEYED) | st.text(max_size=6), min_size=1, max_size=4).map("".join)
tame = names.map(lambda n: n.encode("utf-8", "replace").decode().replace("\0", ""))


def _document(name: str) -> CaseDocument:
    """Of a log that has the name wherever a log can have one."""
    path = f"/scratch/{name}/{name}"
    rows = {"id": record_id(path), "rank": -1, "POSIX_OPENS": 64, "POSIX_WRITES": 10**6, "POSIX_BYTES_WRITTEN": 10**9}
    times = {"POSIX_F_WRITE_TIME": 900.0, "POSIX_F_META_TIME": 300.0, "POSIX_SIZE_WRITE_100_1K": 10**6}
    log = Log(
        job=Job(nprocs=64, exe=f"/bin/{name} {name}", mounts=((f"/scratch/{name}", "lustre"), ("/", name or "x"))),
        names={record_id(path): path},
        modules=(Counters.of("POSIX", {**rows, **times}),),
    )
    logged = io.BytesIO(build(log))
    text = io.BytesIO(
        f"MPICH_MPIIO_HINTS_DISPLAY\nPE 0: MPIIO hints for {name}:\n  romio_cb_write = {name}\n".encode(
            "utf-8", "replace"
        )
    )
    given = [
        ReadSource(f"{name}.{kind}", "0" * 63 + kind[0], 1, read_or_unpack(stream, Limits()))
        for kind, stream in (("1", logged), ("2", text))
    ]
    return diagnose(given)


def _obeyed(text: str, besides: str = "\n") -> set[str]:
    return {hex(ord(c)) for c in text if c not in besides and unicodedata.category(c) in UNPRINTABLE}


@given(tame)
@example("\x1b[31m\u202e<img src=x onerror=alert(1)>=1+1|`|{noformat}")
def test_a_report_of_any_format_holds_names_as_text(name: str) -> None:
    document = _document(name)
    written = {form: format_.write(document) for form, format_ in FORMATS.items()}
    written |= {"terminal": as_text(document), "next run": as_next_run_text(document.next_run)}
    for form, text in written.items():
        assert not _obeyed(text), form
        text.encode("utf-8")
    assert json.loads(written["json"]) == json.loads(json.dumps(asdict(document)))
    for form, raw in (("markdown", "<img"), ("markdown", "<script"), ("jira", "[a]("), ("jira", "{code}")):
        outside = "\n".join(_outside_commands(written[form]))
        assert raw not in outside.replace("\\" + raw[0], ""), form


def _outside_commands(text: str) -> Iterator[str]:
    inside = False
    for line in text.splitlines():
        if line.startswith("```") or line == "{noformat}":
            inside = not inside
        elif not inside:
            yield line


@given(names)
def test_markup_has_no_element_or_attribute_of_a_name(name: str) -> None:
    found: list[tuple[str, list[tuple[str, str | None]]]] = []

    class Tags(HTMLParser):
        def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
            found.append((tag, attrs))

    Tags().feed(f'<p title="{escape_html(name)}">{escape_html(name)}</p>')
    assert found == [("p", [("title", escape_line(name))])]


@given(tame)
def test_a_notebook_shows_names_as_text(name: str) -> None:
    shown = Diagnosis(_document(name))._repr_html_()
    assert not _obeyed(shown)
    for raw in ("<img", "<script", "</title"):
        assert raw not in shown


@given(st.lists(names, min_size=1, max_size=3))
def test_a_spreadsheet_finds_no_formula_and_no_more_rows(paths: list[str]) -> None:
    rest = dict.fromkeys(COLUMNS, None)
    rows = [FileRow(**{**rest, "path": path, "group": path, "pattern": path, "layers": (path,)}) for path in paths]
    text = "".join(csv_lines(rows))
    found = list(csv.reader(io.StringIO(text.encode().decode(), newline="")))
    assert len(found) == 1 + len(rows)
    for cells in found[1:]:
        assert len(cells) == len(COLUMNS)
        for cell in cells:
            assert not cell.strip().startswith(("=", "+", "-", "@", "\uff1d", "\uff0b", "\uff0d", "\uff20"))


@given(names)
def test_the_name_of_a_download_is_one_quoted_word(name: str) -> None:
    value = content_disposition(name)
    value.encode("ascii")
    assert not _obeyed(value, besides="")
    quoted, _, whole = value.removeprefix('attachment; filename="').partition('"')
    assert not set(quoted) & set('"\\/;%')
    assert unquote(whole.removeprefix("; filename*=UTF-8''") or quoted) == escape_line(name).replace("/", "_")


@given(names | st.text(st.characters(), max_size=5))
def test_a_json_text_means_the_same_and_is_printable(name: str) -> None:
    written = escape_json(json.dumps([name], ensure_ascii=False))
    assert json.loads(written) == [name]
    assert not _obeyed(written)
    written.encode("utf-8")


@pytest.mark.parametrize(
    ("write", "name", "written"),
    [
        (escape_line, "a\x1b[2J\u202eb\udcff", "a\\x1b[2J\\u202eb\\udcff"),
        (escape_html, "<b>\"'&", "&lt;b&gt;&quot;&#x27;&amp;"),
        (escape_csv, "=1+1", "'=1+1"),
        (escape_csv, "  @x", "'  @x"),
        (escape_csv, "a=b", "a=b"),
        (escape_markdown, "<i>*a*|`b`", "\\<i\\>\\*a\\*\\|\\`b\\`"),
        (escape_jira, "{code}[a|b]", "\\{code\\}\\[a\\|b\\]"),
        (content_disposition, "a.txt", 'attachment; filename="a.txt"'),
        (
            content_disposition,
            "é\r\nx/y.txt",
            "attachment; filename=\"__x0d_x0ax_y.txt\"; filename*=UTF-8''%C3%A9%5Cx0d%5Cx0ax_y.txt",
        ),
    ],
)
def test_each_target_by_example(write, name: str, written: str) -> None:
    assert write(name) == written


def test_the_title_of_an_exported_page_is_text(tmp_path) -> None:
    (tmp_path / "export.html").write_text(
        '<title>IOtriage</title><script type="application/gzip" id="answers"></script>'
    )
    page = as_page(tmp_path, "\udcff</title><script>\u202e", {})
    assert "<title>\\udcff&lt;/title&gt;&lt;script&gt;\\u202e · IOtriage</title>" in page
    page.encode()


def test_an_own_word_of_a_source_is_text_everywhere() -> None:
    document = _document("x")
    document = replace(document, sources=(replace(document.sources[0], name="\x1b]0;t\x07\n\u202ename"),))
    for text in (as_text(document), *(f.write(document) for f in FORMATS.values())):
        assert not _obeyed(text)


def test_a_comparison_and_a_second_opinion_as_json_hold_nothing_that_a_terminal_obeys(
    tmp_path: Path, capsysbinary: pytest.CaptureFixture[bytes]
) -> None:
    samples = Path(__file__).parents[3] / "sample-logs" / "darshan_log"
    named = []
    for sample in ("14-balanced", "06-shared-indep-1000b-unaligned"):
        named.append(tmp_path / f"{sample}\x9b31m\u202e.darshan")
        named[-1].write_bytes((samples / sample / f"{sample}.darshan").read_bytes())
    for command in ("compare", "verify"):
        with pytest.raises(SystemExit):
            main([command, "--format", "json", *map(str, named)])
        printed = capsysbinary.readouterr().out.decode()
        assert json.loads(printed)
        assert "\\u009b31m\\u202e" in printed
        assert not {"\x9b", "\u202e"} & set(printed)
