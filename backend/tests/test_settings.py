"""What an installation can be told stands in one table, and the container passes all of it on."""

from __future__ import annotations

import os
import re
from pathlib import Path

import pytest
import yaml
from pydantic import ValidationError
from pydantic_settings import BaseSettings

from iotriage.centre.mail.settings import MailSettings
from iotriage.cli.unknown_settings import unknown_settings
from iotriage.helpdesk.templates import BadTemplateError, templates_in
from iotriage.settings import Settings, settings_error

ROOT = Path(__file__).parents[2]
NAMES = {f"IOTRIAGE_{name.upper()}" for name in Settings.model_fields}
ELSEWHERE = {"IOTRIAGE_SITES"}
"""Read where it is used, by the command line too."""
NOT_IN_A_CONTAINER = {"IOTRIAGE_DATA_DIR", "IOTRIAGE_SAMPLES_DIR", "IOTRIAGE_OPEN_LOOPBACK"}
"""The first two the image says; the third lets in everybody."""
UNITS = {"": 1, " s": 1, " MiB": 2**20, " GiB": 2**30}
SECRET = {"IOTRIAGE_OIDC_CLIENT_SECRET", "IOTRIAGE_SESSION_KEYS"}
"""A file each, where somebody needs them: a compose file cannot name one that may be missing."""


def test_every_setting_is_a_row_and_every_row_a_setting() -> None:
    named = [name for names, _ in _rows() for name in names]
    assert sorted(named) == sorted(NAMES | ELSEWHERE)


def test_a_number_in_the_table_is_the_default() -> None:
    said = {
        name: float(number) * UNITS[unit]
        for names, defaults in _rows()
        for name, default in zip(names, defaults.split(", "), strict=False)
        if (found := re.fullmatch(r"(\d+)( s| MiB| GiB)?", default)) is not None
        for number, unit in [found.groups(default="")]
    }
    assert {"IOTRIAGE_WORKERS", "IOTRIAGE_WARM_SECONDS", "IOTRIAGE_UPLOAD_LIMIT_BYTES"} <= said.keys()
    defaults = {f"IOTRIAGE_{name.upper()}": field.default for name, field in Settings.model_fields.items()}
    assert said == {name: float(defaults[name]) for name in said}


def test_the_container_is_told_every_setting() -> None:
    compose = yaml.safe_load((ROOT / "docker-compose.yml").read_text("utf-8"))
    app = compose["services"]["app"]
    told = {str(one).partition("=")[0] for one in app["environment"]} | {name.upper() for name in app["secrets"]}
    assert sorted(NAMES - told - SECRET - NOT_IN_A_CONTAINER) == []
    assert sorted(told - NAMES) == []


def test_a_secret_may_be_a_file(tmp_path: Path) -> None:
    (tmp_path / "iotriage_database_url").write_text("postgresql://iotriage:word@database/iotriage\n")
    (tmp_path / "iotriage_oidc_client_secret").write_text("a word")
    settings = Settings(_secrets_dir=tmp_path)
    assert settings.database == "postgresql://iotriage:word@database/iotriage"
    assert settings.oidc_client_secret == "a word"


def _rows() -> list[tuple[list[str], str]]:
    """The names of each row, and what holds where they are not set."""
    text = (ROOT / "docs" / "deploy.md").read_text("utf-8")
    table = text[text.index("## Settings") :]
    rows = [line.split("|") for line in table[: table.index("\n## ")].splitlines() if line.startswith("| `IOTRIAGE")]
    return [(_whole(re.findall(r"`([A-Z_-]+)`", cells[1])), cells[2].strip()) for cells in rows]


def _whole(names: list[str]) -> list[str]:
    """`IOTRIAGE_PROXY_USER_HEADER`, `-Name` …: all begin alike."""
    return [name for name in names if name.startswith("IOTRIAGE_")]


def test_a_misspelt_setting_is_named_with_the_one_that_is_meant(monkeypatch: pytest.MonkeyPatch) -> None:
    for name in [name for name in os.environ if name.startswith("IOTRIAGE_")]:
        monkeypatch.delenv(name)
    for name in ("IOTRIAGE_MAIL_PASSWORD", "IOTRIAGE_DATADIR", "IOTRIAGE_X", "IOTRIAGE_MAIL_TO", "IOTRIAGE_TOKEN"):
        monkeypatch.setenv(name, "a secret")
    assert list(unknown_settings()) == [
        "IOTRIAGE_DATADIR is no setting, and changes nothing; is IOTRIAGE_DATA_DIR meant?",
        "IOTRIAGE_MAIL_PASSWORD is no setting, and changes nothing; is IOTRIAGE_MAIL_PASSWORD_FILE meant?",
        "IOTRIAGE_X is no setting, and changes nothing",
    ]


@pytest.mark.parametrize(
    ("settings", "prefix", "wrong", "said"),
    [
        (MailSettings, "IOTRIAGE_MAIL_", {"users": "ada@example.org"}, "such as {user}@example.org"),
        (MailSettings, "IOTRIAGE_MAIL_", {"rules_url": "io.example.org"}, "it begins with http:// or https://"),
        (MailSettings, "IOTRIAGE_MAIL_", {"to": "nobody"}, "IOTRIAGE_MAIL_TO: 'nobody' is no address of a mail"),
        (Settings, "IOTRIAGE_", {"ticket_url": "https://x.org/"}, "such as https://tickets.example.org/{reference}"),
    ],
)
def test_a_setting_that_is_wrong_says_what_is_right(
    settings: type[BaseSettings], prefix: str, wrong: dict[str, str], said: str
) -> None:
    with pytest.raises(ValidationError) as refused:
        settings.model_validate(wrong)
    why = settings_error(refused.value, prefix)
    assert why.startswith(f"{prefix}{next(iter(wrong)).upper()}: ")
    assert why.endswith(said)


def test_a_key_that_can_be_guessed_signs_nothing() -> None:
    assert Settings(session_keys="k" * 16).session_keys == ("k" * 16,)
    with pytest.raises(ValidationError) as refused:
        Settings(session_keys=f"{'k' * 16},short")
    assert "16 characters" in settings_error(refused.value)
    assert "short" not in settings_error(refused.value)


def test_replies_that_cannot_be_used_are_said_before_the_first(tmp_path: Path) -> None:
    with pytest.raises(BadTemplateError, match="IOTRIAGE_REPLIES names no folder"):
        templates_in(tmp_path / "nowhere")
    (tmp_path / "ours.toml").write_text('title = "Ours"\nclosing "Yours"\n')
    with pytest.raises(BadTemplateError, match=r"ours\.toml.*line 2"):
        templates_in(tmp_path)
