"""A report for those who are not to see whose jobs it is about: nothing of a name is in it, and a name is the same one
in every report under a key."""

from __future__ import annotations

from collections.abc import Iterator
from datetime import date
from pathlib import Path

import pytest
from centre_logs import Run, put, taken
from report_cells import column, section

from iotriage.centre.report.forms.report_forms import REPORT_FORMS, WrittenForm
from iotriage.centre.report.period_report import period_of, report_of
from iotriage.centre.report.questions import QUESTIONS
from iotriage.centre.report.section import Choices, Column, Contact, Report, ReportFilter, Section
from iotriage.centre.report.without_names import OtherNames
from iotriage.cli import main

DAYS = (date(2026, 11, 20), date(2026, 11, 21))
PEOPLE = {20417: "wrosebury", 501: "kthibodeaux", 502: "mfarquharson"}
KEY = b"of a committee, 2026"


@pytest.fixture(scope="module")
def warehouse(tmp_path_factory: pytest.TempPathFactory) -> Path:
    logs, warehouse = tmp_path_factory.mktemp("logs"), tmp_path_factory.mktemp("warehouse")
    (warehouse / "accounting").mkdir()
    for day, on in enumerate(DAYS):
        lines = ["JobIDRaw|User|Account|NNodes|ElapsedRaw"]
        for number, (uid, name) in enumerate(PEOPLE.items()):
            run = Run(10 * day + number, job_id=66_000_000 + 10 * day + number, uid=uid, day=day, writes=400_000)
            put(logs, f"{run.name}_100.darshan", run.log())
            lines.append(f"{run.job_id}|{name}|zz{uid}prj|2|100")
        (warehouse / "accounting" / f"{on}.txt").write_text("\n".join(lines) + "\n", encoding="utf-8")
    taken(logs, warehouse)
    return warehouse


def hidden(warehouse: Path, day: date, filter: ReportFilter | None = None) -> Report:
    contacts = [Contact("kthibodeaux", DAYS[0], "RT-4711", "answered")]
    return report_of(warehouse, period_of(day, "week"), filter or ReportFilter(), contacts, names=OtherNames(KEY))


@pytest.mark.parametrize("form", REPORT_FORMS.values(), ids=REPORT_FORMS)
def test_no_form_has_a_name(form: WrittenForm, warehouse: Path) -> None:
    said = form.write(hidden(warehouse, DAYS[1], ReportFilter(project="zz501prj")))
    said += form.write(hidden(warehouse, DAYS[1]))
    named = (*PEOPLE.values(), "20417", "prj", "6600000", "6600001", "out1.dat", "sim", "RT-4711")
    assert [name for name in named if name in said] == []
    assert "/scratch" in said


def test_sums_are_those_of_the_report_with_names(warehouse: Path) -> None:
    named = report_of(warehouse, period_of(DAYS[1], "week"))
    for one, other in zip(named.sections, hidden(warehouse, DAYS[1]).sections, strict=True):
        assert (one.id, len(one.rows)) == (other.id, len(other.rows))
        assert [_numbers(row) for row in one.rows] == [_numbers(row) for row in other.rows]


def _numbers(row: tuple[object, ...]) -> list[object]:
    return [cell for cell in row if not isinstance(cell, str)]


def test_a_name_is_the_same_one_in_every_report_under_one_key(warehouse: Path) -> None:
    first, second = (_users(report_of(warehouse, period_of(day), names=OtherNames(KEY))) for day in DAYS)
    assert first == second
    assert len(first) == len(PEOPLE)
    assert first.isdisjoint(_users(report_of(warehouse, period_of(DAYS[0]), names=OtherNames(b"another one"))))


def _users(report: Report) -> set[object]:
    return set(column(section(report, "losing-users"), "user"))


def test_a_column_of_which_nobody_has_decided_is_hidden() -> None:
    """Those that are shown as they are hold what is the machine's and the report's own."""
    shown = {c.title for c in _texts() if c.holds in ("words", "name") and _stays(c)}
    assert shown == {"of", "what", "file system", "mount", "site", "who"}


def _texts() -> Iterator[Column]:
    return (column for question in QUESTIONS for column in question.columns if column.unit == "text")


def _stays(column: Column) -> bool:
    of = Section("", "who", "", "", (column,), (("ada",),))
    return OtherNames(KEY).section(of).rows == (("ada",),)


@pytest.mark.parametrize(
    ("mount", "shown"),
    [
        ("/home/ada", "/home/{}"),
        ("mount /users/ada", "mount /users/{}"),
        ("/home", "/home"),
        ("/lus/work", "/lus/work"),
    ],
)
def test_a_home_that_is_mounted_by_itself_is_called_as_its_user_is(mount: str, shown: str) -> None:
    names = OtherNames(KEY)
    columns = (Column("mount", "text"), Column("user", "text", "name"))
    ((hidden_mount, user),) = names.section(Section("", "who", "", "", columns, ((mount, "ada"),))).rows
    assert hidden_mount == shown.format(user)
    assert names.filter(ReportFilter(file_system=mount)).file_system == hidden_mount
    assert names.choices(Choices((mount,), ("a",), ("b",), ("c",))) == Choices((f"{hidden_mount}",), (), (), ())


def test_the_command_says_where_names_will_be_others(
    warehouse: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    asked = ["report", "--date", f"{DAYS[0]}", "--warehouse", f"{warehouse}", "--anonymise"]
    said = _said(asked, capsys)
    assert said == (
        0,
        "iotriage report: IOTRIAGE_ANONYMISE_KEY is not set: the next report has other names than this\n",
    )
    monkeypatch.setenv("IOTRIAGE_ANONYMISE_KEY", "of a committee, 2026")
    assert _said(asked, capsys) == (0, "")
    assert _said([*asked, "--mail", "--mail-users"], capsys)[0] == 2
    monkeypatch.setenv("IOTRIAGE_ANONYMISE_KEY", "short")
    assert _said(asked, capsys)[0] == 2


def _said(asked: list[str], capsys: pytest.CaptureFixture[str]) -> tuple[object, str]:
    with pytest.raises(SystemExit) as ended:
        main(asked)
    return ended.value.code, capsys.readouterr().err
